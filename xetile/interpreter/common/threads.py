"""The ids of threads, and the ops that threads must reach together."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.ir import Operation

from xetile.analysis.lanes import Axis
from xetile.errors import fail
from xetile.interpreter.machine.execution import Frame, Handler
from xetile.interpreter.machine.reading import element
from xetile.interpreter.machine.runtime_values import Array, Values, uniform

_BY_AXIS: Mapping[str, Callable[[Frame, Operation, Axis], Array]] = {
    "block_id": lambda frame, _, axis: frame.threads.block_id(frame.active, axis),
    "thread_id": lambda frame, op, axis: frame.threads.thread_id(frame.active, axis, op),
    "block_dim": lambda frame, op, axis: _along(frame.threads.block_sizes(op), axis),
    "grid_dim": lambda frame, _, axis: _along(frame.threads.grid, axis),
}


def _along(sizes: Sequence[int], axis: Axis) -> Array:
    return uniform(sizes["xyz".index(axis)])


def by_axis(name: str, axis_of: Callable[[Operation], Axis]) -> Handler:
    """Return the handler of an id or size by axis, under the gpu dialect's name; the result has the op's type."""
    ask = _BY_AXIS[name]

    return lambda frame, op: _typed(op, ask(frame, op, axis_of(op)))


def _typed(op: Operation, found: Array) -> Values:
    return [found.astype(element(op.results[0]).dtype, copy=False)]


def subgroup_id(frame: Frame, op: Operation) -> Values:
    """Return the number of a thread's subgroup in its workgroup."""
    return _typed(op, frame.threads.subgroup(frame.active, op))


def lane_id(frame: Frame, op: Operation) -> Values:
    """Return the number of a lane in its subgroup."""
    return _typed(op, frame.threads.lane(frame.active, op))


def always(number: int) -> Handler:
    """Return a handler whose result is a constant."""
    return lambda frame, op: _typed(op, uniform(number))


def check_lane_level(frame: Frame, op: Operation) -> None:
    """Raise if an op of lanes is executed at another level."""
    if frame.threads.level != "lane":
        fail(
            op, f"'{op.name}' in a kernel of level {frame.threads.level}; expected level lane"
        )


def check_lanes(frame: Frame, op: Operation) -> None:
    """Raise if an op of lanes is executed at another level, or reached by only some lanes of a subgroup."""
    check_lane_level(frame, op)
    if not frame.threads.whole_subgroups(frame.active):
        fail(op, f"'{op.name}' is reached by some lanes of a subgroup only")


def barrier(frame: Frame, op: Operation) -> Values:
    """Execute a barrier of the threads of a workgroup."""
    check_whole_workgroups(frame, op)
    frame.machine.observer.barrier(op, frame.active)
    return []


def check_whole_workgroups(frame: Frame, op: Operation) -> None:
    """Raise if some threads of a workgroup reach an op and others do not, at this time."""
    threads = frame.threads
    broken = threads.broken_workgroup(frame.active)
    if broken is None:
        return
    workgroup, present = broken
    ids = np.unique(present // threads.lanes)
    kind = "lane" if len(ids) == threads.subgroups else "subgroup"
    found, count = (
        (present, threads.per_workgroup) if kind == "lane" else (ids, threads.subgroups)
    )
    missing = [n for n in range(count) if n not in set(found.tolist())]
    fail(
        op,
        f"'{op.name}' is reached by {len(found)} of the {count} {kind}s of workgroup {list(workgroup)}; "
        f"{kind}{'s' * (len(missing) > 1)} {_listed(missing)} {'is' if len(missing) == 1 else 'are'} missing",
    )


def _listed(numbers: Sequence[int], most: int = 16) -> str:
    shown = ", ".join(map(str, numbers[:most]))
    return shown if len(numbers) <= most else f"{shown} and {len(numbers) - most} more"
