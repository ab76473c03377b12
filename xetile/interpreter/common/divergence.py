"""Control flow: executed once for all threads if they agree, else for each group of threads that agree."""

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod

import numpy as np
from xdsl.ir import Block, Operation

from xetile.errors import fail
from xetile.interpreter.machine.execution import Frame
from xetile.interpreter.machine.runtime_values import Array, Value, Values, merge, take

Bounds = tuple[Array, Array, Array]
"""The lower and upper bound of a loop, and its positive step."""

Round = Callable[[Frame, Sequence[Array], Values], Values]
"""Executes one round for the threads of a frame, from their induction variables and the carried values."""


MOST_ROUNDS = 1 << 32
"""The most rounds of a loop times those of the loops around it: hours, at a microsecond for each."""


def loop(
    frame: Frame, op: Operation, bounds: Sequence[Bounds], values: Values, run: Round
) -> Values:
    """Run the rounds of a nest of loops, the last one fastest, and return the last values."""
    machine, around = frame.machine, frame.machine.rounds
    rounds = prod(_most_trips(*bound) for bound in bounds)
    where = "" if around == 1 else " with the loops around it"
    check_rounds(op, around * rounds, MOST_ROUNDS, where)
    machine.rounds = around * max(rounds, 1)
    try:
        return _run_rounds(frame, bounds, values, run)
    finally:
        machine.rounds = around


def _most_trips(lower: Array, upper: Array, step: Array) -> int:
    """Return the trip count of the thread that makes the most rounds, also if it exceeds i64."""
    ends = np.broadcast_arrays(lower, upper, step)
    most = np.argmax((ends[1].astype(np.float64) - ends[0]) / ends[2])
    first, last, by = (int(end[most]) for end in ends)
    return max(-((first - last) // by), 0)


def check_rounds(op: Operation, rounds: int, most: int, where: str = "") -> None:
    """Raise for a loop that would not end in reasonable time; `where` says what else is counted."""
    if rounds > most:
        fail(op, f"the loop makes {rounds:,} rounds{where}; at most {most:,} are executed")


def _run_rounds(frame: Frame, bounds: Sequence[Bounds], values: Values, run: Round) -> Values:
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
    """Raise for a loop whose step is not positive."""
    if (smallest := int(step.min())) <= 0:
        fail(op, f"the step of '{op.name}' is {smallest}; expected a positive one")


def joined(frame: Frame, values: Values, index: Array, changed: Values) -> list[Value]:
    """Return the values of all threads, after those of the threads `index` changed."""
    return [
        merge([(slice(None), old), (index, new)], frame.count)
        for old, new in zip(values, changed, strict=True)
    ]


def branch(
    frame: Frame, conditions: Sequence[Array], blocks: Sequence[Block | None]
) -> Values:
    """Run each block for the threads of its condition; each thread has exactly one."""
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
