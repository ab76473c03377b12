"""Collective ops of a subgroup's or workgroup's lanes.

Upstream does not define the order in which lanes are reduced. Here it is the order of any other reduction, on
elements numbered as the lanes. A user's own region combines them in ascending order.
"""

import numpy as np
from xdsl.ir import Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.common.accesses import first_outside
from xetile.interpreter.common.folds import fold, kind_of
from xetile.interpreter.common.threads import (
    check_lane_level,
    check_lanes,
    check_whole_workgroups,
)
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import attribute, element, integer, number
from xetile.interpreter.machine.runtime_values import Array, Value, Values


def _by_subgroup(frame: Frame, op: Operation, value: SSAValue) -> Array:
    """Return a value of all lanes: [subgroups, lanes, *shape]."""
    check_lanes(frame, op)
    found = frame.array(value)
    spread = np.broadcast_to(found, (frame.count, *found.shape[1:]))
    return spread.reshape(-1, frame.threads.subgroup_size, *found.shape[1:])


def _moved(values: Array, source: Array) -> Array:
    """Return each lane's value from the lane `source`, [subgroups, lanes]; by thread."""
    rows = np.arange(len(values))[:, None]
    picked = values[rows, source]
    return picked.reshape(-1, *values.shape[2:])


def _shuffle(frame: Frame, op: Operation) -> Values:
    value, offset, width = op.operands
    values = _by_subgroup(frame, op, value)
    shape = values.shape[:2]
    steps, group = (
        np.broadcast_to(number(frame, v), frame.count).reshape(shape) for v in (offset, width)
    )
    size = frame.threads.subgroup_size
    if (wrong := first_outside(group, 1, size + 1)) is not None:
        fail(op, f"'width' is {wrong}; expected 1 to {size}, the subgroup's lanes")
    lanes = np.broadcast_to(np.arange(size), shape)
    first = lanes // group * group
    modes = {
        "xor": lanes ^ steps,
        "up": lanes - steps,
        "down": lanes + steps,
        "idx": first + steps,
    }
    source = modes[str(attribute(op, "mode")).rpartition(" ")[2].rstrip(">")]
    valid = (source >= first) & (source < first + group)
    return [_moved(values, np.where(valid, source, lanes)), valid.reshape(-1)]


def _rotate(frame: Frame, op: Operation) -> Values:
    values = _by_subgroup(frame, op, op.operands[0])
    width, offset = integer(op, "width"), integer(op, "offset")
    lanes = np.broadcast_to(np.arange(frame.threads.subgroup_size), values.shape[:2])
    source = lanes // width * width + (lanes % width + offset) % width
    valid = np.ones(frame.count, np.bool)
    return [_moved(values, source), valid]


def _subgroup_broadcast(frame: Frame, op: Operation) -> Values:
    value, *lane = op.operands
    values = _by_subgroup(frame, op, value)
    wanted = number(frame, lane[0]) if lane else np.zeros(1, np.int64)
    source = np.broadcast_to(wanted, frame.count).reshape(values.shape[:2])
    if (source != source[:, :1]).any():
        fail(op, "'lane' differs between the lanes of a subgroup")
    lanes = frame.threads.subgroup_size
    if (wrong := first_outside(source, 0, lanes)) is not None:
        fail(op, f"'lane' is {wrong}; expected 0 to {lanes - 1}")
    return [_moved(values, source)]


def _subgroup_reduce(frame: Frame, op: Operation) -> Values:
    values = _by_subgroup(frame, op, op.operands[0])
    lanes = frame.threads.subgroup_size
    size = integer(op, "cluster_size", lanes)
    stride = integer(op, "cluster_stride", 1)
    if size * stride > lanes:
        fail(op, f"clusters of {size} lanes, {stride} apart, in a subgroup of {lanes}")
    # the lane number is outer * (size * stride) + position in the cluster * stride + inner
    shape = values.shape[2:]
    cut = values.reshape(-1, lanes // (size * stride), size, stride, *shape)
    results = _reduced(frame, op, cut, 1)
    spread = np.repeat(results[:, :, None], size, axis=2)
    return [spread.reshape(-1, *shape)]


def _all_reduce(frame: Frame, op: Operation) -> Values:
    values = frame.first(op)
    check_lane_level(frame, op)
    check_whole_workgroups(frame, op)
    lanes = frame.threads.per_workgroup
    spread = np.broadcast_to(values, (frame.count, *values.shape[1:]))
    rows = spread.reshape(-1, lanes, *values.shape[1:])
    if attribute(op, "op") is not None:
        return [np.repeat(_reduced(frame, op, rows, 0), lanes, axis=0)]
    inner = Frame(frame.machine, frame.active[::lanes])
    total: Value = rows[:, 0]
    for lane in range(1, lanes):
        (total,) = inner.run(op.regions[0].block, [total, rows[:, lane]])
    assert isinstance(total, np.ndarray)
    return [np.repeat(np.broadcast_to(total, len(rows)), lanes, axis=0)]


def _reduced(frame: Frame, op: Operation, values: Array, dimension: int) -> Array:
    """Reduce a dimension of the values, counted from the one after the first."""
    of = element(op.results[0])
    return fold(op, kind_of(op, "op"), values, [[dimension]], of, frame.domain)


HANDLERS: Handlers = {
    "gpu.shuffle": _shuffle,
    "gpu.rotate": _rotate,
    "gpu.subgroup_broadcast": _subgroup_broadcast,
    "gpu.subgroup_reduce": _subgroup_reduce,
    "gpu.all_reduce": _all_reduce,
}
