"""Two arrays held against each other: equal bits, or a bound on the difference."""

from typing import NamedTuple

import numpy
from numpy.typing import NDArray

Array = NDArray[numpy.generic]


class Difference(NamedTuple):
    """Where two arrays differ: the largest error, how many elements, the first place and its values."""

    largest: float
    number: int
    place: tuple[int, ...]
    ours: object
    theirs: object


def compare(ours: Array, theirs: Array, bound: float | None) -> Difference | None:
    """How two arrays of one shape and type differ; None if they do not.

    `bound` is the largest absolute difference that counts as equal; None asks for equal bits, but any NaN is
    equal to any other. Errors are computed in f64; a NaN or infinity on one side only is an infinite error.
    """
    nan = _is_nan(ours) & _is_nan(theirs)
    error = _errors(ours, theirs)
    error[nan] = 0.0
    unequal = _bits(ours) != _bits(theirs) if bound is None else error > bound
    unequal &= ~nan
    if not unequal.any():
        return None
    place = tuple(int(index) for index in numpy.argwhere(unequal)[0])
    largest = float(error[unequal].max())
    return Difference(largest, int(unequal.sum()), place, ours[place], theirs[place])


def _bits(array: Array) -> Array:
    size = array.dtype.itemsize
    return numpy.ascontiguousarray(array).view(numpy.dtype(f"u{size}")).reshape(array.shape)


def _is_nan(array: Array) -> NDArray[numpy.bool]:
    return numpy.isnan(_wide(array))


def _wide(array: Array) -> NDArray[numpy.float64]:
    return array.astype(numpy.float64)


def _errors(ours: Array, theirs: Array) -> NDArray[numpy.float64]:
    left, right = _wide(ours), _wide(theirs)
    with numpy.errstate(invalid="ignore"):
        error = numpy.abs(left - right)
    error[left == right] = 0.0
    return numpy.where(numpy.isnan(error), numpy.inf, error)
