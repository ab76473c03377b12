"""Which subgroup holds which part of a tile: maps made of the kernel's layout of subgroups."""

from math import gcd, log2, prod

from xetile.language.builder import Pair
from xetile.targets.xe.surface import SURFACE


def prefetched(shape: Pair, subgroups: int, element_bits: int) -> tuple[Pair, Pair]:
    """Deal a tile out to all subgroups so that each fetches one piece, and no two the same if possible.

    Among the ways to do that, pieces that are one cache line wide win, then those of more
    rows of subgroups. Where the tile has fewer pieces than there are subgroups, some fetch
    the same. The result is how subgroups are laid out, and the piece of each.
    """
    divisors = [rows for rows in range(1, subgroups + 1) if subgroups % rows == 0]

    def cost(layout: Pair) -> tuple[bool, int, float, int]:
        units = _units(shape, layout)
        width_bytes = shape[1] // units[1] * element_bits / 8
        duplicates = subgroups // prod(units)
        distance = abs(log2(width_bytes / SURFACE.base_alignment))  # a cache line
        return width_bytes % SURFACE.column_multiple != 0, duplicates, distance, -layout[0]

    layout = min(((rows, subgroups // rows) for rows in divisors), key=cost)
    units = _units(shape, layout)
    return layout, (shape[0] // units[0], shape[1] // units[1])


def _units(shape: Pair, layout: Pair) -> Pair:
    """Into how many pieces each dimension is cut: one per subgroup, or as many as divide both."""
    return gcd(shape[0], layout[0]), gcd(shape[1], layout[1])
