"""Operators, functions, reductions and conversions on the extremes of every type, against numpy: W, V, the device."""

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import xetile.language
from xetile.language.calling.argument_types import type_of
from xetile.runtime.open_device import Device

xt: Any = xetile.language
Numbers = NDArray[Any]
Compute = Callable[[Any, Any], Any]

INTEGERS = (np.int8, np.uint8, np.int16, np.int32, np.int64)
FLOATS = (
    *(np.float16, ml_dtypes.bfloat16, np.float32, np.float64),
    *(ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
)
WIDE = FLOATS[:4]


@xt.kernel(grid=(1,))
def _each(A: Any, B: Any, OUT: Any, *, computes: Any) -> None:
    a, b = A[0:4, 0:64], B[0:4, 0:64]
    for i, compute in enumerate(computes):
        OUT[i, 0:4, 0:64] = compute(a, b)


def everywhere(
    computes: tuple[Compute, ...], a: Numbers, b: Numbers, dtype: Any, device: Device
) -> Iterator[tuple[str, Numbers]]:
    """What the language computes of two arrays eagerly, at W and V, and on a device."""
    out = np.zeros((len(computes), 4, 64), dtype)
    kernel = _each.specialize(*map(type_of, (a, b, out), ("A", "B", "OUT")), computes=computes)
    for name, run in (
        ("eager", kernel.eager),
        ("W", kernel),
        ("V", kernel.lower("xevm", device="bmg")),
    ):
        found = np.zeros_like(out)
        with np.errstate(all="ignore"):
            run(a, b, found)
        yield name, found
    found = np.zeros_like(out)
    with kernel.on(device, device="bmg") as launch:
        launch(a, b, found)
    yield "device", found


def same(found: Numbers, expected: Numbers) -> bool:
    """Equal, also in the signs of zeros; all NaNs are equal."""
    if found.dtype.kind in "iu":
        return bool((found == expected).all())
    x, y = (value.astype(np.float64) for value in (found, expected))
    nan = np.isnan(x) & np.isnan(y)
    return bool((nan | ((x == y) & (np.signbit(x) == np.signbit(y)))).all())


def check(
    named: dict[str, tuple[Compute, Numbers]], a: Numbers, b: Numbers, device: Device
) -> None:
    """Each function of the language gives at every level what stands beside it."""
    computes = tuple(compute for compute, _ in named.values())
    dtype = next(iter(named.values()))[1].dtype
    for level, found in everywhere(computes, a, b, dtype, device):
        wrong = [
            name
            for (name, (_, want)), one in zip(named.items(), found, strict=True)
            if not same(one, np.broadcast_to(want, (4, 64)))
        ]
        assert not wrong, f"{dtype} at {level}: {wrong}"


def pairs(values: list[Any], dtype: Any) -> tuple[Numbers, Numbers]:
    """All pairs of values, repeated to fill 4x64."""
    both = np.array(list(itertools.product(values, values)), object).T
    a, b = (np.resize(one.astype(dtype), (4, 64)) for one in both)
    return a, b


def integers_of(dtype: Any) -> list[int]:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    bits = np.iinfo(dtype).bits
    some = {low, low + 1, high, high - 1, -1, 0, 1, 2, 3, 7, bits - 1, bits, bits + 1}
    return sorted(n for n in some if low <= n <= high)


def exactly(compute: Callable[[int, int], int], a: Numbers, b: Numbers) -> Numbers:
    """Python's integers, modulo the width."""
    bits = np.iinfo(a.dtype).bits
    numbers = [
        compute(int(x), int(y)) & ((1 << bits) - 1)
        for x, y in zip(a.flat, b.flat, strict=True)
    ]
    unsigned = np.dtype(f"u{a.dtype.name.removeprefix('u')}")
    return np.array(numbers, unsigned).view(a.dtype).reshape(a.shape)


BITWISE: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "~": lambda x, y: ~x,
    "neg": lambda x, y: -x,
    "abs": lambda x, y: abs(x),
}
QUOTIENTS: dict[str, Callable[[Any, Any], Any]] = {
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "by a number": lambda x, y: x // 7 + x % 3,
}
ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


