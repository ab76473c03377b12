"""Arrays to try kernels on, and what their bits mean as numbers.

| data | holds |
|---|---|
| random | normal numbers of 0 and width 1, rounded to the type; integers over their whole range |
| integer | whole numbers from -4 to 4, of which many sums and products are exact |
| adversarial | random, among it infinities, NaN, the largest, smallest and subnormal numbers, both zeros; extremes |
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
from ml_dtypes import finfo
from numpy.typing import NDArray

from xetile.language.given import held_as
from xetile.language.types import ArrayType, ElementType

Numbers: TypeAlias = NDArray[Any]

Data = Literal["random", "integer", "adversarial"]
DATA: tuple[Data, ...] = get_args(Data)
"""All kinds of data."""

_SMALL = 4
"""The largest of small whole numbers."""

_ODD_ONES = 16
"""One in so many elements of adversarial data is an extreme."""

_TWO_IN_A_BYTE = 4
"""Bits of an element that shares a byte with another."""


def numbers(type: ArrayType, data: Data, random: np.random.Generator) -> Numbers:
    """Elements of an array of a type, as it holds them: two i4 to a byte, tf32 as f32."""
    shape = tuple(extent for extent in type.extents if isinstance(extent, int))
    if type.element.kind == "float":
        found = _floats(type.element, shape, data, random)
    else:
        found = _integers(type.element, shape, data, random)
        if type.element.bits == _TWO_IN_A_BYTE:
            nibbles = found.astype(np.uint8) & 15
            found = nibbles[..., 0::2] | nibbles[..., 1::2] << 4
    return _ordered(found.astype(held_as(type.element)[0]), type)


def _ordered(found: Numbers, type: ArrayType) -> Numbers:
    if not type.column_major:
        return np.ascontiguousarray(found)
    return np.ascontiguousarray(found.swapaxes(-1, -2)).swapaxes(-1, -2)


def _floats(
    element: ElementType, shape: Sequence[int], data: Data, random: np.random.Generator
) -> Numbers:
    if data == "integer":
        return random.integers(-_SMALL, _SMALL, size=shape, endpoint=True).astype(np.float64)
    kind = held_as(element)[0]
    found = random.standard_normal(shape).astype(np.float32).astype(kind)
    if data == "adversarial":
        facts = facts_of(element)
        extremes = [
            facts.max,
            facts.min,
            facts.tiny,
            facts.smallest_subnormal,
            -0.0,
            0.0,
            np.nan,
        ]
        if element.name != "f8E4M3FN":  # it has no infinity
            extremes += [np.inf, -np.inf]
        values = np.array([float(one) for one in extremes]).astype(kind)
        odd = random.random(shape) < 1 / _ODD_ONES
        found = np.where(odd, random.choice(values, size=shape), found)
    return found


def facts_of(element: ElementType) -> "np.finfo[np.float64]":
    """The limits of a type of floats, as it is held."""
    return cast("np.finfo[np.float64]", finfo(held_as(element)[0]))


def _integers(
    element: ElementType, shape: Sequence[int], data: Data, random: np.random.Generator
) -> Numbers:
    low, high = limits(element)
    if data == "integer":
        return random.integers(max(low, -_SMALL), min(high, _SMALL), size=shape, endpoint=True)
    found = random.integers(low, high, size=shape, endpoint=True)
    if data == "adversarial":
        odd = random.random(shape) < 1 / _ODD_ONES
        found = np.where(odd, random.choice([low, high], size=shape), found)
    return found


def limits(element: ElementType) -> tuple[int, int]:
    """The smallest and the largest number of an integer type."""
    if element.name.startswith("u"):
        return 0, (1 << element.bits) - 1
    return -(1 << element.bits - 1), (1 << element.bits - 1) - 1


def meaning(array: Numbers, element: ElementType) -> Numbers:
    """What an array holds, as f64, or i64 for integers: what references get."""
    if element.bits == _TWO_IN_A_BYTE:
        return _halves(array.view(np.uint8), signed=not element.name.startswith("u"))
    if element.kind != "float":
        return array.astype(np.int64)
    if element.name == "tf32":  # the lower bits of a word are dropped when it is loaded
        array = (array.view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32)
    return array.astype(np.float64)


def _halves(pairs: Numbers, *, signed: bool) -> Numbers:
    both = np.stack([pairs & 15, pairs >> 4], axis=-1).astype(np.int64)
    found = both.reshape(*pairs.shape[:-1], 2 * pairs.shape[-1])
    return (found ^ 8) - 8 if signed else found
