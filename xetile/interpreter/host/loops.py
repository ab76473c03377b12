"""Loops on the host: those that run long are compiled, the others are interpreted."""

import numpy as np
from xdsl.ir import Operation

from xetile.dialects.known_integers import known_integer
from xetile.interpreter.common.control import check_rounds, check_step
from xetile.interpreter.host.compiled import CompiledLoop, compile_loop
from xetile.interpreter.host.machine import host
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import number
from xetile.interpreter.machine.values import Values

WORTH_COMPILING = 5_000
"""Ops that the interpreter executes in about the time that compiling a loop takes."""

USUAL_TRIPS = 16
"""Iterations that an inner loop is taken to have where its bounds are not constants."""

MOST_HOST_ROUNDS = 1 << 40
"""Rounds that a loop makes with those around or inside of it, at most: minutes, at a nanosecond for each."""


class _Loop:
    """What is known of a loop `scf.for`: how many ops it has taken so far, and its machine code."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._work = _ops_in(op)
        self._rounds_inside = _rounds_in(op)
        self._spent = 0
        self._considered = False
        self._code: CompiledLoop | None = None

    def run(self, frame: Frame) -> Values:
        check_step(self.op, number(frame, self.op.operands[2]))
        lower, upper, step = (int(number(frame, value)[0]) for value in self.op.operands[:3])
        trips = max(-((lower - upper) // step), 0)
        self._check_rounds(frame, trips)
        start = [frame.get(value) for value in self.op.operands[3:]]
        self._consider(frame, trips)
        if self._code is not None:
            values = self._code.run(frame, trips, start)
            if values is not None:
                return values
        return self._interpret(frame, range(lower, lower + trips * step, step), start)

    def _check_rounds(self, frame: Frame, trips: int) -> None:
        around = host(frame).rounds
        where = "" if around == 1 else " with the loops around it"
        check_rounds(self.op, trips * around, MOST_HOST_ROUNDS, where)
        inside = trips * self._rounds_inside
        check_rounds(self.op, inside, MOST_HOST_ROUNDS, " with the loops inside of it")

    def _consider(self, frame: Frame, trips: int) -> None:
        """Compile the loop as soon as it has taken, or will take, long enough; once."""
        if self._considered:
            return
        self._spent += trips * self._work
        self._considered = self._spent >= WORTH_COMPILING
        if self._considered:
            self._code = compile_loop(frame, self.op)

    def _interpret(self, frame: Frame, positions: range, values: Values) -> Values:
        body, dtype = self.op.regions[0].block, frame.array(self.op.operands[0]).dtype
        with host(frame).steps(len(positions)) as report:
            for done, position in enumerate(positions):
                values = frame.run(
                    body, [np.array([position], np.int64).astype(dtype), *values]
                )
                report(done + 1)
        return values


def _ops_in(op: Operation) -> int:
    inner = (op for region in op.regions for block in region.blocks for op in block.ops)
    return sum(1 + (_trips(op) if op.name == "scf.for" else 1) * _ops_in(op) for op in inner)


def _rounds_in(op: Operation) -> int:
    """Rounds of the loops inside of each round, as far as they are constant; at least 1."""
    loops = [inner for inner in op.regions[0].block.ops if inner.name == "scf.for"]
    return max(
        (max(_constant_trips(inner) or 1, 1) * _rounds_in(inner) for inner in loops), default=1
    )


def _trips(op: Operation) -> int:
    trips = _constant_trips(op)
    return USUAL_TRIPS if trips is None else trips


def _constant_trips(op: Operation) -> int | None:
    lower, upper, step = (known_integer(value) for value in op.operands[:3])
    if lower is None or upper is None or step is None or step <= 0:
        return None
    return max(-((lower - upper) // step), 0)


def _for(frame: Frame, op: Operation) -> Values:
    return host(frame).keep((op, "loop"), lambda: _Loop(op)).run(frame)


HANDLERS: Handlers = {"scf.for": _for}
