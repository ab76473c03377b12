"""Where the elements of a tile of a matrix in shared memory lie, behind what is computed of its corner."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue

from xetile.analysis.ranges import Ranges
from xetile.dialects.index_lists import Mixed
from xetile.dialects.xegpu import MemDescType
from xetile.planning.xe.register_layouts.places import (
    ONE,
    Places,
    Term,
    lowest,
    unknown_places,
)
from xetile.planning.xe.register_layouts.scalar_bits import possible_bits


class MatrixPlaces(NamedTuple):
    """The places of a tile's elements behind its corner's computed coordinates.

    Attributes:
        places: with the coordinates that are numbers; all unknown where the tile crosses blocks anywhere.
        multiple: of which the place of the computed coordinates is one (elements); 0 where there are none.
    """

    places: Places
    multiple: int


def matrix_places(
    type: MemDescType, corner: Sequence[Mixed], shape: Sequence[int], ranges: Ranges
) -> MatrixPlaces:
    """The places of a tile of this shape at a corner (row and column)."""
    inner, outer = type.steps
    width = sum(extent.bit_length() - 1 for extent in shape)
    number, multiples, weights = 0, 0, list[int]()
    for dimension, place in enumerate(corner):
        extent, block = shape[dimension], type.block_shape[dimension]
        near, far = inner[dimension], outer[dimension]
        bits = _bits(place, ranges)
        if not _splits(bits, block, extent):
            return MatrixPlaces(unknown_places(shape), 1)
        for bit in range(extent.bit_length() - 1):
            steps, rest = divmod(1 << bit, block)
            weights.append(steps * far + rest * near)
        if isinstance(place, int):
            number += place // block * far + place % block * near
        else:
            multiples |= lowest(bits) * near | far
    return MatrixPlaces(Places(width, {ONE: Term(number, tuple(weights))}), lowest(multiples))


def _bits(place: int | SSAValue, ranges: Ranges) -> int:
    return place if isinstance(place, int) else possible_bits(place, ranges)


def _splits(bits: int, block: int, extent: int) -> bool:
    """Whether a tile of an extent at such a place takes whole blocks, or lies in one of them."""
    if block % extent and extent % block:
        return False
    return extent == 1 or not bits & extent - 1
