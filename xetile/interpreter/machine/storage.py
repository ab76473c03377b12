"""Representation of elements in memory: their bits, a byte of storage for each byte of memory."""

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike, DTypeLike
from xdsl.ir import Operation

from xetile.interpreter.machine.elements import Element, cut_tf32
from xetile.interpreter.machine.runtime_values import Array

_BITS: dict[int, DTypeLike] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
"""Integer types by their bytes."""


class Storage:
    """Storage in which bytes are bytes, and elements have numpy's representation."""

    unit = 1
    """Bytes of storage for each byte of memory."""

    def new(self, size: int) -> Array:
        """Return memory of zeros, one entry for each byte."""
        return np.zeros(size, np.uint8)

    def placed(self, array: Array) -> Array:
        """Return the memory of an array, including gaps between rows, one entry for each byte."""
        return bytes_of(array)

    def held(self, of: Element) -> np.dtype[np.generic]:
        """Return the numpy type of an element in storage."""
        return of.dtype

    def given(self, values: Array, of: Element) -> Array:
        """Convert a launch's scalars to the type of computation."""
        return values

    def loaded(self, at: Operation, values: Array, of: Element) -> Array:
        """Convert elements in storage to the type of computation."""
        return cut_tf32(values) if of.name == "tf32" else values

    def stored(self, values: ArrayLike, of: Element) -> ArrayLike:
        """Convert elements to a type that numpy can assign to storage."""
        return values

    def filled(self, found: Array, where: Array, otherwise: Array, of: Element) -> Array:
        """Return loaded elements where `where`, in their order, and `otherwise` elsewhere."""
        values = otherwise.astype(of.dtype)
        values[where] = found
        return values

    def bits(self, values: Array, of: Element) -> Array:
        """Return integers that are equal if elements are the same."""
        return values.view(_BITS[of.size])


def bytes_of(array: Array) -> Array:
    """Return the memory of an array as bytes, including gaps between rows."""
    if array.size == 0:
        return np.zeros(0, np.uint8)
    size = array.itemsize
    reach = (
        sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) // size + 1
    )
    # As integers: the float8_e5m2 of ml_dtypes has a
    # type string that numpy does not read.
    words = array.view(f"u{size}") if size <= np.dtype(np.uint64).itemsize else array
    flat = as_strided(words, (reach,), (size,), writeable=array.flags.writeable)
    return flat.view(np.uint8)
