"""The math dialect: functions of floats in the domain, and functions of integers."""

from collections.abc import Callable
from typing import cast

import numpy as np
from xdsl.ir import Operation

from xetile.interpreter.common.ieee import FUNCTIONS
from xetile.interpreter.common.scalars import fused
from xetile.interpreter.machine.elements import Element, signed, unsigned, wrap
from xetile.interpreter.machine.execution import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import element
from xetile.interpreter.machine.runtime_values import Values


def _float(frame: Frame, op: Operation) -> Values:
    of = element(op.results[0])
    return [frame.domain.function(op.name, frame.arrays(op.operands), of)]


def _absolute(frame: Frame, op: Operation) -> Values:
    (value,) = op.operands
    return [wrap(np.abs(signed(frame.array(value), element(value))), element(value))]


def _bits(count: Callable[[int, int], int]) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        (value,) = op.operands
        of = element(value)
        numbers = unsigned(frame.array(value), of)
        counts = [count(int(cast(int, number)), of.bits) for number in numbers.flat]
        return [wrap(np.array(counts, np.int64).reshape(numbers.shape), of)]

    return handler


def _trailing_zeros(number: int, bits: int) -> int:
    return bits if number == 0 else (number & -number).bit_length() - 1


def _integer_power(frame: Frame, op: Operation) -> Values:
    of = element(op.results[0])
    pairs = np.broadcast_arrays(*(signed(frame.array(v), element(v)) for v in op.operands))
    within = (1 << 64) - 1
    results = [
        _power(int(x), int(y), of) & within
        for x, y in zip(*(p.flat for p in pairs), strict=True)
    ]
    return [wrap(np.array(results, np.uint64).view(np.int64).reshape(pairs[0].shape), of)]


def _power(base: int, exponent: int, of: Element) -> int:
    if exponent >= 0:
        return pow(base, exponent, 1 << of.bits)
    return {1: 1, -1: 1 if exponent % 2 == 0 else -1}.get(base, 0)


HANDLERS: Handlers = {
    **dict.fromkeys(FUNCTIONS, _float),
    "math.absi": _absolute,
    "math.ctlz": _bits(lambda number, bits: bits - number.bit_length()),
    "math.ctpop": _bits(lambda number, _: number.bit_count()),
    "math.cttz": _bits(_trailing_zeros),
    "math.fma": fused,
    "math.ipowi": _integer_power,
}
