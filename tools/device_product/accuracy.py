"""How far a device's functions may be from level V's, which computes them in f64 and rounds once.

Units in the last place (ulp) of the result: allowed, and in brackets the largest found on opencl:cpu (Intel's runtime
2026.1) over all numbers of f16 and bf16 (of two arguments, a million pairs) and a million of f32 and of f64;
`python -m tools.device_product --measure` finds them again.

    function      f16       bf16      f32       f64
    math.acos     2 (1)     1 (0)     4 (1)     4 (1)
    math.acosh    2 (1)     1 (0)     4 (1)     4 (1)
    math.asin     2 (1)     1 (0)     4 (2)     4 (2)
    math.asinh    2 (1)     1 (0)     4 (1)     4 (1)
    math.atan     2 (1)     1 (0)     5 (2)     5 (2)
    math.atan2    2 (1)     1 (1)     6 (3)     6 (3)
    math.atanh    2 (0)     1 (0)     5 (1)     5 (1)
    math.cbrt     2 (1)     1 (0)     2 (1)     2 (0)
    math.cos      2 (1)     1 (0)     4 (2)     4 (3)
    math.cosh     2 (0)     1 (0)     4 (2)     4 (2)
    math.erf      4 (1)     1 (0)     16 (4)    16 (2)
    math.exp      2 (1)     1 (1)     3 (1)     3 (1)
    math.exp2     2 (1)     1 (0)     3 (1)     3 (1)
    math.expm1    2 (1)     1 (0)     3 (1)     3 (0)
    math.fpowi    4 (0)     1 (0)     16 (4)    16 (3)
    math.log      2 (1)     1 (0)     3 (1)     3 (1)
    math.log10    2 (1)     1 (0)     3 (1)     3 (0)
    math.log1p    2 (1)     1 (0)     2 (1)     2 (0)
    math.log2     2 (0)     1 (0)     3 (1)     3 (0)
    math.powf     4 (1)     1 (1)     16 (1)    16 (1)
    math.rsqrt    1 (0)     1 (0)     2 (1)     2 (2)
    math.sin      2 (1)     1 (0)     4 (2)     4 (3)
    math.sinh     2 (1)     1 (0)     4 (1)     4 (2)
    math.tan      2 (1)     1 (0)     5 (3)     5 (3)
    math.tanh     2 (0)     1 (0)     5 (1)     5 (0)

Everything else that reaches SPIR-V gives the same bits: sums, products, fma, remainders, conversions, comparisons,
extremes, rounding to whole numbers, subnormal numbers too; quotients and square roots, since modules that have them ask
for exact ones (`codegen/build_options.py`).

Left open, by MLIR and by OpenCL: the bits of a NaN;
which of two zeros minnumf and maxnumf take; numbers of floats that an integer does not hold; shifts by as many bits
as there are.

Source of what is allowed: the OpenCL C specification, "Relative Error as ULPs" (full profile; half precision); bf16 is
computed in f32 and rounded, which moves a result to its neighbour at most.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy
from ml_dtypes import finfo
from numpy.typing import NDArray

Array = NDArray[Any]


class _Row(NamedTuple):
    """What OpenCL allows of a function in f16, and in f32 and f64; bf16 is one unit, being f32 rounded."""

    half: float
    others: float


_ALLOWED: Mapping[str, _Row] = {
    "math.acos": _Row(2.0, 4.0),
    "math.acosh": _Row(2.0, 4.0),
    "math.asin": _Row(2.0, 4.0),
    "math.asinh": _Row(2.0, 4.0),
    "math.atan": _Row(2.0, 5.0),
    "math.atan2": _Row(2.0, 6.0),
    "math.atanh": _Row(2.0, 5.0),
    "math.cbrt": _Row(2.0, 2.0),
    "math.cos": _Row(2.0, 4.0),
    "math.cosh": _Row(2.0, 4.0),
    "math.erf": _Row(4.0, 16.0),
    "math.exp": _Row(2.0, 3.0),
    "math.exp2": _Row(2.0, 3.0),
    "math.expm1": _Row(2.0, 3.0),
    "math.fpowi": _Row(4.0, 16.0),
    "math.log": _Row(2.0, 3.0),
    "math.log10": _Row(2.0, 3.0),
    "math.log1p": _Row(2.0, 2.0),
    "math.log2": _Row(2.0, 3.0),
    "math.powf": _Row(4.0, 16.0),
    "math.rsqrt": _Row(1.0, 2.0),
    "math.sin": _Row(2.0, 4.0),
    "math.sinh": _Row(2.0, 4.0),
    "math.tan": _Row(2.0, 5.0),
    "math.tanh": _Row(2.0, 5.0),
}

ULPS: Mapping[str, Mapping[str, float]] = {
    name: {"float16": row.half, "bfloat16": 1.0, "float32": row.others, "float64": row.others}
    for name, row in _ALLOWED.items()
}
"""By function and numpy's name of the type; where a type is missing the bits are equal."""

EITHER_ZERO = ("arith.maxnumf", "arith.minnumf")
"""Ops that may give either of two zeros of other signs."""


def agree(op: str, expected: Array, found: Array) -> bool:
    """Whether a device's results of an op are as near to level V's as they must be; any NaN is as good as another."""
    nan = expected != expected
    if not numpy.array_equal(found != found, nan):
        return False
    allowed = bound(op, expected.dtype)
    if allowed is None and op not in EITHER_ZERO:
        return expected[~nan].tobytes() == found[~nan].tobytes()
    return bool((errors(expected, found) <= (allowed or 0.0)).all())


def bound(function: str, dtype: "numpy.dtype[Any]") -> float | None:
    """The largest error that is allowed (ulp); None where the bits have to be equal."""
    return ULPS.get(function, {}).get(dtype.name)


def errors(expected: Array, found: Array) -> Array:
    """How far each element is from what is expected, in ulp of that; infinite where only one is a number."""
    numbers = cast("numpy.finfo[numpy.float64]", finfo(expected.dtype))
    left, right = expected.astype(numpy.float64), found.astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        exponents = numpy.floor(numpy.log2(numpy.maximum(abs(left), float(numbers.tiny))))
        distance = abs(left - right) / (numpy.exp2(exponents) * float(numbers.eps))
    same = (left == right) | (numpy.isnan(left) & numpy.isnan(right))
    return numpy.where(same, 0.0, numpy.where(numpy.isfinite(distance), distance, numpy.inf))
