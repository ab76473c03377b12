"""How far a device's functions may be from level V's, which computes them in f64 and rounds once.

Units in the last place (ulp) of the result. Everything that stands not here gives the same bits: sums, products, fma,
conversions, comparisons, extremes, rounding to whole numbers.
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy
from ml_dtypes import finfo
from numpy.typing import NDArray

Array = NDArray[Any]

ULPS: Mapping[str, Mapping[str, float]] = {
    "arith.divf": {"float32": 2.5},
    "math.sqrt": {"float32": 3.0},
    "math.exp": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.exp2": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.log": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.log2": {"float16": 2.0, "bfloat16": 1.0, "float32": 3.0, "float64": 3.0},
    "math.sin": {"float16": 2.0, "bfloat16": 1.0, "float32": 4.0, "float64": 4.0},
    "math.cos": {"float16": 2.0, "bfloat16": 1.0, "float32": 4.0, "float64": 4.0},
    "math.powf": {"float16": 4.0, "bfloat16": 1.0, "float32": 16.0, "float64": 16.0},
}
"""By function and type of the result."""


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
