"""The fewest messages that a device's tables allow for the tiles of a K step."""

from collections.abc import Iterable
from typing import NamedTuple

from xetile.analysis.kernel_targets import device_named
from xetile.layout.intel.message_layouts import Access
from xetile.targets.xe.device import XeDevice


class Tile(NamedTuple):
    """What a subgroup loads or prefetches in one step: the message, extents as memory has them (elements), bits.

    A transposed tile is counted in words of 32 bits, which is what transposed messages move.
    """

    access: Access
    rows: int
    columns: int
    bits: int


def fewest(tile: Tile, device: str) -> int:
    """Messages of one shape that cover a tile.

    A transposed message has at most as many rows as a subgroup has lanes: of higher ones IGC makes two where
    their data are an operand (ocloc 26.27).
    """
    target = device_named(device, XeDevice)
    highest = target.lanes if tile.access == "load_transposed" else tile.rows
    return min(
        -(-tile.rows // shape.rows) * -(-tile.columns // (shape.columns * shape.blocks))
        for shape in target.compiled(tile.access, tile.bits)
        if shape.rows <= max(highest, 1)
    )


def bound(tiles: Iterable[Tile], device: str) -> int:
    """The fewest messages for all tiles."""
    return sum(fewest(tile, device) for tile in tiles)
