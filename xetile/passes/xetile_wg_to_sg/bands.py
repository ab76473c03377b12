"""Exchanges in bands: what is larger than a share of shared memory goes through that share, one band after the other.

A band is a range of rows or of columns that holds whole units of both sides. Which one a subgroup's unit lies in may
depend on the subgroup; then the band's number is computed, and compared where the band is stored and loaded.
"""

from collections.abc import Sequence
from math import lcm, prod
from typing import NamedTuple

from xetile.dialects.upstream import arith
from xetile.layout.algebra.distribution import Coordinates, Term
from xetile.passes.xetile_wg_to_sg.view import SubgroupView
from xetile.rewriting.one_to_many import Offset


class Bands(NamedTuple):
    """How a value is cut: along one dimension, into parts of one extent (elements)."""

    dimension: int
    extent: int
    number: int


class Place(NamedTuple):
    """Where a unit lies: all bands that it may be in, this subgroup's, and its offsets inside of that (elements)."""

    possible: tuple[int, ...]
    band: Offset
    starts: tuple[Offset, ...]


def cut(shape: Sequence[int], units: Sequence[Coordinates], bytes_: int, limit: int) -> Bands:
    """The fewest bands of at most `limit` bytes, for elements of `bytes_`; where there are none so small, the smallest.

    `units` are the extents of both sides' units, of which each band holds whole ones.
    """
    choices: list[Bands] = []
    for dimension, extent in enumerate(shape):
        least = lcm(*(unit[dimension] for unit in units))
        counts = [n for n in range(1, extent // least + 1) if extent % (n * least) == 0]
        choices.extend(Bands(dimension, n * least, extent // (n * least)) for n in counts)
    size = bytes_ * prod(shape)
    fitting = [bands for bands in choices if size <= limit * bands.number]
    if fitting:
        return min(fitting, key=lambda bands: bands.number)
    return max(choices, key=lambda bands: bands.number)


def band_shape(shape: Sequence[int], bands: Bands) -> tuple[int, ...]:
    """The extents of one band (elements)."""
    return tuple(bands.extent if d == bands.dimension else n for d, n in enumerate(shape))


def place(view: SubgroupView, terms: Sequence[Term], bands: Bands) -> Place:
    """Where the unit with these offsets lies."""
    term = terms[bands.dimension]
    possible = tuple(dict.fromkeys(offset // bands.extent for offset in term.offsets))
    starts = [view.unit_offset(t) for t in terms]
    if len(possible) == 1:
        inside = term._replace(shift=term.shift - possible[0] * bands.extent)
        starts[bands.dimension] = view.unit_offset(inside)
        return Place(possible, possible[0], tuple(starts))
    extent, offset = view.constant(bands.extent), view.index(starts[bands.dimension])
    starts[bands.dimension] = view.new(arith.RemUIOp(offset, extent))
    return Place(possible, view.new(arith.DivUIOp(offset, extent)), tuple(starts))
