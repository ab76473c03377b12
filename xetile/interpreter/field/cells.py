"""How memory and registers hold elements of a field: a cell of 64 bits for each byte.

An element has 31 bits, f16 has 16, and registers at level V pack two f16 into a word. So a byte is a cell, which holds
either a number from 0 to 255, or a piece of a float: its element of the field, which of its bytes this one is, and how
many it has. The bytes of zero are zeros, as they are of IEEE's. A float is read from all of its pieces in their order,
or from bytes, which mean the number of IEEE that they encode; what is neither has no meaning and is refused.
Integers that hold pieces are opaque to numpy ("V", eight bytes for each of theirs), and move as they are.
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
"""The bit of pieces of a float below zero whose bits below the sign are inverted, for the order of integers."""


def opaque(size: int) -> np.dtype[np.void]:
    """The numpy type of an element of `size` bytes in cells."""
    return np.dtype(f"V{CELL * size}")


def cells_of(values: Array) -> Array:
    """The cells of opaque elements: [..., bytes]."""
    return np.ascontiguousarray(values)[..., None].view(np.uint64)


def opaque_of(cells: Array) -> Array:
    """Elements whose cells are the last dimension."""
    return np.ascontiguousarray(cells).view(opaque(cells.shape[-1]))[..., 0]


def cells_of_floats(values: Array, size: int) -> Array:
    """The pieces of elements of the field, as floats of `size` bytes: [..., size]."""
    elements = (values % PRIME).astype(np.uint64)
    marks = (
        _PIECE | np.uint64(size << _COUNT_SHIFT) | np.arange(size, dtype=np.uint64) * _NUMBER
    )
    cells = elements[..., None] | marks
    cells[values == 0] = 0
    return cells


def is_piece(cells: Array) -> Array:
    """Which cells are pieces of floats."""
    return cells >= _PIECE


def inverted(cells: Array) -> Array:
    """Pieces with the bits below the sign inverted; what is no piece stays."""
    return np.where(is_piece(cells), cells ^ _INVERTED, cells)


def is_inverted(cells: Array) -> Array:
    """Which cells are pieces with the bits below the sign inverted."""
    return is_piece(cells) & (cells & _INVERTED != 0)


def floats_of(cells: Array, of: Element) -> Array | None:
    """The elements of the field that cells [..., bytes] hold; None where some are no float's."""
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
    """The elements of the field that cells hold, refused at an op where some are no float's."""
    found = floats_of(cells, of)
    if found is None:
        fail(
            at,
            f"'{at.name}' takes bytes for {of.name} that are no whole float, and mean nothing in the field",
        )
    return found


def numbers_of(cells: Array, of: Element) -> Array:
    """What cells that are bytes encode of IEEE's floats, as f64."""
    held = np.ascontiguousarray(cells.astype(np.uint8)).view(of.dtype)[..., 0]
    return held.astype(np.float64)


def integers_of(cells: Array, of: Element) -> Array:
    """Integers where all cells are bytes, else opaque elements."""
    if (cells > _LAST_BYTE).any():
        return opaque_of(cells)
    held = np.ascontiguousarray(cells.astype(np.uint8)).view(
        np.uint8 if of.dtype == np.bool else of.dtype
    )[..., 0]
    return held.astype(np.bool) if of.dtype == np.bool else held


def identity(cells: Array) -> Array:
    """Integers that are equal where cells [..., bytes] are."""
    parts = [cells[..., byte].view(np.int64) for byte in range(cells.shape[-1])]
    return scattered("cells", parts)
