"""Field elements in memory and registers: a cell of 64 bits for each byte.

An element has 31 bits, f16 has 16, and registers at level V pack two f16 into a word. So a byte is a cell, which is
either a number from 0 to 255, or a piece of a float: its field element, the index of this byte, and the number of
its bytes. The bytes of zero are zeros, as for IEEE floats. A float is read from all of its pieces in their order, or
from bytes, which encode an IEEE number; any other mixture has no meaning, and reading it raises.
Integers that contain pieces are opaque to numpy ("V", eight bytes for each of theirs), and move unchanged.
"""

import numpy as np
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.field.prime_field import PRIME, of_floats, scattered
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.runtime_values import Array

CELL = 8
"""Bytes of a cell."""

_PIECE = np.uint64(1 << 63)
_COUNT_SHIFT, _NUMBER_SHIFT = 48, 40
_ELEMENT = np.uint64((1 << 32) - 1)
_NUMBER = np.uint64(1 << _NUMBER_SHIFT)
_LAST_BYTE = 255

_INVERTED = np.uint64(1 << 62)
"""A bit of the pieces of a negative float whose bits below the sign are inverted, which gives the order of integers."""


def opaque(size: int) -> np.dtype[np.void]:
    """Return the numpy type of an element of `size` bytes in cells."""
    return np.dtype(f"V{CELL * size}")


def cells_of(values: Array) -> Array:
    """Return the cells of opaque elements: [..., bytes]."""
    return np.ascontiguousarray(values)[..., None].view(np.uint64)


def opaque_of(cells: Array) -> Array:
    """Return the elements whose cells are the last dimension."""
    return np.ascontiguousarray(cells).view(opaque(cells.shape[-1]))[..., 0]


def cells_of_floats(values: Array, size: int) -> Array:
    """Return the pieces of field elements, as floats of `size` bytes: [..., size]."""
    elements = (values % PRIME).astype(np.uint64)
    marks = (
        _PIECE | np.uint64(size << _COUNT_SHIFT) | np.arange(size, dtype=np.uint64) * _NUMBER
    )
    cells = elements[..., None] | marks
    cells[values == 0] = 0
    return cells


def is_piece(cells: Array) -> Array:
    """Return which cells are pieces of floats."""
    return cells >= _PIECE


def inverted(cells: Array) -> Array:
    """Invert the bits below the sign of pieces; other cells stay."""
    return np.where(is_piece(cells), cells ^ _INVERTED, cells)


def is_inverted(cells: Array) -> Array:
    """Return which cells are pieces with the bits below the sign inverted."""
    return is_piece(cells) & (cells & _INVERTED != 0)


def floats_of(cells: Array, of: Element) -> Array | None:
    """Return the field elements in cells [..., bytes], or None if some are not a float."""
    first = cells[..., 0]
    pieces = first >= _PIECE
    marks = np.arange(of.size, dtype=np.uint64) * _NUMBER
    whole = (cells - marks == first[..., None]).all(axis=-1)
    named = first & ~_ELEMENT == _PIECE | np.uint64(of.size << _COUNT_SHIFT)
    bytes = (cells <= _LAST_BYTE).all(axis=-1)
    if not (bytes | pieces & whole & named).all():
        return None
    found = (first & _ELEMENT).astype(np.int64)
    found = np.where(found > PRIME >> 1, found - PRIME, found)
    if bytes.any():
        found[bytes] = of_floats(numbers_of(cells[bytes], of))
    return found


def floats_at(at: Operation, cells: Array, of: Element) -> Array:
    """Return the field elements in cells; raise at an op if some are not a float."""
    found = floats_of(cells, of)
    if found is None:
        fail(
            at,
            f"'{at.name}' takes bytes for {of.name} that are no whole float, and mean nothing in the field",
        )
    return found


def numbers_of(cells: Array, of: Element) -> Array:
    """Decode cells that are bytes of IEEE floats, as f64."""
    held = np.ascontiguousarray(cells.astype(np.uint8)).view(of.dtype)[..., 0]
    return held.astype(np.float64)


def integers_of(cells: Array, of: Element) -> Array:
    """Return integers if all cells are bytes, else opaque elements."""
    if (cells > _LAST_BYTE).any():
        return opaque_of(cells)
    held = np.ascontiguousarray(cells.astype(np.uint8)).view(
        np.uint8 if of.dtype == np.bool else of.dtype
    )[..., 0]
    return held.astype(np.bool) if of.dtype == np.bool else held


def identity(cells: Array) -> Array:
    """Return integers that are equal where cells [..., bytes] are equal."""
    parts = [cells[..., byte].view(np.int64) for byte in range(cells.shape[-1])]
    return scattered("cells", parts)
