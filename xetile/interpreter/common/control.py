"""Control flow: once for all threads where they agree, else for those that go the same way."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from xdsl.ir import Block, Operation

from xetile.errors import fail
from xetile.interpreter.machine.frame import Frame
from xetile.interpreter.machine.values import Array, Value, Values, merge, take

Bounds = tuple[Array, Array, Array]
"""Where a loop begins and ends, and its positive step."""

Round = Callable[[Frame, Sequence[Array], Values], Values]
"""What one round makes of the values so far, for the threads of a frame and their induction variables."""


def loop(frame: Frame, bounds: Sequence[Bounds], values: Values, run: Round) -> Values:
    """Run the rounds of a nest of loops, the last one fastest; the last values."""
    trips = [np.maximum(-((lower - upper) // step), 0) for lower, upper, step in bounds]
    together = all((count == count[0]).all() for count in trips)
    everyone = np.ones(frame.count, np.bool)
    for number in np.ndindex(*(int(count.max()) for count in trips)):
        at = [lower + n * step for (lower, _, step), n in zip(bounds, number, strict=True)]
        if together:
            values = run(frame, at, values)
            continue
        runs = [count > n for count, n in zip(trips, number, strict=True)]
        index = np.flatnonzero(reduce(np.logical_and, runs, everyone))
        if len(index) == frame.count:
            values = run(frame, at, values)
        elif len(index):
            mine, before = (
                [take(n, index) for n in at],
                [take(value, index) for value in values],
            )
            values = joined(frame, values, index, run(frame.of(index), mine, before))
    return values


def check_step(op: Operation, step: Array) -> None:
    """Refuse a loop whose step is not positive."""
    if (smallest := int(step.min())) <= 0:
        fail(op, f"the step of '{op.name}' is {smallest}; expected a positive one")


def joined(frame: Frame, values: Values, index: Array, changed: Values) -> list[Value]:
    """Values of all threads, of which those of the threads `index` changed."""
    return [
        merge([(slice(None), old), (index, new)], frame.count)
        for old, new in zip(values, changed, strict=True)
    ]


def branch(
    frame: Frame, conditions: Sequence[Array], blocks: Sequence[Block | None]
) -> Values:
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
