"""`xt.testing.check`: what it notices of a kernel, and what it refuses of its arguments."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xetile.language as xt
from xetile.language.testing import worst

SHAPES = [(32, 16), (32, 16)]


@xt.kernel
def scaled(X: xt.Array, Y: xt.Array, *, factor: float = 2.0, start: int = 0) -> None:
    m = xt.program_id(0) * 16
    Y[m : m + 16, start:16] = X[m : m + 16, start:16] * factor


def twice(X: Any) -> Any:
    return 2 * X


def with_a_hole(X: Any) -> Any:
    return np.where(X.max() == X, 0, 2 * X)


def of_a_stranger(X: Any, scale: Any) -> Any:
    return X * scale


def of_everything(X: Any, Y: Any) -> None: ...


def too_short(X: Any) -> Any:
    return X[:16]


def too_many(X: Any) -> Any:
    return X, X


Options = dict[str, Any]

WRONG: list[tuple[Options, str]] = [
    ({"factor": 3.0}, "level workgroup, random data: Y["),
    ({"start": 8}, "is 7.0, the reference has"),
    ({"factor": 2.0000002}, "level workgroup, random data: Y["),
    ({"reference": with_a_hole}, "elements are wrong"),
]

REFUSED: list[tuple[Options, str]] = [
    (
        {"shapes": [*SHAPES, (1, 1)]},
        "'scaled' takes 2 arrays (X, Y); given are 3 shapes and 3 element types",
    ),
    (
        {"types": [xt.f32]},
        "'scaled' takes 2 arrays (X, Y); given are 2 shapes and 1 element types",
    ),
    ({"column_major": ("Z",)}, "there is no array 'Z'; there are: X, Y"),
    ({"data": ("intger",)}, "there is no kind of data 'intger'; did you mean 'integer'?"),
    ({"data": ()}, "no kind of data is given; there are: random, integer, adversarial"),
    ({"reference": of_a_stranger}, "there is no array or constant 'scale'; there are: X, Y"),
    (
        {"reference": of_everything},
        "the reference takes all arrays; it returns those that it does not take",
    ),
    (
        {"reference": too_short},
        "the reference returns an array of shape [16, 16] for Y, which has [32, 16]",
    ),
    ({"reference": too_many}, "the reference returns 2 arrays for Y"),
]


def check(reference: Callable[..., Any] = twice, **options: Any) -> str:
    given: Options = {
        **{"shapes": SHAPES, "types": xt.f32, "reference": reference, "levels": ["xegpu"]},
        **options,
    }
    made: Callable[..., object] = xt.testing.check
    return str(made(scaled, **given))


def test_it_executes_everywhere() -> None:
    found = check(data=("integer", "adversarial"))
    assert found.startswith(
        "6 executions: level workgroup (integer), eager execution (integer)"
    )


@pytest.mark.parametrize("options, expected", WRONG)
def test_it_notices_what_is_wrong(options: Options, expected: str) -> None:
    with pytest.raises(AssertionError) as error:
        check(**options)
    assert expected in str(error.value)


def test_large_integers_are_compared_bit_by_bit() -> None:
    large = np.array([1 << 62], np.int64)
    assert worst(large, large, xt.i64) is None
    wrong = worst(large + 1, large, xt.i64)
    assert wrong is not None
    assert wrong.wrong == 1


@pytest.mark.parametrize("options, expected", REFUSED)
def test_what_it_cannot_try_is_refused(options: Options, expected: str) -> None:
    with pytest.raises(xt.XetileError) as error:
        check(**options)
    assert expected in str(error.value)
