"""The values that differ between the lanes of a subgroup, and the ids that they depend on.

A subgroup's lanes follow one another in the order of work-items, x fastest, as Intel's compiler numbers them if a
kernel states its block size.
"""

from collections.abc import Sequence
from typing import Literal, cast

from xdsl.ir import Operation

from xetile.analysis.dependence import Origins, following
from xetile.analysis.module_kernels import OLDER_CONVENTION, launch_sizes
from xetile.errors import Note, fail, notes_at

Axis = Literal["x", "y", "z"]
AXES: tuple[Axis, Axis, Axis] = ("x", "y", "z")

_COUNTING = ("gpu.thread_id", "gpu.global_id")
"""Ids that count work-items, except in kernels of the older convention, where they count subgroups."""

_LOCAL = tuple(f"xevm.local_id.{axis}" for axis in AXES)
_LANE = ("gpu.lane_id", "xevm.lane_id")
_SUBGROUP = ("gpu.subgroup_id", "xevm.subgroup_id")

_SHUFFLE = "gpu.shuffle"
"""Moves values along the lanes: lanes at the end have no source."""

_AGREED = ("gpu.subgroup_broadcast", "gpu.subgroup_reduce", "gpu.all_reduce")
"""Ops that give all lanes of a subgroup one result."""


def axis_of(op: Operation) -> Axis:
    """Return the axis that an id of the gpu dialect names."""
    attribute = op.properties.get("dimension", op.attributes.get("dimension"))
    word = str(attribute).rpartition(" ")[2]
    for axis in AXES:
        if axis in word:
            return axis
    fail(op, f"'dimension' is {attribute}; expected x, y or z")


def shared_by_lanes(block: Sequence[int], axis: Axis, threads: int) -> bool:
    """Return True if all work-items of each subgroup share one coordinate along `axis`.

    `block` is the number of work-items along x, y, z; `threads` is the number of work-items of a subgroup.
    """
    dimension = AXES.index(axis)
    below = 1
    for size in block[:dimension]:
        below *= size
    return block[dimension] == 1 or below % threads == 0


def differing(function: Operation, threads: int) -> Origins:
    """Return the values that may differ between lanes of one subgroup, each with the id that it depends on."""
    return following(function, lambda op: _differs(function, op, threads), _AGREED)


def differing_subgroups(function: Operation) -> Origins:
    """Return the values that may differ between subgroups of one workgroup, each with the id that it depends on."""
    ids = (*_COUNTING, *_LOCAL, *_LANE, *_SUBGROUP)
    return following(function, lambda op: op.name in ids, ("gpu.all_reduce",))


def note_on_lanes(function: Operation, origin: Operation, threads: int) -> tuple[Note, ...]:
    """Return notes at an id that say why its value differs between lanes."""
    if origin.name == _SHUFFLE:
        return notes_at(origin, f"'{origin.name}' finds no source in some of the lanes")
    if origin.name in _LANE:
        return notes_at(origin, f"'{origin.name}' is another number in each lane")
    block = launch_sizes(function, "known_block_size")
    if block is None:
        reason = "without known_block_size lanes may lie along any axis"
    else:
        reason = f"a subgroup is {threads} of the block {list(block)}, x first"
    return notes_at(origin, f"'{origin.name}' counts work-items: {reason}")


def _differs(function: Operation, op: Operation, threads: int) -> bool:
    if op.name in _LANE:
        return True
    if op.name == _SHUFFLE:
        return any(word in str(op.properties.get("mode")) for word in ("up", "down"))
    if op.name in _LOCAL:
        axis = cast(Axis, op.name[-1])
    elif op.name in _COUNTING:
        axis = axis_of(op)
    else:
        return False
    if OLDER_CONVENTION in function.attributes:
        return False
    block = launch_sizes(function, "known_block_size")
    return block is None or not shared_by_lanes(block, axis, threads)
