"""Padding other than zero: 2D block loads return zero outside the surface, and a selection replaces that.

The masks are made from limits, block by block.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, VectorType, i1
from xdsl.ir import Attribute, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import ConstantMaskOp, CreateMaskOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import LoadGatherOp, LoadTileOp
from xetile.layout.algebra.block_grids import block_offsets
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import repeated
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Grid, Tile, XeGPUView
from xetile.planning.xe.roles import pads
from xetile.rewriting.one_to_many import Offset


def mask(view: XeGPUView, limits: Sequence[Offset], shape: Sequence[int]) -> SSAValue:
    """Return a mask of the coordinates below their limits, which may be negative or beyond the block."""
    type = VectorType(i1, shape)
    return view.new(CreateMaskOp([view.index(limit) for limit in limits], type))


def difference(view: XeGPUView, left: Offset, right: Offset) -> Offset:
    """Return `left` less `right`."""
    if isinstance(left, int) and isinstance(right, int):
        return left - right
    return view.new(arith.SubiOp(view.index(left), view.index(right)))


def mask_in_blocks(view: XeGPUView, value: SSAValue, block: tuple[int, int]) -> Grid | None:
    """Return the mask of a whole vector as masks of its blocks, or None if it is not made from limits."""
    op = value.owner
    limits: Sequence[Offset]
    if isinstance(op, ConstantMaskOp):
        limits = integers_of(op, "mask_dim_sizes")
    elif isinstance(op, CreateMaskOp):
        limits = [view.single(limit) for limit in op.operands]
    else:
        return None
    rows, columns = vector_type(value).get_shape()
    height, width = block

    def make(row: int, column: int) -> SSAValue:
        starts = (row * height, column * width)
        pairs = zip(limits, starts, strict=True)
        return mask(view, [difference(view, *pair) for pair in pairs], block)

    return Grid.built((rows // height, columns // width), block, make)


def padding_of(op: LoadTileOp | LoadGatherOp) -> float | None:
    """Return the padding number of a load, or None for the zero that accesses return outside."""
    if not pads(op):
        return None
    return cast("FloatAttr | IntegerAttr", op.padding).value.data


def padded(view: XeGPUView, op: LoadTileOp, tile: Tile, grid: Grid) -> Grid:
    """Return a loaded tile with its padding outside the surface."""
    number = padding_of(op)
    if number is None:
        return grid
    assert grid.pack == 1, "a message that packs is chosen for operand B as it is loaded only"
    type = cast(VectorType[Attribute], grid.values[0].type)
    filler = view.new(arith.ConstantOp(repeated(number, type)))
    extents = [count * extent for count, extent in zip(grid.shape, grid.block, strict=True)]
    blocks = [
        _select(view, value, filler, tile, start)
        for value, start in zip(grid.values, block_offsets(extents, grid.block), strict=True)
    ]
    return Grid(blocks, grid.shape, grid.block)


def _select(
    view: XeGPUView, value: SSAValue, filler: SSAValue, tile: Tile, start: tuple[int, ...]
) -> SSAValue:
    """Return a block with the filler above, below, left and right of the surface, wherever it may reach out."""
    height, width = cast(VectorType[Attribute], value.type).get_shape()
    row, column = (view.add(tile.offset(d), start[d]) for d in range(2))
    rows, columns = (
        difference(view, size, first)
        for size, first in zip(tile.sizes, (row, column), strict=True)
    )
    if not (_at_least(rows, height) and _at_least(columns, width)):
        value = view.new(
            arith.SelectOp(mask(view, (rows, columns), (height, width)), value, filler)
        )
    for first, bounds in (
        (row, (difference(view, 0, row), width)),
        (column, (height, difference(view, 0, column))),
    ):
        if not _at_least(first, 0):
            before = mask(view, bounds, (height, width))
            value = view.new(arith.SelectOp(before, filler, value))
    return value


def _at_least(offset: Offset, least: int) -> bool:
    return isinstance(offset, int) and offset >= least
