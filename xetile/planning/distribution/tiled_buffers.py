"""Buffers in shared memory that tiles alone reach: nobody sees how they lie, so they lie as their tiles want it.

Of a 64x64 f16 buffer that is filled with 16x32 tiles and read as the operands of products, each 8x16 block has its
rows one behind the other, so that every message is one of a block.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xetile.planning.distribution.exchanges import swizzles
from xetile.planning.distribution.planner import Cell, Place
from xetile.planning.distribution.shared_messages import Memory, Side, side
from xetile.targets.target import Target


class Reach(NamedTuple):
    """Tiles of one kind: so many cells of a buffer are stored or loaded at once; `weight` says how often that is."""

    cell: Cell
    cells: int
    weight: int
    loads: bool


class Laid(NamedTuple):
    """How a buffer lies, and the messages with which each of the tiles reaches it."""

    memory: Memory
    sides: tuple[Side, ...]
    rank: tuple[float, ...]


def planned_buffer(shape: Place, reaches: Sequence[Reach], bits: int, device: Target) -> Laid:
    """The cheapest order of a buffer's elements (of `bits`) without conflicts, row-major if it is one."""
    tried = dict.fromkeys([Memory(shape, (shape[1], 1))])
    for stored in dict.fromkeys(reach.cell for reach in reaches if not reach.loads):
        for loaded in dict.fromkeys(reach.cell for reach in reaches if reach.loads):
            tried.update(dict.fromkeys(swizzles(stored, loaded, shape, bits, device)))
    laid = [_laid(memory, reaches, bits, device) for memory in tried]
    return min(laid, key=lambda found: found.rank)


def _laid(memory: Memory, reaches: Sequence[Reach], bits: int, device: Target) -> Laid:
    sides = tuple([side(reach.cell, reach.cells, memory, bits, device) for reach in reaches])
    price = sum(
        reach.weight * found.price for reach, found in zip(reaches, sides, strict=True)
    )
    conflicts = max((found.conflicts for found in sides), default=0)
    return Laid(memory, sides, (conflicts, price, memory.swizzle is not None))
