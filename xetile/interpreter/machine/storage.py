"""How memory holds elements: as their bits, a byte of storage for each byte of memory."""

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike, DTypeLike
from xdsl.ir import Operation

from xetile.interpreter.machine.elements import Element, cut_tf32
from xetile.interpreter.machine.runtime_values import Array

_BITS: dict[int, DTypeLike] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
"""Integers by their bytes."""


class Storage:
    """Bytes are bytes, elements lie in memory as numpy has them."""

    unit = 1
    """Bytes of storage for each byte of memory."""

    def new(self, size: int) -> Array:
        """Memory of zeros, one entry for each byte."""
        return np.zeros(size, np.uint8)

    def placed(self, array: Array) -> Array:
        """The memory of an array, gaps between rows included, one entry for each byte."""
        return bytes_of(array)

    def held(self, of: Element) -> np.dtype[np.generic]:
        """The numpy type of an element in storage."""
        return of.dtype

    def given(self, values: Array, of: Element) -> Array:
        """A launch's scalars as they are computed with."""
        return values

    def loaded(self, at: Operation, values: Array, of: Element) -> Array:
        """Elements in storage as they are computed with."""
        return cut_tf32(values) if of.name == "tf32" else values

    def stored(self, values: ArrayLike, of: Element) -> ArrayLike:
        """Elements as storage holds them, in a type that numpy assigns to it."""
        return values

    def filled(self, found: Array, where: Array, otherwise: Array, of: Element) -> Array:
        """Loaded elements where `where`, in their order; others elsewhere."""
        values = otherwise.astype(of.dtype)
        values[where] = found
        return values

    def bits(self, values: Array, of: Element) -> Array:
        """Integers that are equal where elements are the same."""
        return values.view(_BITS[of.size])


def bytes_of(array: Array) -> Array:
    """The memory of an array as bytes, gaps between rows included."""
    if array.size == 0:
        return np.zeros(0, np.uint8)
    size = array.itemsize
    reach = (
        sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) // size + 1
    )
    # By integers: the float8_e5m2 of ml_dtypes has a
    # type string that numpy does not read.
    words = array.view(f"u{size}") if size <= np.dtype(np.uint64).itemsize else array
    flat = as_strided(words, (reach,), (size,), writeable=array.flags.writeable)
    return flat.view(np.uint8)
