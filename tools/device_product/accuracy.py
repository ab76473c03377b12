"""How far a device's functions may be from level V's, which computes them in f64 and rounds once.

Units in the last place (ulp) of the result: allowed, and in brackets the largest found on opencl:cpu (Intel's runtime
2026.1) over all numbers of f16 and bf16 (of two arguments, a million pairs) and a million of f32 and of f64;
`python -m tools.device_product --measure` finds them again.

    function     f16       bf16      f32       f64
    math.exp     2 (1)     1 (0)     3 (1)     3 (1)
    math.exp2    2 (1)     1 (0)     3 (1)     3 (1)
    math.log     2 (1)     1 (0)     3 (1)     3 (1)
    math.log2    2 (0)     1 (0)     3 (1)     3 (0)
    math.sin     2 (1)     1 (0)     4 (2)     4 (3)
    math.cos     2 (1)     1 (0)     4 (2)     4 (3)
    math.powf    4 (1)     1 (1)     16 (1)    16 (1)

Everything else that reaches SPIR-V gives the same bits: sums, products, fma, remainders, conversions, comparisons,
extremes, rounding to whole numbers, subnormal numbers too; quotients and square roots, since modules that have them ask
for exact ones (`codegen/options.py`; on a GPU quotients of f16 stay approximate).

Left open, by MLIR and by OpenCL: the bits of a NaN;
which of two zeros minnumf and maxnumf take; numbers of floats that an integer does not hold; shifts by as many bits
as there are.

Source of what is allowed: the OpenCL C specification, "Relative Error as ULPs" (full profile; half precision); bf16 is
computed in f32 and rounded, which moves a result to its neighbour at most.
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy
from ml_dtypes import finfo
from numpy.typing import NDArray

Array = NDArray[Any]

ULPS: Mapping[str, Mapping[str, float]] = {
    "math.exp": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.exp2": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.log": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.log2": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.sin": {"float16": 2.0, "bfloat16": 1.0, "float32": 4.0, "float64": 4.0},
    "math.cos": {"float16": 2.0, "bfloat16": 1.0, "float32": 4.0, "float64": 4.0},
    "math.powf": {"float16": 4.0, "bfloat16": 1.0, "float32": 16.0, "float64": 16.0},
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