def named_type(dtype: Any) -> Any:
    """The language's type of numpy's integers."""
    return getattr(xt, np.dtype(dtype).name.replace("uint", "ui").replace("int", "i"))


def _truth(compute: Compute, dtype: Any) -> Compute:
    return lambda x, y: compute(x, y).to(named_type(dtype))


def _shifted_left(x: int, y: int, bits: int) -> int:
    return x << y if 0 <= y < bits else 0


def _shifted_right(x: int, y: int, bits: int) -> int:
    return x >> (y if 0 <= y < bits else bits)


@pytest.mark.opencl
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: type[np.generic], opencl_cpu: Device) -> None:
    a, b = pairs(integers_of(dtype), dtype)
    bits = np.iinfo(a.dtype).bits
    named: dict[str, tuple[Compute, Numbers]] = {
        name: (compute, exactly(compute, a, b)) for name, compute in BITWISE.items()
    }
    named |= {
        name: (_truth(compute, dtype), exactly(compute, a, b))
        for name, compute in ORDER.items()
    }
    for name, compute in (("maximum", max), ("minimum", min), ("fmax", max), ("fmin", min)):
        named[name] = (getattr(xt, name), exactly(compute, a, b))
    named["<<"] = (
        lambda x, y: x << y,
        exactly(lambda x, y: _shifted_left(x, y, bits), a, b),
    )
    named[">>"] = (
        lambda x, y: x >> y,
        exactly(lambda x, y: _shifted_right(x, y, bits), a, b),
    )
    named["where"] = (
        lambda x, y: xt.where(x < y, x, y),
        exactly(min, a, b),
    )
    check(named, a, b, opencl_cpu)


