"""The math dialect on vectors, against numpy."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from support.elementwise import DTYPES, unary

Run = Callable[..., None]


@pytest.mark.parametrize(
    "name", ["exp", "log", "sqrt", "tanh", "erf", "exp2", "sin", "absf", "floor", "rsqrt"]
)
@pytest.mark.parametrize("kind", ["f32", "f16"])
def test_math(compute: Run, name: str, kind: str):
    values = np.array([0.5, 1.0, 2.75, 3.0, 0.125], DTYPES[kind])
    found = unary(compute, f"math.{name}", kind, kind, values)
    models: dict[str, Callable[[float], float]] = {
        "exp2": lambda x: 2.0**x, "absf": abs, "floor": math.floor, "rsqrt": lambda x: 1 / math.sqrt(x),
    }  # fmt: skip
    model = models.get(name) or getattr(math, name)
    expected = np.array([model(float(x)) for x in values]).astype(DTYPES[kind])
    np.testing.assert_array_equal(found, expected)


def test_fused_multiply_add_rounds_once(compute: Run):
    x = np.array([1 + 2**-12], np.float32)
    result = np.zeros(1, np.float32)
    compute(
        """
        %x = vector.load %0[%c0] : memref<1xf32>, vector<1xf32>
        %n = arith.constant dense<-1.0> : vector<1xf32>
        %r = math.fma %x, %x, %n : vector<1xf32>
        vector.store %r, %1[%c0] : memref<1xf32>, vector<1xf32>
        """,
        "memref<1xf32>; memref<1xf32>",
        x,
        result,
    )
    assert result[0] == np.float32(2**-11 + 2**-24)
