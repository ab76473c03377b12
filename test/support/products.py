"""Operands of a matrix product on random data, and what comparing its results takes."""

from typing import Any

import ml_dtypes
import numpy
from numpy.typing import NDArray

Array = NDArray[Any]

DTYPES = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": numpy.int8,
    "tf32": numpy.float32,
}
RESULTS = {
    "f32": numpy.float32,
    "i32": numpy.int32,
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
}


def matrices(m: int, n: int, k: int, type: str, *, integers: bool) -> tuple[Array, Array]:
    random = numpy.random.default_rng(m * 7 + n * 5 + k)
    if integers or type == "i8":
        low, high = (-128, 128) if type == "i8" and not integers else (-4, 5)
        a = random.integers(low, high, (m, k)).astype(DTYPES[type])
        return a, random.integers(low, high, (k, n)).astype(DTYPES[type])
    return (
        random.standard_normal((m, k)).astype(DTYPES[type]),
        random.standard_normal((k, n)).astype(DTYPES[type]),
    )


def same_bits(left: Array, right: Array) -> bool:
    return left.tobytes() == right.tobytes()
