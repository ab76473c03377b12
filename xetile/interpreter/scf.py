"""Structured control flow: once for all threads where they agree, else for those that go the same way."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Block, Operation

from xetile.errors import fail
from xetile.interpreter.frame import Frame, Handler, element, integers, number, shape_of
from xetile.interpreter.values import Array, Value, merge, take


def _for(frame: Frame, op: Operation) -> Sequence[Value]:
    lower, upper, step = (number(frame, value) for value in op.operands[:3])
    if (step <= 0).any():
        fail(op, f"the step of 'scf.for' is {int(step.min())}; expected a positive one")
    trips = np.maximum(-((lower - upper) // step), 0)
    dtype = frame.array(op.operands[0]).dtype
    body = op.regions[0].block
    values = [frame.get(value) for value in op.operands[3:]]
    least, most = int(trips.min()), int(trips.max())
    for trip in range(least):
        values = frame.run(body, [(lower + trip * step).astype(dtype), *values])
    for trip in range(least, most):
        index = np.flatnonzero(trips > trip)
        induction = take(np.broadcast_to(lower + trip * step, trips.shape), index).astype(dtype)
        values = _run_some(frame, body, index, [induction], values)
    return values


def _run_some(
    frame: Frame, block: Block, index: Array, leading: Sequence[Value], values: Sequence[Value]
) -> list[Value]:
    """Run a block for some threads; the others keep their values."""
    inner = frame.of(index)
    results = inner.run(block, [*leading, *(take(value, index) for value in values)])
    return [
        merge([(slice(None), old), (index, new)], frame.count)
        for old, new in zip(values, results, strict=True)
    ]


def _if(frame: Frame, op: Operation) -> Sequence[Value]:
    condition = frame.array(op.operands[0])
    blocks = [region.blocks[0] if region.blocks else None for region in op.regions]
    return _branch(frame, [condition, ~condition], blocks)


def _branch(
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
        if inner is frame:
            results = handed
        else:
            pairs = zip(results, handed, strict=True)
            results = [
                merge([(slice(None), old), (running, new)], frame.count) for old, new in pairs
            ]
        if not condition.any():
            return results
        if not condition.all():
            some = np.flatnonzero(condition)
            running, inner = running[some], inner.of(some)
            handed = [take(value, some) for value in handed]
        values = inner.run(after, handed)


def _execute_region(frame: Frame, op: Operation) -> Sequence[Value]:
    return frame.run(op.regions[0].block, [])


def _index_switch(frame: Frame, op: Operation) -> Sequence[Value]:
    selector = number(frame, op.operands[0])
    conditions = [selector == case for case in integers(op, "cases")]
    default = ~np.logical_or.reduce([*conditions, np.zeros_like(selector, np.bool)])
    blocks = [region.block for region in op.regions]
    return _branch(frame, [default, *conditions], blocks)


def _poison(frame: Frame, op: Operation) -> Sequence[Value]:
    """Any value will do: zero, so that all runs agree."""
    (result,) = op.results
    return [np.zeros((1, *shape_of(result)), element(result).dtype)]


HANDLERS: Mapping[str, Handler] = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "scf.execute_region": _execute_region,
    "scf.index_switch": _index_switch,
    "ub.poison": _poison,
}
