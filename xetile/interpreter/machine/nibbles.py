"""Elements of 4 bits in memory: two neighbours of a row share a byte, the left one has its low bits.

Tiles of them are tiles of half as many bytes; nothing else reaches them.
"""

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.machine.elements import Element, wrap
from xetile.interpreter.machine.values import Array, Surface, Tile

BYTE = Element("ui8", 8, np.dtype(np.uint8), is_float=False, unsigned=True)


def in_bytes(at: Operation, tile: Tile, of: Element) -> Tile:
    """The same tile in bytes; refused where it cuts one."""
    surface, (row, column) = tile
    (height, width), (pitch, step) = surface.sizes, surface.strides
    for what, numbers in (
        ("the tile begins at column", column),
        ("the matrix has rows of", width),
        ("the matrix has a pitch of", pitch),
    ):
        odd = numbers[numbers % 2 != 0]
        if odd.size:
            shared = f"two elements of {of.name} share a byte, expected an even number"
            fail(at, f"{what} {int(odd[0])}; {shared}")
    halved = Surface(surface.base, (height, width // 2), (pitch // 2, step))
    return Tile(halved, (row, column // 2))


def unpacked(values: Array, of: Element) -> Array:
    """Bytes as twice as many elements along the last dimension."""
    pairs = np.stack([values, values >> 4], axis=-1)
    return wrap(pairs.reshape(*values.shape[:-1], -1).astype(np.int64), of)


def packed(values: Array) -> Array:
    """Elements as half as many bytes along the last dimension."""
    low, high = (values[..., start::2].astype(np.uint8) & 15 for start in range(2))
    return low | high << 4


def packed_padding(padding: ArrayLike) -> ArrayLike:
    """The byte of two elements that are both padding."""
    return packed(np.array([padding, padding]))[0]


def refuse_elements(at: Operation, of: Element) -> NoReturn:
    """Say that what reaches single elements does not reach these."""
    fail(
        at,
        f"'{at.name}': elements of {of.name} share bytes of memory, which tiles reach only",
    )
