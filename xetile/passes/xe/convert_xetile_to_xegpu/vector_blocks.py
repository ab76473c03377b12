"""Vectors in XeGPU: products, repacking, slices, constants.

A product of fewer columns, or fewer steps of K, than the matrix instruction has is filled up. Consider 8x8 and 8x8 in
f16: an instruction of 8x16 and 16x16 that multiplies them gives the same bits. For missing K it adds -0.0 * 0.0, which
is -0.0 and changes no sum; its results for missing columns are not used.
"""

from collections.abc import Sequence
from math import gcd, prod

from xdsl.dialects.builtin import VectorType, i8
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import dense_value, is_splat, splat_of_type, taken
from xetile.dialects.operand_types import FLOATS_8, set_operand_types
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import ExtractStridedSliceOp, InsertStridedSliceOp
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.dialects.xegpu import CompileHintOp, DpasOp
from xetile.dialects.xetile import (
    CheckOp,
    StoreTileOp,
    TileMMAOp,
    TilePackOp,
    TileType,
    TileUnpackOp,
)
from xetile.dialects.xetile.tile_type import FLOAT_TYPES
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR
from xetile.errors import fail
from xetile.layout.algebra.block_grids import block_offsets
from xetile.passes.xe.convert_xetile_to_xegpu.bands import Bands, rebanded
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import repeated, taken_as
from xetile.passes.xe.convert_xetile_to_xegpu.padding import mask_in_blocks
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Grid, XeGPUView
from xetile.planning.xe.heights import held_rows, instruction_heights, shares_instructions
from xetile.planning.xe.roles import Block
from xetile.rewriting.one_to_many import Parts
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.dpas import XeProduct


def filled(view: XeGPUView, grid: Grid, block: Block, *, negative: bool = False) -> Grid:
    """Return the same vector in larger blocks, filled up with zeros (negative ones if `negative`)."""
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
    """Return `shape` blocks cut from filled blocks, without the filler."""
    if filled.block == block:
        return filled
    parts = view.cut(filled, block)
    return Grid.built(shape, block, parts.at)


def tile_mma(view: XeGPUView, op: TileMMAOp) -> None:
    """Emit one matrix instruction per block of the result and of K, K ascending; smaller blocks share one."""
    instruction = view.device.matrix_instruction(
        *(vector_type(value).element_type for value in (op.a, op.b, op.result))
    )
    assert instruction is not None, "checked before"
    if shares_instructions(op):
        _in_bands(view, op, instruction)
        return
    a, b, *sums = (view.grid(value) for value in op.operands)
    type = op.result.type
    rows, columns, m, n = type.get_shape()
    a = filled(view, a, (m, instruction.k), negative=True)
    b = filled(view, b, (instruction.k, instruction.n))
    sums = [filled(view, grid, (m, instruction.n)) for grid in sums]
    result = VectorType(type.element_type, (m, instruction.n))

    def product(row: int, column: int) -> SSAValue:
        total = [grid.at(row, column) for grid in sums]
        for k in range(a.shape[1]):
            total = [_product(view, (a.at(row, k), b.at(k, column)), total, result)]
        return total[0]

    made = Grid.built((rows, b.shape[1]), (m, instruction.n), product)
    view.bind(op.result, taken_out(view, made, (rows, columns), (m, n)))


def _in_bands(view: XeGPUView, op: TileMMAOp, instruction: XeProduct) -> None:
    """Multiply blocks of fewer rows than an instruction by as many instructions as rows need, the last with filler."""
    type = op.result.type
    rows, columns, m, n = type.get_shape()
    heights = instruction_heights(rows * m)

    def banded(value: SSAValue, width: int, *, negative: bool = False) -> Bands:
        if vector_type(value).get_shape()[3] == width:
            return view.banded(view.blocks(value), heights, width)
        wide = filled(view, view.grid(value), (m, width), negative=negative)
        return view.banded(wide, heights, width)

    a = banded(op.a, instruction.k, negative=True)
    b = filled(view, view.grid(op.b), (instruction.k, instruction.n))
    sums = [banded(value, instruction.n) for value in op.operands[2:]]

    def product(band: int, column: int) -> SSAValue:
        total = [part.at(band, column) for part in sums]
        held = VectorType(type.element_type, (held_rows(heights[band]), instruction.n))
        for k in range(a.columns):
            total = [_product(view, (a.at(band, k), b.at(k, column)), total, held)]
        return total[0]

    made = Bands.built(heights, instruction.n, b.shape[1], product)
    if n == instruction.n:
        view.bind(op.result, made)
    else:
        view.bind(op.result, taken_out(view, view.evenly(made, m), (rows, columns), (m, n)))


def _product(
    view: XeGPUView,
    operands: Sequence[SSAValue],
    total: Sequence[SSAValue],
    result: VectorType[Attribute],
) -> SSAValue:
    """Emit one instruction; operands whose types XeGPU cannot multiply are bitcast to bytes."""
    types = [vector_type(value).element_type for value in operands]
    if types[0] == types[1] and not isinstance(types[0], FLOATS_8):
        return view.new(DpasOp(*operands, *total, result_type=result))
    left, right = (taken_as(view, value, i8) for value in operands)
    step = DpasOp(left, right, *total, result_type=result)
    set_operand_types(step, types)
    return view.new(step)


def _tile_unpack(view: XeGPUView, op: TileUnpackOp) -> None:
    became = view.get(op.source)
    view.bind(op.result, became if isinstance(became, Bands) else view.grid(op.source))


