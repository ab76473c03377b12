"""Loops on the host."""

from collections.abc import Mapping, Sequence
from itertools import product

from xdsl.ir import Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.frame import Frame, Handler, number, segments
from xetile.interpreter.values import Value, uniform


def _parallel(frame: Frame, op: Operation) -> Sequence[Value]:
    """One iteration after the other, the last dimension fastest; reductions in that order."""
    lower, upper, step, initial = segments(op)
    ranges = [_range(frame, op, bounds) for bounds in zip(lower, upper, step, strict=True)]
    body, totals = op.regions[0].block, [frame.get(value) for value in initial]
    for place in product(*ranges):
        values = frame.run(body, [uniform(position) for position in place])
        reduce = body.last_op
        assert reduce is not None
        totals = [
            frame.run(region.block, [total, value])[0]
            for region, total, value in zip(reduce.regions, totals, values, strict=True)
        ]
    return totals


def _range(frame: Frame, op: Operation, bounds: Sequence[SSAValue]) -> range:
    lower, upper, step = (int(number(frame, value)[0]) for value in bounds)
    if step <= 0:
        fail(op, f"a step of 'scf.parallel' is {step}; expected a positive one")
    return range(lower, upper, step)


HANDLERS: Mapping[str, Handler] = {"scf.parallel": _parallel}
