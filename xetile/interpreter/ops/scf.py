"""Structured control flow: once for all threads where they agree, else for those that go the same way."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np
from xdsl.ir import Block, Operation

from xetile.errors import fail
from xetile.interpreter.machine.blocks import run_region
from xetile.interpreter.machine.frame import (
    Frame,
    Handler,
    element,
    integers,
    number,
    segments,
    shape_of,
)
from xetile.interpreter.machine.values import Array, Value, merge, take


def _for(frame: Frame, op: Operation) -> Sequence[Value]:
    lower, upper, step = (number(frame, value) for value in op.operands[:3])
    _refuse_steps(op, [step])
    values = [frame.get(value) for value in op.operands[3:]]
    return loop(frame, op, (lower, upper, step), values, frame.array(op.operands[0]).dtype)


def loop(
    frame: Frame,
    op: Operation,
    bounds: tuple[Array, Array, Array],
    values: Sequence[Value],
    dtype: np.dtype[np.generic],
) -> Sequence[Value]:
    """Run the body of a loop for its induction variable from lower to upper by a positive step; the last values.

    `bounds` are those three, `values` the first ones, `dtype` what the variable is.
    """
    lower, upper, step = bounds
    trips = trip_count(lower, upper, step)
    body = op.regions[0].block
    least, most = int(trips.min()), int(trips.max())
    for trip in range(least):
        values = frame.run(body, [(lower + trip * step).astype(dtype), *values])
    for trip in range(least, most):
        index = np.flatnonzero(trips > trip)
        induction = take(np.broadcast_to(lower + trip * step, trips.shape), index).astype(dtype)
        values = _run_some(frame, body, index, [induction], values)
    return values


def trip_count(lower: Array, upper: Array, step: Array) -> Array:
    """How often a loop with a positive step runs."""
    return np.maximum(-((lower - upper) // step), 0)


def _run_some(
    frame: Frame, block: Block, index: Array, leading: Sequence[Value], values: Sequence[Value]
) -> list[Value]:
    """Run a block for some threads; the others keep their values."""
    inner = frame.of(index)
    results = inner.run(block, [*leading, *(take(value, index) for value in values)])
    return joined(frame, values, index, results)


def joined(
    frame: Frame, values: Sequence[Value], index: Array, changed: Sequence[Value]
) -> list[Value]:
    """Values of all threads, of which those of the threads `index` changed."""
    return [
        merge([(slice(None), old), (index, new)], frame.count)
        for old, new in zip(values, changed, strict=True)
    ]


def nest(
    frame: Frame,
    op: Operation,
    bounds: Sequence[tuple[Array, Array, Array]],
    values: Sequence[Value],
    combine: Callable[[Frame, Sequence[Value], Sequence[Value]], Sequence[Value]],
) -> Sequence[Value]:
    """Run the body of a nest of loops, the last one fastest; what `combine` makes of its values, one by one.

    `combine` gets the threads, the values so far and those that the body hands on.
    """
    body = op.regions[0].block
    trips = [trip_count(*bound) for bound in bounds]
    for round_ in np.ndindex(*(int(count.max()) for count in trips)):
        runs = [count > trip for count, trip in zip(trips, round_, strict=True)]
        everyone = np.ones(frame.count, np.bool)
        index = np.flatnonzero(reduce(np.logical_and, runs, everyone))
        inner = frame if len(index) == frame.count else frame.of(index)
        at = [
            take(lower + trip * step, index) if inner is not frame else lower + trip * step
            for (lower, _, step), trip in zip(bounds, round_, strict=True)
        ]
        if inner is frame:
            values = combine(frame, values, frame.run(body, at))
        elif len(index):
            before = [take(value, index) for value in values]
            after = combine(inner, before, inner.run(body, at))
            values = joined(frame, values, index, after)
    return values


def _parallel(frame: Frame, op: Operation) -> Sequence[Value]:
    """One round after the other, which is one of the orders that the op allows."""
    *parts, starts = segments(op)
    lower, upper, step = ([number(frame, value) for value in part] for part in parts)
    _refuse_steps(op, step)
    end = op.regions[0].block.last_op
    bodies = [region.block for region in end.regions] if end is not None else []

    def combine(inner: Frame, totals: Sequence[Value], values: Sequence[Value]) -> Sequence[Value]:
        return [
            inner.run(body, [total, value])[0]
            for body, total, value in zip(bodies, totals, values, strict=True)
        ]

    bounds = list(zip(lower, upper, step, strict=True))
    return nest(frame, op, bounds, [frame.get(value) for value in starts], combine)


def _refuse_steps(op: Operation, steps: Sequence[Array]) -> None:
    smallest = min((int(step.min()) for step in steps), default=1)
    if smallest <= 0:
        fail(op, f"the step of '{op.name}' is {smallest}; expected a positive one")


def _if(frame: Frame, op: Operation) -> Sequence[Value]:
    condition = frame.array(op.operands[0])
    blocks = [region.blocks[0] if region.blocks else None for region in op.regions]
    return branch(frame, [condition, ~condition], blocks)


def branch(
    frame: Frame, conditions: Sequence[Array], blocks: Sequence[Block | None]
) -> Sequence[Value]:
    """Run each block for the threads of its condition, of which each thread has one."""
    pieces: list[tuple[Array, list[Value]]] = []
    for condition, block in zip(conditions, blocks, strict=True):
        if condition.all():
            return [] if block is None else frame.run(block, [])
        if block is None or not condition.any():
            continue
        index = np.flatnonzero(condition)
        pieces.append((index, frame.of(index).run(block, [])))
    if not pieces or not pieces[0][1]:
        return []
    indices = [index for index, _ in pieces]
    columns = zip(*(results for _, results in pieces), strict=True)
    return [merge(list(zip(indices, column, strict=True)), frame.count) for column in columns]


def _while(frame: Frame, op: Operation) -> Sequence[Value]:
    before, after = (region.block for region in op.regions)
    values: list[Value] = [frame.get(value) for value in op.operands]
    running, inner = np.arange(frame.count), frame
    results: list[Value] = []
    while True:
        condition, *handed = inner.run(before, values)
        assert isinstance(condition, np.ndarray)
        results = handed if inner is frame else joined(frame, results, running, handed)
        if not condition.any():
            return results
        if not condition.all():
            some = np.flatnonzero(condition)
            running, inner = running[some], inner.of(some)
            handed = [take(value, some) for value in handed]
        values = inner.run(after, handed)


def _execute_region(frame: Frame, op: Operation) -> Sequence[Value]:
    return run_region(frame, op.regions[0], [])


def _index_switch(frame: Frame, op: Operation) -> Sequence[Value]:
    selector = number(frame, op.operands[0])
    conditions = [selector == case for case in integers(op, "cases")]
    default = ~np.logical_or.reduce([*conditions, np.zeros_like(selector, np.bool)])
    blocks = [region.block for region in op.regions]
    return branch(frame, [default, *conditions], blocks)


def _poison(frame: Frame, op: Operation) -> Sequence[Value]:
    """Any value will do: zero, so that all runs agree."""
    (result,) = op.results
    return [np.zeros((1, *shape_of(result)), element(result).dtype)]


def _unreachable(frame: Frame, op: Operation) -> Sequence[Value]:
    fail(op, "'ub.unreachable' is reached")


HANDLERS: Mapping[str, Handler] = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.parallel": _parallel,
    "scf.while": _while,
    "scf.execute_region": _execute_region,
    "scf.index_switch": _index_switch,
    "ub.poison": _poison,
    "ub.unreachable": _unreachable,
}
