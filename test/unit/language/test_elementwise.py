"""Operators and functions of tiles: against numpy, at level W and eagerly."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import DTypeLike
from support.computed import Compute, Numbers, computed, refusal, text_of

import xetile.language

xt: Any = xetile.language
any_numpy: Any = np

ROWS, COLUMNS = 8, 16


def floats(dtype: DTypeLike = np.float32, seed: int = 0) -> Numbers:
    return np.random.default_rng(seed).normal(size=(ROWS, COLUMNS)).astype(dtype)


def integers(dtype: DTypeLike = np.int32, seed: int = 0) -> Numbers:
    found = np.random.default_rng(seed).integers(-50, 50, (ROWS, COLUMNS))
    return np.where(found == 0, 7, found).astype(dtype)


BOTH: dict[str, Compute] = {
    "add": lambda a, b: a + b * 2 - 3,
    "reflected": lambda a, b: 3 - (2 * a + b),
    "negative": lambda a, b: -a + abs(b),
    "row": lambda a, b: a - b.max(0, keepdims=True),
    "column": lambda a, b: a.min(1, keepdims=True) * b,
    "both": lambda a, b: a.min(1, keepdims=True) + b.max(0, keepdims=True),
}
"""What reads the same in numpy and in the language."""


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int8, np.float64])
def test_operators_as_numpy_has_them(name: str, dtype: type[np.generic]) -> None:
    make = integers if np.issubdtype(dtype, np.integer) else floats
    a, b = make(dtype), make(dtype, 1)
    with np.errstate(over="ignore"):
        expected = np.asarray(BOTH[name](a, b))
    assert expected.dtype == dtype
    assert (computed(BOTH[name], a, b, a) == expected).all()


def test_quotients() -> None:
    a, b = floats(), floats(seed=1)
    assert (computed(lambda a, b: a / b + 1 / b, a, b, a) == a / b + 1 / b).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int16])
def test_quotients_and_remainders_of_integers_are_pythons(dtype: type[np.generic]) -> None:
    a, b = integers(dtype), integers(dtype, 1)
    assert (computed(lambda a, b: a // b, a, b, a) == a // b).all()
    assert (computed(lambda a, b: a % b, a, b, a) == a % b).all()
    assert (computed(lambda a, b: 7 // a + b % -5, a, b, a) == 7 // a + b % -5).all()


def test_bits_of_integers() -> None:
    a, b = integers(), integers(seed=1)

    def compute(a: Any, b: Any) -> Any:
        return ((a & b) | (a ^ 12)) + (~a << 3) + (b >> 2)

    assert (computed(compute, a, b, a) == ((a & b) | (a ^ 12)) + (~a << 3) + (b >> 2)).all()


COMPARISONS: dict[str, Compute] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > 0,
    ">=": lambda a, b: b <= 1,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": lambda a, b: (a < b) & ~(a < 0) | (b > 1) ^ (a > 1),
}


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_comparisons(name: str, dtype: type[np.generic]) -> None:
    a, b = (
        (floats(), floats(seed=1)) if dtype == np.float32 else (integers(), integers(seed=1))
    )
    b[::2] = a[::2]
    if dtype == np.float32:
        a[0, 0] = np.nan
    found = computed(
        lambda a, b: COMPARISONS[name](a, b).to(xt.i32), a, b, np.zeros_like(a, np.int32)
    )
    assert (found == COMPARISONS[name](a, b)).all()


def reciprocal_root(x: Numbers) -> Numbers:
    return 1 / np.sqrt(x)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "log", "log2", "sqrt", "tanh")},
    **{name: getattr(np, name) for name in ("sin", "cos", "floor", "ceil", "abs")},
    "rsqrt": reciprocal_root,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    a = np.abs(floats()) + 0.5
    found = computed(lambda a, b: getattr(xt, name)(a), a, a, a)
    np.testing.assert_allclose(found, FUNCTIONS[name](a.astype(np.float64)), rtol=1e-6)


def test_erf_where_and_fma() -> None:
    a, b = floats(), floats(seed=1)
    found = computed(lambda a, b: xt.where(a > b, xt.fma(a, b, 1.0), xt.erf(b) * 0), a, b, a)
    exact = (a.astype(np.float64) * b + 1).astype(np.float32)
    assert (found == np.where(a > b, exact, 0)).all()


def test_maximum_and_minimum_keep_nan() -> None:
    a, b = floats(), floats(seed=1)
    a[0, 0] = b[1, 1] = np.nan
    found = computed(lambda a, b: xt.maximum(xt.minimum(a, b), 0.25), a, b, a)
    np.testing.assert_array_equal(found, np.maximum(np.minimum(a, b), np.float32(0.25)))


def test_tiles_and_scalars_meet() -> None:
    a, b = floats(), floats(seed=1)

    def compute(a: Any, b: Any) -> Any:
        return xt.f32(2) * a + xt.where(b > xt.f32(0.5), xt.f32(1), b)

    assert (
        computed(compute, a, b, a) == 2 * a + np.where(b > 0.5, 1, b).astype(np.float32)
    ).all()


def test_numpys_scalars_count_as_pythons_numbers() -> None:
    a = floats(np.float16)
    found = computed(
        lambda a, b: np.float64(0.1) * a + a * np.float32(2) - np.int64(1), a, a, a
    )
    half = np.float16
    assert (found == (half(0.1) * a + a * half(2)) - half(1)).all()


def test_numbers_are_rounded_to_the_type_that_they_meet() -> None:
    assert "dense<9.997560e-02> : vector<8x16xf16>" in text_of(
        lambda a, b: a * 0.1, xt.f16, xt.f16
    )
    assert "dense<-0.000000e+00>" in text_of(lambda a, b: a * -0.0 + 0.0)
    assert "dense<0xff800000>" in text_of(lambda a, b: xt.maximum(a, float("-inf")))


def test_equal_values_are_computed_once() -> None:
    assert text_of(lambda a, b: xt.exp(a - 1.0) * xt.exp(a - 1.0)).count("math.exp") == 1


def test_zeros_and_full() -> None:
    a = floats()
    found = computed(
        lambda a, b: xt.zeros((8, 16), xt.f32) + xt.full((8, 1), 2, xt.f32) + a, a, a, a
    )
    assert (found == 2 + a).all()
    found = computed(lambda a, b: xt.full((8, 16), xt.f32(0.5)) * a, a, a, a)
    assert (found == a / 2).all()


REFUSED: dict[str, tuple[Compute, str]] = {
    "text": (lambda a, b: a + "x", "'+' takes no tile of 8x16xf32 and Python str"),
    "float of integers": (
        lambda a, b: a.to(xt.i32) * 0.5,
        "0.5 stands where integers (i32) are; convert them, `.to(xt.f32)`, or write an integer",
    ),
    "quotient of integers": (
        lambda a, b: a.to(xt.i32) / b.to(xt.i32),
        "'/' takes no i32; '//' divides integers; `.to(xt.f32)` makes floats of them",
    ),
    "types": (
        lambda a, b: a.to(xt.f16) + b.to(xt.bf16),
        "'+' of a tile of 8x16xf16 and a tile of 8x16xbf16: neither type holds every value of the other; "
        "convert what shall be rounded, `.to(xt.f32)`",
    ),
    "integers and floats": (
        lambda a, b: a + b.to(xt.i32),
        "'+' of a tile of 8x16xf32 and a tile of 8x16xi32: neither type holds every value of the other; "
        "convert what shall be rounded, `.to(xt.f32)`",
    ),
    "truth": (
        lambda a, b: a * (b > 0),
        "'*' of a tile of 8x16xf32 and a tile of 8x16xi1: truth values are no numbers; write xt.where, "
        "or `.to(xt.f32)`",
    ),
    "shapes": (
        lambda a, b: a + xt.zeros((4, 16), xt.f32),
        "'+' of a tile of 8x16xf32 and a tile of 4x16xf32: extents are equal, or one of them is 1",
    ),
    "overflow": (lambda a, b: a.to(xt.f16) * 1e6, "1000000.0 is out of the range of f16"),
    "underflow": (
        lambda a, b: a.to(xt.f16) + 1e-12,
        "1e-12 is 0 in f16; numbers that small need a wider type, `.to(xt.f32)`",
    ),
    "infinity": (
        lambda a, b: a.to(xt.f8E4M3FN) * float("inf"),
        "inf is out of the range of f8E4M3FN",
    ),
    "integer": (lambda a, b: a.to(xt.i8) + 300, "300 is out of the range of i8, -128 to 127"),
    "bool": (lambda a, b: a + True, "True stands where numbers of f32 are; write 1"),
    "number": (
        lambda a, b: (a > b) & 1,
        "1 stands where truth values (i1) are; write True or False",
    ),
    "power": (lambda a, b: a**2, "'**' is not there; write x * x, or xt.exp2(xt.log2(x) * y)"),
    "shift": (
        lambda a, b: a.to(xt.i8) << 8,
        "'<<' by 8; elements of i8 are shifted by 0 to 7",
    ),
    "function": (lambda a, b: xt.exp(1.0), "xt.exp(Python 1.0): it is for tiles and scalars"),
    "function of integers": (
        lambda a, b: xt.exp(a.to(xt.i32)),
        "xt.exp takes no i32; it is for floats, `.to(xt.f32)`",
    ),
    "condition": (
        lambda a, b: xt.where(a, a, b),
        "xt.where(a tile of 8x16xf32, ...): a condition is i1; write a comparison",
    ),
    "numbers": (
        lambda a, b: xt.where(a > b, 1.0, 0.0),
        "xt.where of Python 1.0, Python 0.0: write one with its type, xt.f32(...)",
    ),
    "numpy": (lambda a, b: np.exp(a), "numpy's exp takes no tile of 8x16xf32; write xt.exp"),
    "numpy's where": (
        lambda a, b: any_numpy.where(a > b, a, b),
        "numpy's where takes no tile of 8x16xi1; write xt.where",
    ),
    "array": (
        lambda a, b: np.ones((8, 16)) + a,
        "numpy's arrays do not meet a tile of 8x16xf32; an array is an argument of the kernel",
    ),
    "bool()": (
        lambda a, b: a if a > b else b,
        "a tile of 8x16xi1 has a truth value only when the kernel runs; `if` and `while` "
        "of a function with @xt.kernel or @xt.function take conditions, `&`, `|` and `~` combine them, xt.where chooses, xt.check tests",
    ),
    "float()": (
        lambda a, b: float(a),
        "a tile of 8x16xf32 has a number only when the kernel runs; xt.sqrt(x) stands for math.sqrt(x), and so on",
    ),
    "len()": (
        lambda a, b: len(a),
        "a tile of 8x16xf32 has no len(); a tile's extents are `.shape`",
    ),
    "iteration": (
        lambda a, b: sum(a),
        "a tile of 8x16xf32 is computed as a whole and not iterated; a reduction or a slice of the array "
        "takes part of it",
    ),
    "item": (
        lambda a, b: a[0, 0],
        "0 in the brackets of a tile, which keeps two dimensions: write slices, x[:, 3:4]",
    ),
    "attribute": (
        lambda a, b: setattr(a, "shape", (16, 8)),
        "a tile of 8x16xf32 does not change, so '.shape' cannot be set; make a new one",
    ),
    "extents": (
        lambda a, b: xt.zeros((8,), xt.f32),
        "xt.full of shape (8,); a tile has rows and columns that are known before it runs, such as (64, 32)",
    ),
    "dtype": (
        lambda a, b: a.to(np.float32),
        "<class 'numpy.float32'> stands where a type does, such as xt.f32",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    compute, message = REFUSED[name]
    assert refusal(compute) == message


def test_bf16_is_rounded_after_each_operator() -> None:
    a, b = floats(ml_dtypes.bfloat16), floats(ml_dtypes.bfloat16, 1)
    assert (computed(lambda a, b: a * b + a, a, b, a) == a * b + a).all()
