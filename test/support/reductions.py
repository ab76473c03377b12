"""The order of every reduction, transcribed from the page, without the project's code."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeVar

import ml_dtypes
import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
_T = TypeVar("_T")

ROUNDOFF = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24}


def halved(items: Sequence[_T], combine: Callable[[_T, _T], _T]) -> _T:
    """h is the largest power of two below n; what lies h apart is combined, and what is alone stays."""
    n = len(items)
    if n == 1:
        return items[0]
    h = 1
    while 2 * h < n:
        h *= 2
    left = [combine(items[i], items[i + h]) if i + h < n else items[i] for i in range(h)]
    return halved(left, combine)


def reduced(kind: str, values: Array, dimensions: Sequence[int]) -> Array:
    """Some dimensions of an array, ascending, each wholly; they stay as 1."""
    for dimension in sorted(dimensions):
        slices = [values.take([i], dimension) for i in range(values.shape[dimension])]
        values = halved(slices, KINDS[kind])
    return values


def _rounded(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operation on numbers of one type, rounded to it or wrapped around."""

    def apply(x: Any, y: Any) -> Any:
        kind = numpy.float64 if x.dtype.kind in "fV" else numpy.int64
        with numpy.errstate(all="ignore"):
            wide = operation(x.astype(kind), y.astype(kind))
            if kind is numpy.float64 and x.dtype == ml_dtypes.bfloat16:
                # numpy has no rounding of bf16 from f64; of sums and products f32 is as good
                wide = wide.astype(numpy.float32)
            return wide.astype(x.dtype)

    return apply


def _unsigned(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(x: Any, y: Any) -> Any:
        kind = numpy.dtype(f"u{x.dtype.name}")
        return operation(x.view(kind), y.view(kind)).view(x.dtype)

    return apply


def _extreme(*, largest: bool, number: bool) -> Callable[[Any, Any], Any]:
    """The larger or smaller one; -0.0 is below +0.0. NaN wins, or loses against a `number`."""

    def apply(x: Any, y: Any) -> Any:
        with numpy.errstate(invalid="ignore"):
            below = (x < y) | ((x == y) & numpy.signbit(x) & ~numpy.signbit(y))
        chosen: Array = numpy.array(x)
        chosen[below == largest] = y[below == largest]
        for nan in (x != x, y != y):
            chosen[nan] = numpy.nan
        if number:
            chosen[x != x], chosen[y != y] = y[x != x], x[y != y]
        return chosen

    return apply


FLOAT_KINDS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
INTEGER_KINDS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")

KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "add": _rounded(lambda x, y: x + y),
    "mul": _rounded(lambda x, y: x * y),
    "minnumf": _extreme(largest=False, number=True),
    "maxnumf": _extreme(largest=True, number=True),
    "minimumf": _extreme(largest=False, number=False),
    "maximumf": _extreme(largest=True, number=False),
    "minsi": numpy.minimum,
    "maxsi": numpy.maximum,
    "minui": _unsigned(numpy.minimum),
    "maxui": _unsigned(numpy.maximum),
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
}


def telling(kind: str, dtype: Any, shape: Sequence[int], seed: int = 0) -> Array:
    """Numbers of which another order, or a start that changes something, gives other bits."""
    generator = numpy.random.default_rng([seed, *shape])
    if numpy.dtype(dtype).kind in "iu":
        info = numpy.iinfo(dtype)
        values = generator.integers(info.min, info.max + 1, shape).astype(dtype)
        return values | 1 if kind == "mul" else values
    values = generator.standard_normal(shape)
    if kind == "mul":
        return (1 + values / 16).astype(dtype)
    if kind.startswith("max"):
        values = -abs(values)
    elif kind.startswith("min"):
        values = abs(values)
    # a column of negative zeros, which no sum may begin with +0.0 for
    values[..., :1] = -0.0
    return (values * 8).astype(dtype)


def special(dtype: Any, shape: Sequence[int], seed: int = 0) -> Array:
    """Zeros of both signs, infinities and NaN among few numbers."""
    choices = numpy.array([0.0, -0.0, 1.5, -1.5, inf, -inf, numpy.nan, -0.0, 0.0, -2.0])
    return numpy.random.default_rng([seed, *shape]).choice(choices, shape).astype(dtype)


def bound(
    kind: str, values: Array, dimensions: Sequence[int], depth: int, other: int
) -> Array:
    """How far two trees of these depths may be apart: |x| summed, times g(d) + g(d'); products 2 g(n), relative."""
    u = ROUNDOFF[values.dtype.name]
    wide = abs(values.astype(numpy.float64))
    if kind == "mul":
        n = int(numpy.prod([values.shape[d] for d in dimensions]))
        return (
            2 * _g(n, u) * numpy.multiply.reduce(wide, axis=tuple(dimensions), keepdims=True)
        )
    total = numpy.add.reduce(wide, axis=tuple(dimensions), keepdims=True)
    return (_g(depth, u) + _g(other, u)) * total


def _g(n: int, u: float) -> float:
    assert n * u < 1, "the bound says nothing of so many elements"
    return n * u / (1 - n * u)
