"""The scf dialect, and the ub dialect."""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.common.divergence import branch, check_step, joined, loop
from xetile.interpreter.machine.branches import run_region
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import (
    all_numbers,
    element,
    integers,
    number,
    segments,
    shape_of,
)
from xetile.interpreter.machine.runtime_values import Array, Value, Values, take


def _for(frame: Frame, op: Operation) -> Values:
    lower, upper, step = (number(frame, value) for value in op.operands[:3])
    check_step(op, step)
    body, dtype = op.regions[0].block, frame.first(op).dtype
    return loop(
        frame,
        op,
        [(lower, upper, step)],
        [frame.get(value) for value in op.operands[3:]],
        lambda inner, at, values: inner.run(body, [at[0].astype(dtype), *values]),
    )


def _parallel(frame: Frame, op: Operation) -> Values:
    """Execute one round after the other, which is one of the orders that the op allows."""
    *parts, starts = segments(op)
    lower, upper, step = (all_numbers(frame, part) for part in parts)
    for one in step:
        check_step(op, one)
    end = op.regions[0].block.last_op
    bodies = [region.block for region in end.regions] if end is not None else []

    def run(inner: Frame, at: Sequence[Array], totals: Values) -> Values:
        values = inner.run(op.regions[0].block, at)
        return [
            inner.run(body, [total, value])[0]
            for body, total, value in zip(bodies, totals, values, strict=True)
        ]

    bounds = list(zip(lower, upper, step, strict=True))
    return loop(frame, op, bounds, [frame.get(value) for value in starts], run)


def _if(frame: Frame, op: Operation) -> Values:
    condition = frame.first(op)
    blocks = [region.blocks[0] if region.blocks else None for region in op.regions]
    return branch(frame, [condition, ~condition], blocks)


def _while(frame: Frame, op: Operation) -> Values:
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


def _execute_region(frame: Frame, op: Operation) -> Values:
    return run_region(frame, op.regions[0], [])


def _index_switch(frame: Frame, op: Operation) -> Values:
    selector = number(frame, op.operands[0])
    conditions = [selector == case for case in integers(op, "cases")]
    default = ~np.logical_or.reduce([*conditions, np.zeros_like(selector, np.bool)])
    blocks = [region.block for region in op.regions]
    return branch(frame, [default, *conditions], blocks)


def _poison(frame: Frame, op: Operation) -> Values:
    """Return zeros, so that all runs agree; any value is legal."""
    (result,) = op.results
    return [np.zeros((1, *shape_of(result)), frame.domain.dtype(element(result)))]


def _unreachable(frame: Frame, op: Operation) -> Values:
    fail(op, "'ub.unreachable' is reached")


HANDLERS: Handlers = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.parallel": _parallel,
    "scf.while": _while,
    "scf.execute_region": _execute_region,
    "scf.index_switch": _index_switch,
    "ub.poison": _poison,
    "ub.unreachable": _unreachable,
}