def tile_pack(view: XeGPUView, op: TilePackOp) -> None:
    """Cut and join blocks; a whole vector is one block, and a mask by limits is made in blocks."""
    became = view.get(op.source)
    height, width = op.inner_blocks.get_values()
    if isinstance(became, Bands) and _stays_in_bands(became, (height, width)):
        view.bind(op.result, rebanded(view, became, became.heights, width))
        return
    if isinstance(became, Bands):
        became = view.evenly(became, gcd(height, *became.heights))
    if not isinstance(became, Parts):
        masks = mask_in_blocks(view, op.source, (height, width))
        if masks is not None:
            view.bind(op.result, masks)
            return
        rows, columns = vector_type(op.source).get_shape()
        became = Grid([became], (1, 1), (rows, columns))
        view.bind(op.source, became)
    grid = became if isinstance(became, Grid) else view.grid(op.source)
    if not _is_stored_by_columns(op):
        grid = view.repack(grid, (height, width))
    view.bind(op.result, grid)


def _stays_in_bands(bands: Bands, block: Block) -> bool:
    """Return True if blocks of this size lie in the bands, whose columns they split."""
    height, width = block
    return bands.width % width == 0 and all(rows % height == 0 for rows in bands.heights)


def _is_stored_by_columns(op: TilePackOp) -> bool:
    """Return True if blocks are only for column-major stores, which cut them after transposing."""
    users = [use.operation for use in op.result.uses]
    tiles = (user.tile.type for user in users if isinstance(user, StoreTileOp))
    orders = [tile.order for tile in tiles if isinstance(tile, TileType)]
    return bool(users) and orders == [COLUMN_MAJOR] * len(users)


def extract_strided_slice(view: XeGPUView, op: ExtractStridedSliceOp) -> None:
    """Slice a vector in blocks by selecting blocks, which are cut if the slice begins or ends inside one."""
    grid = view.get(op.source)
    if isinstance(grid, Bands):
        grid = view.grid(op.source)
    if not isinstance(grid, Grid):
        view.copy(op)
        return
    offsets, sizes = _box(op)
    rows, columns = (gcd(*extents) for extents in zip(grid.block, offsets, sizes, strict=True))
    grid = view.cut(grid, (rows, columns))
    top, left = offsets[0] // rows, offsets[1] // columns
    shape = (sizes[0] // rows, sizes[1] // columns)
    part = Grid.built(shape, grid.block, lambda i, j: grid.at(top + i, left + j), grid.pack)
    view.bind(op.result, part)


def _box(op: ExtractStridedSliceOp) -> tuple[Sequence[int], Sequence[int]]:
    """Return where a slice begins in the vector that the blocks make up, and its extents (elements)."""
    whole, part = (vector_type(v).get_shape() for v in (op.source, op.result))
    counted, inner = whole[:2], whole[2:] or (1, 1)
    if whole[2:] != part[2:]:
        fail(
            op,
            f"the slice takes {'x'.join(map(str, part[2:]))} of each block of {'x'.join(map(str, inner))}; "
            "slices of whole blocks are lowered to XeGPU: unpack the vector before",
        )
    named = [offset.value.data for offset in op.offsets][:2]
    offsets = [*named, *[0] * (len(counted) - len(named))]
    return (
        [offset * step for offset, step in zip(offsets, inner, strict=True)],
        [extent * step for extent, step in zip(part[:2], inner, strict=True)],
    )


def constant(view: XeGPUView, op: Operation) -> None:
    """Give each block its own elements; blocks that repeat one element share a constant."""
    value = dense_value(op)
    if value is None:
        view.copy(op)
        return
    vector = vector_type(op.results[0])
    if vector.get_num_dims() not in (2, 4):
        view.copy(op)
        return
    *counts, height, width = vector.get_shape()
    block = VectorType(vector.element_type, (height, width))
    heights = view.sums.heights(op.results[0])
    if is_splat(value) and heights is not None:
        made = {
            rows: view.new(
                arith.ConstantOp(
                    splat_of_type(value, vector_of(vector.element_type, (rows, width)))
                )
            )
            for rows in dict.fromkeys(map(held_rows, heights))
        }
        bands = Bands.built(
            heights, width, counts[1], lambda i, _: made[held_rows(heights[i])]
        )
        view.bind(op.results[0], bands)
        return
    if is_splat(value):
        splat = view.new(arith.ConstantOp(splat_of_type(value, block)))
        blocks = [splat] * prod(counts)
    else:
        size = height * width
        blocks = [
            view.new(arith.ConstantOp(taken(value, range(start, start + size), block)))
            for start in range(0, len(value), size)
        ]
    rows, columns = counts or (1, 1)
    view.bind(op.results[0], Grid(blocks, (rows, columns), (height, width)))


def _compile_hint(_: XeGPUView, op: CompileHintOp) -> None:
    """Drop the hint, because upstream's XeGPU does not have it."""


def _check(_: XeGPUView, op: CheckOp) -> None:
    """Drop the check, because XeGPU cannot report to a host; the pass emits a remark."""


HANDLERS: Handlers[XeGPUView] = {
    **on(CheckOp, _check),
    **on(CompileHintOp, _compile_hint),
    **on(TileMMAOp, tile_mma),
    **on(TilePackOp, tile_pack),
    **on(TileUnpackOp, _tile_unpack),
    **on(ExtractStridedSliceOp, extract_strided_slice),
    "arith.constant": constant,
}
