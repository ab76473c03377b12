"""vector.gather, scatter, maskedload and maskedstore: elements with indices or masks of their own."""

from collections.abc import Sequence

from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    VectorType,
    i1,
)
from xdsl.dialects.vector import BroadcastOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream.arith import IndexCastOp, SelectOp
from xetile.dialects.upstream.memref.memref_layout import linear_strides_and_offset, ranked
from xetile.dialects.upstream.vector import (
    ConstantMaskOp,
    CreateMaskOp,
    GatherOp,
    MaskedLoadOp,
    MaskedStoreOp,
    ScatterOp,
    StepOp,
)
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import InitTileOp, LoadGatherOp, StoreScatterOp, TileType
from xetile.dialects.xetile.xetile_attributes import TileAttr, memory_space_of
from xetile.errors import fail
from xetile.passes.tiles.convert_vector_to_xetile.making import Making, extents


class ConvertGather(RewritePattern):
    """Load elements by their indices; elements that are masked off get the pass-through value."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, GatherOp | MaskedLoadOp):
            return
        making = Making(op)
        indices = _indices(making, op, op.result)
        tile = _tile(making, op.base, _starts(op), indices, op.result)
        mask = making.matrix(op.mask)
        loaded = making.add(LoadGatherOp(tile, mask))
        other = making.matrix(op.pass_thru)
        value = making.add(SelectOp(mask, loaded, other))
        result = making.like(value, op.result)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, making.made, [result])


class ConvertScatter(RewritePattern):
    """Store elements by their indices."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ScatterOp | MaskedStoreOp):
            return
        making = Making(op)
        value = op.value_to_store
        indices = _indices(making, op, value)
        tile = _tile(making, op.base, _starts(op), indices, value)
        making.add(StoreScatterOp(making.matrix(value), tile, making.matrix(op.mask)))
        rewriter.replace(op, making.made, [])


def _indices(making: Making, op: Operation, vector: SSAValue) -> SSAValue:
    """Return the elements' offsets from the base, as a matrix of indices."""
    if not isinstance(op, GatherOp | ScatterOp):
        return _counted(making, vector)
    matrix = making.matrix(op.indices)
    wanted = VectorType(IndexType(), vector_type(matrix).get_shape())
    return matrix if matrix.type == wanted else making.add(IndexCastOp(matrix, wanted))


def _starts(op: GatherOp | ScatterOp | MaskedLoadOp | MaskedStoreOp) -> Sequence[SSAValue]:
    return op.offsets if isinstance(op, GatherOp | ScatterOp) else op.indices


def _tile(
    making: Making,
    base: SSAValue,
    starts: Sequence[SSAValue],
    indices: SSAValue,
    vector: SSAValue,
) -> SSAValue:
    type = ranked(base.type)
    if type.get_num_dims() != 1:
        fail(
            making.op,
            f"'base' is {type}; places of a scattered tile count in a memref of one dimension, "
            "memref.collapse_shape makes one",
        )
    layout = linear_strides_and_offset(type)
    if layout is None or layout[0] != (1,):
        fail(
            making.op,
            f"'base' is {type}, which has a stride; places count in contiguous elements",
        )
    space = memory_space_of(type.memory_space)
    if space is None:
        fail(making.op, f"{type} lies in a memory space that no tile is in")
    (start,) = starts
    if folded_integer(start) != 0:
        moved = making.add(BroadcastOp(start, vector_type(indices)))
        indices = making.add(AddiOp(indices, moved))
    shape = vector_type(indices).get_shape()
    tile = TileType(
        shape, vector_type(vector).element_type, TileAttr(scattered=True, memory_space=space)
    )
    return making.add(InitTileOp(base, [], [], [], tile, indices=indices))


class ConvertStep(RewritePattern):
    """Rewrite the numbers 0, 1, 2, ... as a constant row."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, StepOp):
            return
        making = Making(op)
        result = making.like(_counted(making, op.result), op.result)
        rewriter.replace(op, making.made, [result])


class ConvertMask(RewritePattern):
    """Rewrite a mask of a vector as the mask of its matrix."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, CreateMaskOp):
            return
        making = Making(op)
        matrix = making.dimensions(op.results[0])
        for dimension, bound in enumerate(op.operands):
            number = folded_integer(bound)
            if dimension not in matrix and (number is None or number < 1):
                fail(
                    op,
                    f"dimension {dimension} has one element, and a bound that may mask it off",
                )
        bounds = [_one(making) if d is None else op.operands[d] for d in matrix]
        type = VectorType(i1, extents(op.results[0], matrix))
        mask = making.add(CreateMaskOp(bounds, type))
        rewriter.replace(op, making.made, [making.like(mask, op.results[0])])


class ConvertConstantMask(RewritePattern):
    """Rewrite a constant mask of a vector as the mask of its matrix."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ConstantMaskOp):
            return
        making = Making(op)
        matrix = making.dimensions(op.results[0])
        sizes = op.mask_dim_sizes.get_values()
        is_empty = 0 in sizes
        kept = [0 if is_empty else 1 if d is None else sizes[d] for d in matrix]
        type = VectorType(i1, extents(op.results[0], matrix))
        mask = making.add(ConstantMaskOp(kept, type))
        rewriter.replace(op, making.made, [making.like(mask, op.results[0])])


def _one(making: Making) -> SSAValue:
    return making.add(ConstantOp(IntegerAttr(1, IndexType())))


def _counted(making: Making, vector: SSAValue) -> SSAValue:
    """Return 0, 1, 2, ... for the elements of a vector of one dimension, as its matrix."""
    (count,) = vector_type(vector).get_shape()
    type = VectorType(IndexType(), [1, count])
    return making.add(ConstantOp(DenseIntOrFPElementsAttr.from_list(type, range(count))))
