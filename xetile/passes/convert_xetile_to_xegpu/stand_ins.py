"""Products of fewer columns, or fewer steps of K, than the matrix instruction has: with stand-ins in the other places.

Of 8x8 and 8x8 in f16, an instruction of 8x16 and 16x16 that multiplies them keeps their bits: where K is missing it
adds -0.0 * 0.0, which is -0.0 and changes no sum; what it gives for missing columns is not used.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import InsertStridedSliceOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xetile.types import FLOAT_TYPES
from xetile.layout.algebra.distribution import block_offsets
from xetile.passes.convert_xetile_to_xegpu.constants import repeated
from xetile.passes.convert_xetile_to_xegpu.view import Grid, XeGPUView
from xetile.planning.slices import Block


def filled(view: XeGPUView, grid: Grid, block: Block, *, negative: bool = False) -> Grid:
    """The same vector in larger blocks, zeros (negative ones, if asked for) where none are left of its own."""
    if grid.block == block:
        return grid
    down, across = (new // old for new, old in zip(block, grid.block, strict=True))
    whole = view.repack(grid, grid.block)
    shape = (-(-grid.shape[0] // down), -(-grid.shape[1] // across))
    element = vector_type(grid.values[0]).element_type
    zero = -0.0 if negative and isinstance(element, FLOAT_TYPES) else 0.0
    filler = view.new(arith.ConstantOp(repeated(zero, VectorType(element, block))))

    def joined(row: int, column: int) -> SSAValue:
        value = filler
        for start in block_offsets(block, grid.block):
            at = (
                row * down + start[0] // grid.block[0],
                column * across + start[1] // grid.block[1],
            )
            if at[0] < grid.shape[0] and at[1] < grid.shape[1]:
                value = view.new(InsertStridedSliceOp(whole.at(*at), value, start))
        return value

    return Grid.built(shape, block, joined)


def taken_out(view: XeGPUView, filled: Grid, shape: Sequence[int], block: Block) -> Grid:
    """So many blocks of those that were filled, without what is not theirs."""
    if filled.block == block:
        return filled
    parts = view.cut(filled, block)
    return Grid.built(shape, block, parts.at)