@pytest.mark.opencl
@pytest.mark.parametrize("dtype", INTEGERS)
def test_quotients(dtype: type[np.generic], opencl_cpu: Device) -> None:
    a, b = pairs(integers_of(dtype), dtype)
    has_none = (b == 0) | ((a == np.iinfo(a.dtype).min) & (b.astype(np.int64) == -1))
    b[has_none] = 2
    named: dict[str, tuple[Compute, Numbers]] = {
        name: (compute, exactly(compute, a, b)) for name, compute in QUOTIENTS.items()
    }
    named["cdiv"] = (xt.cdiv, exactly(lambda x, y: -(-x // y), a, b))
    named["cdiv by a number"] = (
        lambda x, y: xt.cdiv(x, 7),
        exactly(lambda x, y: -(-x // 7), a, b),
    )
    named["cdiv of a number"] = (
        lambda x, y: xt.cdiv(100, y),
        exactly(lambda x, y: -(-100 // y), a, b),
    )
    check(named, a, b, opencl_cpu)


def test_cdiv_of_pythons_integers() -> None:
    assert [xt.cdiv(x, y) for x, y in ((7, 2), (-7, 2), (8, 2), (0, 5))] == [4, -3, 4, 0]


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.add.reduce,
    "prod": np.multiply.reduce,
    "max": np.maximum.reduce,
    "min": np.minimum.reduce,
}


@pytest.mark.opencl
@pytest.mark.parametrize("dtype", INTEGERS)
def test_reductions_of_integers(dtype: Any, opencl_cpu: Device) -> None:
    info = np.iinfo(dtype)
    a = np.random.default_rng(0).integers(info.min, info.max, (4, 64), dtype, endpoint=True)
    a[0] = info.min
    a[:, 3] = info.max
    a[3:] |= dtype(1)

    def reduction(name: str, axis: int) -> Compute:
        return lambda x, y: getattr(x, name)(axis) | (y & 0)

    named = {
        f"{name}({axis})": (
            reduction(name, axis),
            reduce(a, axis=axis, keepdims=True, dtype=dtype),
        )
        for name, reduce in REDUCTIONS.items()
        for axis in (0, 1)
    }
    check(named, a, a, opencl_cpu)


FLOAT_VALUES = [
    *(0.0, -0.0, 1.5, -1.5, 0.999, -0.999, 127.9, 128.0, -128.9, -129.0, 255.9, 256.0, 300.0),
    *(32767.5, 32768.0, -32769.0, 65504.0, 2147483520.0, 2.0**31, -(2.0**31), -2147483904.0),
    *(4e9, 9.2e18, 2.0**63, -(2.0**63), -1e19, 1e30, -1e30),
    *(np.inf, -np.inf, np.nan, 1e-40, 5e-324, -3.5),
]


def saturated(x: Numbers, dtype: Any) -> Numbers:
    """Towards zero, to the nearest number of the type; of NaN 0."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    numbers = [
        0 if v != v else high if v >= high else low if v <= low else int(v)
        for v in x.astype(np.float64).flat
    ]
    return np.array(numbers, object).astype(dtype).reshape(x.shape)


@pytest.mark.opencl
@pytest.mark.parametrize("source", FLOATS)
def test_floats_to_integers(source: Any, opencl_cpu: Device) -> None:
    with np.errstate(all="ignore"):
        a = np.resize(np.array(FLOAT_VALUES).astype(source), (4, 64))

    def conversion(dtype: Any) -> Compute:
        return lambda x, y: x.to(named_type(dtype)).to(xt.i64)

    named = {
        np.dtype(dtype).name: (conversion(dtype), saturated(a, dtype).astype(np.int64))
        for dtype in INTEGERS
    }
    check(named, a, a, opencl_cpu)


def larger(x: Numbers, y: Numbers) -> Numbers:
    """The larger one; NaN if one is, and +0.0 above -0.0."""
    chosen = np.where((x > y) | ((x == y) & ~np.signbit(x)), x, y)
    return np.where(np.isnan(x) | np.isnan(y), x.dtype.type(np.nan), chosen)


@pytest.mark.opencl
@pytest.mark.parametrize("dtype", WIDE)
def test_floats(dtype: Any, opencl_cpu: Device) -> None:
    info: Any = cast(Any, ml_dtypes).finfo(dtype)
    small, most = float(info.smallest_subnormal), float(info.max)
    values = [0.0, -0.0, 1.0, -1.5, 2.5, np.inf, -np.inf, np.nan, small, -small, most, -most]
    a, b = pairs(values, dtype)
    with np.errstate(all="ignore"):
        named: dict[str, tuple[Compute, Numbers]] = {
            name: (BITWISE[name], BITWISE[name](a, b))
            for name in ("+", "-", "*", "neg", "abs")
        }
        named |= {
            "/": (lambda x, y: x / y, a / b),
            "maximum": (xt.maximum, larger(a, b)),
            "minimum": (xt.minimum, -larger(-a, -b)),
            "floor": (lambda x, y: xt.floor(x), np.floor(a)),
            "ceil": (lambda x, y: xt.ceil(x), np.ceil(a)),
            "where": (lambda x, y: xt.where(x < y, x, y), np.where(a < b, a, b)),
        }
        for name, compute in ORDER.items():
            truth: Compute = lambda x, y, c=compute: xt.where(c(x, y), x * 0.0 + 1.0, 0.0)  # noqa: E731
            named[name] = truth, np.where(compute(a, b), a * dtype(0) + dtype(1), dtype(0))
    check(named, a, b, opencl_cpu)


ROUNDED = [
    *(0.0, -0.0, 1.5, -1.5, 0.1, 1 / 3, np.inf, -np.inf, np.nan),
    *(5e-324, 1e-45, -1e-45, 1e-40, 2.9e-8, 3e-8, 6e-8, 2.0**-9, 2.0**-10, 2.0**-10 * 1.01),
    *(2.0**-16, 2.0**-17, 2.0**-17 * 1.1, 239.9, 448.0, 464.0, 464.1, 480.0, 57344.0, 61439.0),
    *(61440.0, 65504.0, 65519.9, 65520.0, -65520.0, 3.4028236e38, 1e300, -1e300),
]
"""On both sides of where a type ends, begins to be subnormal, or rounds to its even neighbour."""


def float_type(dtype: Any) -> Any:
    """The language's type of numpy's floats, and of ml_dtypes'."""
    name = np.dtype(dtype).name
    known = {"bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2"}
    return getattr(xt, known.get(name, name.replace("float", "f")))


@pytest.mark.opencl
@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS])
def test_conversions_to_floats(source: Any, opencl_cpu: Device) -> None:
    """Rounded once, to the nearest, ties to even; what is too large as ml_dtypes has it."""
    values = integers_of(source) if source in INTEGERS else ROUNDED

    def conversion(dtype: Any) -> Compute:
        return lambda x, y: x.to(float_type(dtype)).to(xt.f64)

    with np.errstate(all="ignore"):
        a = np.resize(np.array(values).astype(source), (4, 64))
        named = {
            np.dtype(dtype).name: (conversion(dtype), a.astype(dtype).astype(np.float64))
            for dtype in FLOATS
        }
    check(named, a, a, opencl_cpu)


@pytest.mark.opencl
@pytest.mark.parametrize("dtype", WIDE)
def test_reductions_of_floats(dtype: Any, opencl_cpu: Device) -> None:
    """NaN and infinities wherever they stand in a row; zeros of both signs."""
    a = np.ones((4, 64), dtype)
    a[0, 7], a[1, 63], a[2, 0], a[2, 33] = np.nan, np.inf, np.inf, -np.inf
    a[3] = np.where(np.arange(64) % 2, -0.0, 0.0)

    def reduction(name: str, axis: int) -> Compute:
        return lambda x, y: xt.where(y == y, getattr(x, name)(axis), y)

    with np.errstate(all="ignore"):
        named = {
            f"{name}({axis})": (reduction(name, axis), _reduced(name, a, axis))
            for name in ("sum", "max", "min")
            for axis in (0, 1)
        }
    check(named, a, np.zeros_like(a), opencl_cpu)


def _reduced(name: str, a: Numbers, axis: int) -> Numbers:
    if name == "sum":
        return a.astype(np.float64).sum(axis, keepdims=True).astype(a.dtype)
    rows = list(np.moveaxis(a, axis, 0))
    found = rows[0]
    for row in rows[1:]:
        found = larger(found, row) if name == "max" else -larger(-found, -row)
    return np.expand_dims(found, axis)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "erf": np.vectorize(math.erf),
}


@pytest.mark.opencl
@pytest.mark.parametrize("dtype", WIDE)
def test_functions(dtype: Any, opencl_cpu: Device) -> None:
    """Zeros, infinities and NaN are numpy's; what is finite has bounds of its own (docs/running.md)."""
    info: Any = cast(Any, ml_dtypes).finfo(dtype)
    most, least = float(info.max), float(info.smallest_subnormal)
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, most, -most, least, 1.0, -1.0, 2.5, -2.5]
    a = np.resize(np.array(values).astype(dtype), (4, 64))

    def function(name: str) -> Compute:
        return lambda x, y: getattr(xt, name)(x)

    computes = tuple(map(function, FUNCTIONS))
    with np.errstate(all="ignore"):
        wanted = [
            compute(a.astype(np.float64)).astype(dtype) for compute in FUNCTIONS.values()
        ]
    for level, found in everywhere(computes, a, a, dtype, opencl_cpu):
        for name, one, want in zip(FUNCTIONS, found, wanted, strict=True):
            special = ~np.isfinite(want) | (want == 0)
            assert special.any()
            assert same(one[special], want[special]), f"{name} at {level}"
