"""The gpu dialect: who a thread is, and what threads do together."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.machine.frame import Frame, Handler, attribute
from xetile.interpreter.machine.threads import Axis
from xetile.interpreter.machine.values import Value, uniform
from xetile.targets.device import SUBGROUP_SIZE


def axis_of(op: Operation) -> Axis:
    """The axis that an op names."""
    word = str(attribute(op, "dimension"))
    found = next((axis for axis in ("x", "y", "z") if axis in word.rpartition(" ")[2]), None)
    if found is None:
        fail(op, f"'dimension' is {word}; expected x, y or z")
    return cast(Axis, found)


def _block_id(frame: Frame, op: Operation) -> Sequence[Value]:
    return [frame.threads.block_id(frame.active, axis_of(op))]


def _thread_id(frame: Frame, op: Operation) -> Sequence[Value]:
    return [frame.threads.thread_id(frame.active, axis_of(op), op)]


def _global_id(frame: Frame, op: Operation) -> Sequence[Value]:
    axis = axis_of(op)
    size = frame.threads.block_sizes(op)["xyz".index(axis)]
    first = frame.threads.block_id(frame.active, axis) * size
    return [first + frame.threads.thread_id(frame.active, axis, op)]


def _block_dim(frame: Frame, op: Operation) -> Sequence[Value]:
    return [uniform(frame.threads.block_sizes(op)["xyz".index(axis_of(op))])]


def _grid_dim(frame: Frame, op: Operation) -> Sequence[Value]:
    return [uniform(frame.threads.grid["xyz".index(axis_of(op))])]


def _subgroup_id(frame: Frame, op: Operation) -> Sequence[Value]:
    return [frame.threads.subgroup(frame.active, op)]


def _lane_id(frame: Frame, op: Operation) -> Sequence[Value]:
    return [frame.threads.lane(frame.active, op)]


def _subgroup_size(frame: Frame, op: Operation) -> Sequence[Value]:
    return [uniform(SUBGROUP_SIZE)]


def _num_subgroups(frame: Frame, op: Operation) -> Sequence[Value]:
    frame.threads.block_sizes(op)
    return [uniform(frame.threads.subgroups)]


def _one(frame: Frame, op: Operation) -> Sequence[Value]:
    """Of a cluster there is one workgroup: no Xe device has larger ones."""
    return [uniform(1)]


def _zero(frame: Frame, op: Operation) -> Sequence[Value]:
    return [uniform(0)]


def _barrier(frame: Frame, op: Operation) -> Sequence[Value]:
    check_whole_workgroups(frame, op)
    if frame.machine.sanitizer is not None:
        frame.machine.sanitizer.barrier(frame.active)
    return []


def check_whole_workgroups(frame: Frame, op: Operation) -> None:
    """Refuse an op that some threads of a workgroup reach and others do not, at this time."""
    threads = frame.threads
    broken = threads.broken_workgroup(frame.active)
    if broken is None:
        return
    workgroup, present = broken
    ids = np.unique(present // threads.lanes)
    kind = "lane" if len(ids) == threads.subgroups else "subgroup"
    found, count = (present, threads.per_workgroup) if kind == "lane" else (ids, threads.subgroups)
    missing = [n for n in range(count) if n not in set(found.tolist())]
    fail(
        op,
        f"'{op.name}' is reached by {len(found)} of the {count} {kind}s of workgroup {list(workgroup)}; "
        f"{kind}{'s' * (len(missing) > 1)} {_listed(missing)} {'is' if len(missing) == 1 else 'are'} missing",
    )


def _listed(numbers: Sequence[int], most: int = 16) -> str:
    """Numbers in a row, the last ones left out where they are many."""
    shown = ", ".join(map(str, numbers[:most]))
    return shown if len(numbers) <= most else f"{shown} and {len(numbers) - most} more"


def fence(frame: Frame, op: Operation) -> Sequence[Value]:
    """Nothing: in lockstep, every access is seen by the ops that follow."""
    return []


HANDLERS: Mapping[str, Handler] = {
    "gpu.block_id": _block_id,
    "gpu.thread_id": _thread_id,
    "gpu.global_id": _global_id,
    "gpu.block_dim": _block_dim,
    "gpu.cluster_id": _block_id,
    "gpu.cluster_dim": _grid_dim,
    "gpu.cluster_dim_blocks": _one,
    "gpu.cluster_block_id": _zero,
    "gpu.grid_dim": _grid_dim,
    "gpu.subgroup_id": _subgroup_id,
    "gpu.lane_id": _lane_id,
    "gpu.subgroup_size": _subgroup_size,
    "gpu.num_subgroups": _num_subgroups,
    "gpu.barrier": _barrier,
}
