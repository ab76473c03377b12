"""Boxes that slices take out of vectors of rank 2, in blocks."""

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

from xdsl.ir import Operation

from xetile.analysis.same_value import is_tile_vector, vector_shape
from xetile.dialects.upstream.vector import ExtractStridedSliceOp

Block = tuple[int, int]
"""Rows and columns (elements)."""


class Slice(NamedTuple):
    """The box of a vector of rank 2 that a slice takes (elements)."""

    offsets: tuple[int, int]
    sizes: tuple[int, int]

    def whole_blocks(self, block: Block) -> Block:
        """The largest block that divides `block` and of which the box has whole ones."""
        rows, columns = (
            gcd(*extents) for extents in zip(block, self.offsets, self.sizes, strict=True)
        )
        return rows, columns

    def blocks_around(self, block: Block, shape: Sequence[int]) -> Block:
        """`whole_blocks` that divide the vector of this shape too."""
        rows, columns = (
            gcd(extent, whole)
            for extent, whole in zip(self.whole_blocks(block), shape, strict=True)
        )
        return rows, columns


def slice_of(op: Operation) -> Slice | None:
    """The box of a vector.extract_strided_slice of rank 2, dimensions that it does not name included."""
    if not isinstance(op, ExtractStridedSliceOp) or not is_tile_vector(op.source.type):
        return None
    named = [offset.value.data for offset in op.offsets]
    rows, columns = (*named, *[0] * (2 - len(named)))
    height, width = vector_shape(op.result)
    return Slice((rows, columns), (height, width))
