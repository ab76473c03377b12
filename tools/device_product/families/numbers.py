"""Numbers where types end and rounding decides, and how they lie in memory."""

from collections.abc import Callable
from typing import cast

import ml_dtypes
import numpy

from tools.device_product.case import Array

COLUMNS = 64
"""Of every matrix; four subgroups of a workgroup take 16 each."""
COUNT = 2048
"""Numbers of an operand."""

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
BITS = {
    **{name: int(name[1:]) for name in INTEGERS},
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "i1": 8,
    "index": 64,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
}
DTYPES = {
    "f16": numpy.dtype(numpy.float16),
    "bf16": numpy.dtype(ml_dtypes.bfloat16),
    "tf32": numpy.dtype(numpy.float32),
    "f32": numpy.dtype(numpy.float32),
    "f64": numpy.dtype(numpy.float64),
    "f8E4M3FN": numpy.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": numpy.dtype(ml_dtypes.float8_e5m2),
    "si8": numpy.dtype(numpy.int8),
    "ui8": numpy.dtype(numpy.uint8),
    "i1": numpy.dtype(numpy.int8),
    "index": numpy.dtype(numpy.int64),
    **{name: numpy.dtype(f"int{name[1:]}") for name in INTEGERS},
}


def limits(dtype: "numpy.dtype[numpy.generic]") -> "numpy.finfo[numpy.float64]":
    """What a float type holds."""
    return cast(
        "numpy.finfo[numpy.float64]",
        ml_dtypes.finfo(cast("numpy.dtype[numpy.float64]", dtype)),
    )


def in_memory(values: Array) -> Array:
    """Numbers as a matrix of the messages' words: those of 64 bits have their halves in two rows."""
    words = numpy.ascontiguousarray(values).reshape(-1, COLUMNS)
    if values.itemsize < 8:
        return words.view(f"i{values.itemsize}")
    halves = words.view(numpy.int32).reshape(-1, COLUMNS, 2)
    return numpy.ascontiguousarray(halves.transpose(0, 2, 1)).reshape(-1, COLUMNS)


def operands_of(type: str) -> dict[str, Array]:
    """Numbers by the names of what is computed with them."""
    if type in FLOATS or type.startswith("f8"):
        return _floats(type)
    random = numpy.random.default_rng(BITS[type])
    dtype = DTYPES[type]
    if type == "i1":
        x, y = (random.integers(0, 2, COUNT).astype(dtype) for _ in range(2))
        return {"x": x, "y": y, "d": numpy.ones(COUNT, dtype), "s": numpy.zeros(COUNT, dtype)}
    info = numpy.iinfo(dtype.name)
    edges = [0, 1, -1, 2, -2, 7, info.max, info.min, info.max - 1, info.min + 1, 100, -100]
    x, y = _pairs(
        numpy.array(edges).astype(dtype),
        lambda: random.integers(info.min, info.max, COUNT, dtype, endpoint=True),
    )
    divisors = numpy.where((y == 0) | ((y == -1) & (x == info.min)), dtype.type(3), y)
    shifts = random.integers(0, BITS[type], COUNT).astype(dtype)
    return {"x": x, "y": y, "d": divisors, "s": shifts}


def _pairs(edges: Array, more: Callable[[], Array]) -> tuple[Array, Array]:
    """Every pair of edges, then random ones."""
    x, y = more(), more()
    left, right = (grid.ravel() for grid in numpy.meshgrid(edges, edges))
    x[: len(left)], y[: len(right)] = left, right
    return x, y


def _floats(type: str) -> dict[str, Array]:
    random = numpy.random.default_rng(BITS[type] + (type == "bf16"))
    dtype, info = DTYPES[type], limits(DTYPES[type])
    edges = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        3.0,
        float(info.max),
        float(info.tiny),
        float(info.smallest_subnormal),
    ]
    edges += [float(info.tiny) * 0.75, 100.3, numpy.nan, numpy.inf, 1 + float(info.eps)]
    with numpy.errstate(all="ignore"):
        signed = numpy.array([s * e for e in edges for s in (1, -1)]).astype(dtype)

    def numbers() -> Array:
        bits = random.integers(
            0, 1 << min(BITS[type], 63), COUNT, numpy.uint64, endpoint=False
        )
        any_bits = bits.astype(f"u{BITS[type] // 8}").view(dtype)
        near = (random.standard_normal(COUNT) * 4).astype(dtype)
        return numpy.where(numpy.arange(COUNT) % 4 == 0, any_bits, near)

    x, y = _pairs(signed, numbers)
    held = {
        f"{sign}{bits}": _held(sign, bits, dtype, random)
        for sign in "su"
        for bits in (8, 16, 32, 64)
    }
    same_zeros = numpy.where(abs(x) + abs(y) == 0, x, y)
    return {"x": x, "y": y, "z": numbers(), "n": same_zeros, **held}


def _held(
    sign: str, bits: int, dtype: "numpy.dtype[numpy.generic]", random: numpy.random.Generator
) -> Array:
    """Numbers of a float type that an integer type holds."""
    high = min(2.0 ** (bits - (sign == "s")), float(limits(dtype).max))
    low = -high if sign == "s" else 0.0
    size = numpy.exp2(random.uniform(-3, numpy.log2(high), COUNT))
    values = numpy.where(
        random.integers(0, 2, COUNT) == 1, size, size if sign == "u" else -size
    ).astype(dtype)
    wide = values.astype(numpy.float64)
    inside = (numpy.trunc(wide) >= low) & (numpy.trunc(wide) < 2.0 ** (bits - (sign == "s")))
    return numpy.where(inside, values, dtype.type(1.5))
