"""Products, constants, and ops that move, combine or repeat the elements of vectors, on blocks."""

from collections.abc import Iterator, Sequence
from itertools import product

from xdsl.dialects.builtin import I64, DenseArrayBase, VectorType, i64
from xdsl.ir import Attribute, Operation

from xetile.analysis.constants import dense_value, is_splat, splat_of_type, taken
from xetile.dialects.upstream.vector import ExtractStridedSliceOp
from xetile.dialects.upstream.vector.vector_support import integers
from xetile.dialects.xetile import (
    TileBroadcastOp,
    TileMMAOp,
    TilePackOp,
    TileReduceOp,
    TileTransposeOp,
    TileUnpackOp,
)
from xetile.passes.xe.xetile_blocking.blocked_view import BlockedView, Packed, blocked_type
from xetile.planning.xe.blocks import without
from xetile.planning.xe.roles import slice_of
from xetile.rewriting.rewriter import Handlers, on


def _tile_mma(view: BlockedView, op: TileMMAOp) -> None:
    m, n, k = view.blocks.product_block(op)
    operands = [view.packed(op.operands[0], (m, k)), view.packed(op.operands[1], (k, n))]
    operands.extend(view.packed(accumulator, (m, n)) for accumulator in op.operands[2:])
    view.bind_blocks(op, operands, (m, n))


def _tile_transpose(view: BlockedView, op: TileTransposeOp) -> None:
    source = view.blocked(op.source)
    order = op.permutation.get_values()
    rows, columns = (source.block[d] for d in order)
    made = view.bind_blocks(op, [source.value], (rows, columns))
    made.properties["permutation"] = _both_levels(order)


def _tile_reduce(view: BlockedView, op: TileReduceOp) -> None:
    source, dimensions = view.blocked(op.source), op.reduction_dims.get_values()
    made = view.bind_blocks(op, [source.value], without(source.block, dimensions))
    made.properties["reduction_dims"] = _both_levels(dimensions)


def _tile_broadcast(view: BlockedView, op: TileBroadcastOp) -> None:
    block, dimensions = view.blocks.home(op.result), op.broadcast_dims.get_values()
    source = view.packed(op.source, without(block, dimensions))
    made = view.bind_blocks(op, [source], block)
    made.properties["broadcast_dims"] = _both_levels(dimensions)


def _extract_strided_slice(view: BlockedView, op: ExtractStridedSliceOp) -> None:
    """Slice whole blocks; cut the vector first if the slice begins or ends inside a block."""
    box, source = slice_of(op), view.get(op.source)
    if box is None or not isinstance(source, Packed):  # what has no blocks is sliced whole
        view.copy(op)
        return
    block = box.whole_blocks(source.block)
    offsets, sizes = (
        [extent // step for extent, step in zip(extents, block, strict=True)]
        for extents in box
    )
    made = view.bind_blocks(op, [view.repack(source, block).value], block)
    made.properties |= {
        "offsets": integers(offsets),
        "sizes": integers(sizes),
        "strides": integers([1, 1]),
    }


def _both_levels(dimensions: Sequence[int]) -> DenseArrayBase[I64]:
    """Return dimensions of rank 2 as those of rank 4: the ones that count blocks, then the ones inside a block."""
    return DenseArrayBase.from_list(i64, [*dimensions, *(d + 2 for d in dimensions)])


def _tile_pack(view: BlockedView, op: TilePackOp) -> None:
    """Pack into the explicit blocks; no canceling pair of pack and unpack is made."""
    rows, columns = op.inner_blocks.get_values()
    view.bind(op.result, view.packed(op.source, (rows, columns)))


def _tile_unpack(view: BlockedView, op: TileUnpackOp) -> None:
    rows, columns = op.inner_blocks.get_values()
    view.bind(op.result, Packed([view.single(op.source)], (rows, columns)))


def _constant(view: BlockedView, op: Operation) -> None:
    value = dense_value(op)
    if value is None:
        view.copy(op)
        return
    block = view.blocks.home(op.results[0])
    type = blocked_type(op.results[0], block)
    made = view.bind_blocks(op, [], block)
    if is_splat(value):
        made.properties["value"] = splat_of_type(value, type)
    else:
        made.properties["value"] = taken(value, _block_order(type), type)


def _block_order(type: VectorType[Attribute]) -> Iterator[int]:
    """Yield the position in the rows of the 2D vector of each element of a 4D vector."""
    rows, columns, height, width = type.get_shape()
    for i, j, y, x in product(range(rows), range(columns), range(height), range(width)):
        yield (i * height + y) * columns * width + j * width + x


def _broadcast(view: BlockedView, op: Operation) -> None:
    """Repeat one element in equal blocks; broadcast vectors whole."""
    if isinstance(op.operands[0].type, VectorType):
        view.copy(op)
        return
    view.bind_blocks(op, [view.single(op.operands[0])], view.blocks.home(op.results[0]))


HANDLERS: Handlers[BlockedView] = {
    **on(TileMMAOp, _tile_mma),
    **on(TileTransposeOp, _tile_transpose),
    **on(TileReduceOp, _tile_reduce),
    **on(TileBroadcastOp, _tile_broadcast),
    **on(TilePackOp, _tile_pack),
    **on(TileUnpackOp, _tile_unpack),
    **on(ExtractStridedSliceOp, _extract_strided_slice),
    "arith.constant": _constant,
    "vector.broadcast": _broadcast,
}
