import ml_dtypes
import numpy
import pytest

from xetile.cli.running.run_arrays import compare


def array(
    *values: float, dtype: str = "float32"
) -> "numpy.ndarray[tuple[int, ...], numpy.dtype]":
    return numpy.array(values, dtype)


@pytest.mark.parametrize("bound", [None, 0.0])
def test_equal(bound: float | None) -> None:
    left = array(1, numpy.nan, numpy.inf)
    assert compare(left, left.copy(), bound) is None


def test_equal_bits_tell_zeros_apart_a_bound_does_not() -> None:
    difference = compare(array(0.0), array(-0.0), None)
    assert difference is not None
    assert (difference.number, difference.largest) == (1, 0.0)
    assert compare(array(0.0), array(-0.0), 0.0) is None


def test_largest_error_and_first_place() -> None:
    left = numpy.zeros((3, 4), ml_dtypes.bfloat16)
    right = left.copy()
    right[1, 2], right[2, 3] = 0.5, -2
    difference = compare(left, right, None)
    assert difference is not None
    assert difference.place == (1, 2)
    assert (difference.number, difference.largest) == (2, 2.0)
    inside = compare(left, right, 1.0)
    assert inside is not None
    assert (inside.number, inside.place) == (1, (2, 3))
    assert compare(left, right, 2.0) is None


@pytest.mark.parametrize("wrong", [numpy.nan, numpy.inf])
def test_what_is_not_finite_on_one_side_is_no_bound(wrong: float) -> None:
    difference = compare(array(1, 2), array(1, wrong), 1e30)
    assert difference is not None
    assert difference.largest == numpy.inf
    assert difference.place == (1,)


def test_integers() -> None:
    difference = compare(array(3, 4, dtype="int8"), array(3, -4, dtype="int8"), None)
    assert difference is not None
    assert difference.largest == 8
