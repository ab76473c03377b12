"""The gpu dialect: ids of threads, and collective ops."""

from xdsl.ir import Operation

from xetile.analysis.lanes import axis_of
from xetile.dialects.upstream.spirv import ControlBarrierOp
from xetile.interpreter.common.threads import (
    always,
    barrier,
    by_axis,
    check_lanes,
    lane_id,
    subgroup_id,
)
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.runtime_values import Values, uniform


def _global_id(frame: Frame, op: Operation) -> Values:
    axis = axis_of(op)
    size = frame.threads.block_sizes(op)["xyz".index(axis)]
    first = frame.threads.block_id(frame.active, axis) * size
    return [first + frame.threads.thread_id(frame.active, axis, op)]


def _subgroup_size(frame: Frame, op: Operation) -> Values:
    return [uniform(frame.threads.subgroup_size)]


def _num_subgroups(frame: Frame, op: Operation) -> Values:
    frame.threads.block_sizes(op)
    return [uniform(frame.threads.subgroups)]


def _control_barrier(frame: Frame, op: Operation) -> Values:
    """Execute a barrier; lanes of a subgroup are in lockstep, so all of them only have to reach it."""
    assert isinstance(op, ControlBarrierOp)
    if not op.is_of_subgroup:
        return barrier(frame, op)
    check_lanes(frame, op)
    return []


HANDLERS: Handlers = {
    "gpu.block_id": by_axis("block_id", axis_of),
    "gpu.thread_id": by_axis("thread_id", axis_of),
    "gpu.global_id": _global_id,
    "gpu.block_dim": by_axis("block_dim", axis_of),
    "gpu.cluster_id": by_axis("block_id", axis_of),
    "gpu.cluster_dim": by_axis("grid_dim", axis_of),
    # A cluster has one workgroup: no Xe device has larger ones.
    "gpu.cluster_dim_blocks": always(1),
    "gpu.cluster_block_id": always(0),
    "gpu.grid_dim": by_axis("grid_dim", axis_of),
    "gpu.subgroup_id": subgroup_id,
    "gpu.lane_id": lane_id,
    "gpu.subgroup_size": _subgroup_size,
    "gpu.num_subgroups": _num_subgroups,
    "gpu.barrier": barrier,
    "spirv.ControlBarrier": _control_barrier,
}
