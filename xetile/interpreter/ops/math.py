"""The math dialect: computed in f64 and rounded once, so that all levels and machines agree."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Operation

from xetile.interpreter.common.scalars import fused
from xetile.interpreter.machine.elements import Element, round_to, signed, unsigned, wrap
from xetile.interpreter.machine.frame import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import element
from xetile.interpreter.machine.values import Array, Values

Function = Callable[..., Array]


def _by_element(function: Callable[..., float]) -> Function:
    def apply(*values: Array) -> Array:
        arrays = np.broadcast_arrays(*values)
        results = [
            _value(function, arguments)
            for arguments in zip(*(a.flat for a in arrays), strict=True)
        ]
        return np.array(results, np.float64).reshape(arrays[0].shape)

    return apply


def _value(function: Callable[..., float], arguments: Sequence[object]) -> float:
    try:
        return function(*arguments)
    except ValueError:
        return math.nan
    except OverflowError:
        return math.inf


def _reciprocal_root(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def _away_from_zero(x: Array) -> Array:
    whole = np.trunc(x)
    away = whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0)
    return np.copysign(away, x)


_AS_IN_NUMPY = (
    *(
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cos",
        "cosh",
        "sin",
        "sinh",
    ),
    *("tan", "tanh", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "sqrt", "cbrt"),
    *("ceil", "floor", "trunc", "copysign"),
)

FUNCTIONS: Mapping[str, Function] = {
    **{f"math.{name}": cast(Function, getattr(np, name)) for name in _AS_IN_NUMPY},
    "math.absf": np.abs,
    "math.erf": _by_element(math.erf),
    "math.powf": np.power,
    "math.round": _away_from_zero,
    "math.roundeven": np.rint,
    "math.rsqrt": _reciprocal_root,
}
"""Functions of one or two floats."""


def _float(function: Function) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        of = element(op.results[0])
        wide = [np.ascontiguousarray(v.astype(np.float64)) for v in frame.arrays(op.operands)]
        return [round_to(function(*wide), of)]

    return handler


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
    **{name: _float(function) for name, function in FUNCTIONS.items()},
    "math.absi": _absolute,
    "math.ctlz": _bits(lambda number, bits: bits - number.bit_length()),
    "math.ctpop": _bits(lambda number, _: number.bit_count()),
    "math.cttz": _bits(_trailing_zeros),
    "math.fma": fused,
    "math.fpowi": _float(np.power),
    "math.ipowi": _integer_power,
}
