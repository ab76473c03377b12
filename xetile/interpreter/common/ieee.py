"""The usual domain: IEEE floats in their own types, one rounding per op.

bf16, fp8 and f16 are computed in f32 and rounded, which equals rounding once; functions in f64 and rounded, so
that all levels and machines agree.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.common.products import multiply_accumulate
from xetile.interpreter.machine.domain import Domain
from xetile.interpreter.machine.elements import (
    BYTE,
    EXACT_INTEGERS,
    NATIVE_FLOATS,
    Element,
    cut_tf32,
    packed,
    round_tf32,
    round_to,
    sum_to_odd,
    unpacked,
    wrap,
)
from xetile.interpreter.machine.runtime_values import Array
from xetile.interpreter.machine.storage import Storage

Binary = Callable[[Array, Array], Array]
Function = Callable[..., Array]

SPARE_BITS = 11
"""Bits of a 64-bit integer beyond the precision of f64."""


def _smaller(x: Array, y: Array) -> Array:
    """Return the smaller one; NaN if one is NaN, and of zeros the negative one."""
    return np.where(x == y, np.where(np.signbit(x), x, y), np.minimum(x, y))


def _larger(x: Array, y: Array) -> Array:
    return np.where(x == y, np.where(np.signbit(x), y, x), np.maximum(x, y))


def _number(choose: Binary) -> Binary:
    """Return the choice as a function that ignores a NaN; of zeros it decides by the sign, which numpy leaves open."""
    return lambda x, y: np.where(np.isnan(x), y, np.where(np.isnan(y), x, choose(x, y)))


FLOATS: Mapping[str, Binary] = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "remf": np.fmod,
    "minimumf": _smaller,
    "maximumf": _larger,
    "minnumf": _number(_smaller),
    "maxnumf": _number(_larger),
}
"""Functions of floats. bf16, fp8 and f16 are computed in f32 and rounded, which equals rounding once."""


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
    "math.fpowi": np.power,
    "math.powf": np.power,
    "math.round": _away_from_zero,
    "math.roundeven": np.rint,
    "math.rsqrt": _reciprocal_root,
}
"""Functions of one or two floats; the exponent of fpowi is an integer."""


class Ieee(Domain):
    """Floats as in hardware."""

    storage = Storage()

    def dtype(self, of: Element) -> np.dtype[np.generic]:
        return of.dtype

    def floats(self, values: Array, of: Element) -> Array:
        return round_to(values, of)

    def binary(self, name: str, x: Array, y: Array, of: Element) -> Array | None:
        function = FLOATS.get(name)
        if function is None:
            return None
        result = function(x, y)
        return round_tf32(result) if of.name == "tf32" else result

    def negated(self, x: Array) -> Array:
        return np.negative(x)

    def compared(self, x: Array, y: Array, wanted: str) -> Array:
        result = ordered(x, y, wanted)
        return result | np.isnan(x) | np.isnan(y) if "u" in wanted else result

    def resized(self, x: Array, to: Element) -> Array:
        return round_to(x, to)

    def from_integers(self, x: Array, to: Element) -> Array:
        if to.dtype in NATIVE_FLOATS and to.name != "tf32":
            return x.astype(to.dtype)
        return round_to(_odd(x).astype(np.float64), to)

    def to_integers(self, x: Array, to: Element, *, unsigned: bool) -> Array:
        """Return integers; values out of range become the nearest integer, and NaN zero, as in hardware."""
        whole = np.nan_to_num(np.trunc(x.astype(np.float64)), posinf=np.inf, neginf=-np.inf)
        low, high = (
            (0, (1 << to.bits) - 1)
            if unsigned
            else (-(1 << to.bits - 1), (1 << to.bits - 1) - 1)
        )
        held = np.uint64 if unsigned else np.int64
        # The number above the largest is a power of two, which f64
        # represents; it may not represent the largest one.
        over, under = whole >= float(high + 1), whole <= float(low)
        inside = np.where(over | under, 0.0, whole).astype(held)
        numbers = np.where(over, held(high), np.where(under, held(low), inside))
        return wrap(numbers.view(np.int64), to)

    def function(self, name: str, arguments: Sequence[Array], of: Element) -> Array:
        wide = [np.ascontiguousarray(x.astype(np.float64)) for x in arguments]
        return round_to(FUNCTIONS[name](*wide), of)

    def fused(self, at: Operation, x: Array, y: Array, z: Array, of: Element) -> Array:
        if of.dtype == np.float64:
            fail(
                at,
                f"cannot execute '{at.name}' on f64: numpy has no sum of a product that rounds once",
            )
        x, y, z = (value.astype(np.float64) for value in (x, y, z))
        return round_to(sum_to_odd(x * y, z), of)

    def operand(self, values: Array, of: Element) -> Array:
        """Truncate a register word of tf32: it has the 32 bits of memory, of which the upper 19 are used."""
        return cut_tf32(values) if of.name == "tf32" else values

    def product(self, a: Array, b: Array, c: Array | None, accumulator: Element) -> Array:
        return multiply_accumulate(a, b, c, accumulator)

    def reinterpreted(
        self, at: Operation, values: Array, before: Element, to: Element
    ) -> Array:
        if before.name == to.name:
            return values
        if before.per_byte > 1:
            values = packed(values)
        if to.per_byte > 1:
            return unpacked(np.ascontiguousarray(values).view(BYTE.dtype), to)
        if values.dtype == to.dtype:
            return values
        if (
            values.dtype == np.bool
            or to.dtype == np.bool
            or (to.bits % 8 and to.name != "tf32")
        ):
            fail(at, f"cannot execute '{at.name}' to {to.name}")
        return np.ascontiguousarray(values).view(to.dtype)


IEEE = Ieee()


def ordered(x: Array, y: Array, wanted: str) -> Array:
    """Return where x is greater than, equal to or less than y, for the letters (g, e, l) in `wanted`."""
    result = np.zeros(np.broadcast_shapes(x.shape, y.shape), np.bool)
    for word, compare in (("g", np.greater), ("e", np.equal), ("l", np.less)):
        if word in wanted:
            result |= compare(x, y)
    return result


def _odd(numbers: Array) -> Array:
    """Round 64-bit integers to odd in the precision of f64, by or-ing the dropped bits into the bit above them."""
    spare = numbers.dtype.type((1 << SPARE_BITS) - 1)
    last = numbers.dtype.type(1 << SPARE_BITS)
    cut = (numbers & ~spare) | np.where(numbers & spare != 0, last, 0).astype(numbers.dtype)
    return np.where(_magnitude(numbers) < EXACT_INTEGERS, numbers, cut)


def _magnitude(numbers: Array) -> Array:
    return numbers if numbers.dtype == np.uint64 else np.abs(numbers.astype(np.float64))
