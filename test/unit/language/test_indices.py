"""Indices: sums whose differences are known, Python's quotients, comparisons."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xetile.language
from xetile.language.builder import Builder, using
from xetile.language.values import Index, difference

xt: Any = xetile.language

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda i, j: 3 * i - (j - 4) * 2 + -i,
    "product": lambda i, j: i * j - j * 7,
    "quotient": lambda i, j: (i * 6 + 9) // 4 + j // -3 + 17 // (j * j + 1),
    "remainder": lambda i, j: (i * 6 - 9) % 4 + j % -3 + 17 % (j + 100),
    "divmod": lambda i, j: divmod(i * 8 + j, 8)[0] * 100 + divmod(i * 8 + j, 8)[1],
    "extremes": lambda i, j: max(i, j) * 10 + min(i, 3),
    "magnitude": lambda i, j: abs(i - j),
    "ceiling": lambda i, j: -(-i // 4) + j,
}

TRACED: dict[str, Callable[[Any, Any], Any]] = {
    "extremes": lambda i, j: xt.maximum(i, j) * 10 + xt.minimum(i, 3),
    "ceiling": lambda i, j: xt.cdiv(i, 4) + j,
}
"""What the language calls otherwise."""


@xetile.language.kernel
def evaluated(Y: xetile.language.Array, *, function: Callable[[Any, Any], Any]) -> None:
    i, j = xt.program_id(0) - 3, xt.program_id(1) - 2
    Y[xt.program_id(0), xt.program_id(1)] = function(i, j).to(xt.i32)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arithmetic_is_pythons(name: str) -> None:
    function, traced = FUNCTIONS[name], TRACED.get(name, FUNCTIONS[name])
    y, again = np.zeros((8, 6), np.int32), np.zeros((8, 6), np.int32)
    evaluated(y, function=traced, grid=(8, 6))
    evaluated.specialize(xt.i32[8, 6], function=traced, grid=(8, 6)).eager(again)
    expected = [[function(i - 3, j - 2) for j in range(6)] for i in range(8)]
    assert (y == expected).all()
    assert (again == y).all()


COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda i, j: i < j,
    ">=": lambda i, j: i <= 2,
    "==": lambda i, j: i == j + 1,
    "!=": lambda i, j: (i != j) & (j > -1),
}


@pytest.mark.parametrize("name", COMPARED)
def test_comparisons(name: str) -> None:
    y = np.zeros((8, 6), np.int32)
    compare = COMPARED[name]
    evaluated(y, function=compare, grid=(8, 6))
    assert (y == [[compare(i - 3, j - 2) for j in range(6)] for i in range(8)]).all()


@settings(max_examples=50, deadline=None)
@given(
    st.integers(-9, 9),
    st.integers(-99, 99),
    st.integers(-12, 12).filter(bool),
    st.integers(-5, 5),
)
def test_multiples_of_a_divisor_are_divided_exactly(
    factor: int, constant: int, divisor: int, more: int
) -> None:
    with using(Builder((1, 1))):
        k = xt.program_id(0)
        one = k * factor + constant
        assert difference((one + divisor * more) // divisor, one // divisor) == more
        assert difference((one + divisor * more) % divisor, one % divisor) == 0


def test_differences_of_places_are_known() -> None:
    with using(Builder((1, 1))):
        k, n = xt.program_id(0), xt.program_id(1)
        assert difference(k + 3 * 32, k) == 96
        assert difference(k * 2 + n, n) is None
        assert difference((k * 32 + 5) // 32 + 1, k) == 1
        assert Index.of(k * 0 + 4).known == 4


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "fraction": (
        lambda k: k / 2,
        "'/' of indices has fractions; write '//', or `.to(xt.f32)`",
    ),
    "float": (lambda k: k * 0.5, "'*' takes no index and Python 0.5"),
    "zero": (lambda k: k // 0, "division of an index by 0"),
    "bits": (
        lambda k: k & 1,
        "an index has the operators + - * // % and comparisons; `.to(xt.i64)` makes a scalar of it",
    ),
    "scalar": (
        lambda k: k + xt.f32(1),
        "a scalar of f32 stands where an index does; convert it, `.to(xt.i64)`",
    ),
    "range": (
        lambda k: range(k),
        "an index has a number only when the kernel runs; extents, lists and Python's range take numbers known before; xt.range loops",
    ),
    "truth": (
        lambda k: 0 < k < 4,
        "a scalar of i1 has a truth value only when the kernel runs; `if` and `while` of a function with @xt.kernel "
        "or @xt.function take conditions, `&`, `|` and `~` combine them, xt.where chooses, xt.check tests",
    ),
}


@xetile.language.kernel
def wrong(Y: xetile.language.Array, *, use: Callable[[Any], Any]) -> None:
    use(xt.program_id(0))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    use, message = REFUSED[name]
    with pytest.raises(xetile.language.XetileError) as error:
        wrong.specialize(xt.i32[8, 6], grid=(1,), use=use)
    assert error.value.message == message
