"""How far a device's functions may be from numpy's: what LLVM and OpenCL leave open.

Everything else has equal bits, but for the bits of a NaN.
"""

from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]

BOUNDS: Mapping[str, float] = {
    "math.exp": 1e-6,
    "math.exp2": 1e-6,
    "math.log": 1e-6,
    "math.log2": 1e-6,
    "math.sin": 1e-6,
    "math.cos": 1e-6,
    "math.powf": 1e-6,
}
"""Differences from f32's result on numpy, as parts of it: Intel's OpenCL runtime for CPUs, all of 2026.2.

A result of fewer bits may also be the neighbour of the one on numpy.
"""

NEIGHBOUR: Mapping[str, float] = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 0.0}
"""The largest step from one number to the next, as a part of it."""

EITHER_ZERO = ("arith.maxnumf", "arith.minnumf")
"""Ops that may give either of two zeros of other signs."""


def agree(op: str, found: Array, expected: Array) -> bool:
    """Whether a device's results of an op are as near to numpy's as they must be."""
    nan = expected != expected
    if not numpy.array_equal(found != found, nan):
        return False
    left, right = (numpy.where(nan, numpy.zeros_like(a), a) for a in (found, expected))
    if op not in BOUNDS and op not in EITHER_ZERO:
        return left.tobytes() == right.tobytes()
    left, right = left.astype(numpy.float64), right.astype(numpy.float64)
    bound = BOUNDS[op] + NEIGHBOUR[found.dtype.name] if op in BOUNDS else 0.0
    least = float(numpy.finfo(numpy.float32).tiny)
    with numpy.errstate(all="ignore"):
        near = abs(left - right) <= bound * numpy.maximum(abs(right), least)
    return bool(((left == right) | near).all())
