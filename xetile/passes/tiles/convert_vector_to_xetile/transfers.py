"""vector.transfer_read and transfer_write: a tile of the memref's last two dimensions, loaded or stored."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, MemRefType
from xdsl.dialects.vector import TransferReadOp, TransferWriteOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xetile.dialects.index_lists import Mixed
from xetile.dialects.upstream.arith.arith_support import constant_value
from xetile.dialects.upstream.memref.memref_layout import ranked
from xetile.dialects.upstream.vector.contractions import mask_dimensions
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import LoadTileOp, StoreTileOp
from xetile.errors import fail
from xetile.passes.tiles.convert_vector_to_xetile.bounds import Access, is_whole, mask_bounds
from xetile.passes.tiles.convert_vector_to_xetile.left_out import is_zero
from xetile.passes.tiles.convert_vector_to_xetile.making import (
    Making,
    Matrix,
    extents,
    matrix_of,
)
from xetile.passes.tiles.convert_vector_to_xetile.tile_places import Placed, tile_at


class ConvertRead(RewritePattern):
    """Load a tile, and transpose or broadcast it according to the permutation map."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, TransferReadOp):
            return
        making = Making(op)
        sources = _sources(op, op.result)
        matrix = making.dimensions(op.result)
        access = _access(op, op.result, sources)
        placed = tile_at(making, access)
        loaded = making.add(LoadTileOp(placed.tile, padding=_padding(op, access)))
        sides = _sides(placed, sources, _wide(matrix, op.result))
        whole = making.arranged(loaded, sides, extents(op.result, matrix))
        result = making.like(whole, op.result)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, making.made, [result])


class ConvertWrite(RewritePattern):
    """Store a tile, transposed according to the permutation map."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, TransferWriteOp):
            return
        making = Making(op)
        sources = _sources(op, op.vector)
        matrix = making.dimensions(op.vector)
        value = making.matrix(op.vector)
        placed = tile_at(making, _access(op, op.vector, sources))
        sides = _sides(placed, sources, _wide(matrix, op.vector))
        turned = sides[0] == 1 or sides[1] == 0
        stored = making.arranged(value, [1, 0], extents(value, (1, 0))) if turned else value
        making.add(StoreTileOp(stored, placed.tile))
        rewriter.replace(op, making.made, [])


def _sources(op: TransferReadOp | TransferWriteOp, vector: SSAValue) -> list[int | None]:
    """Return for each dimension of the vector that of the memref, or None if elements are copied.

    Errors: XetileError at the op if there is no tile for it.
    """
    source: Attribute = op.source.type
    if not isinstance(source, MemRefType):
        fail(op, f"'source' is {source}; expected a memref, bufferize the program first")
    if ranked(op.source.type).get_num_dims() == 0:
        fail(op, f"'source' is {op.source.type}, which has no rows")
    map = op.permutation_map.data
    found: list[int | None] = []
    for result in map.results:
        is_copy = isinstance(result, AffineConstantExpr) and result.value == 0
        if not is_copy and not isinstance(result, AffineDimExpr):
            fail(op, f"'permutation_map' has {result}; expected dimensions and zeros")
        found.append(result.position if isinstance(result, AffineDimExpr) else None)
    if len(found) != len(vector_type(vector).get_shape()):
        fail(op, f"{vector.type} has elements that are vectors; a tile has numbers")
    if None in found and matrix_of(vector_type(vector).get_shape()) is None:
        fail(
            op,
            f"{vector.type} copies a matrix for each row or column of another, which is half of a product; with "
            "create_named_contraction, transform.structured.vectorize keeps products as vector.contract",
        )
    return found


def _access(
    op: TransferReadOp | TransferWriteOp, vector: SSAValue, sources: Sequence[int | None]
) -> Access:
    rank = ranked(op.source.type).get_num_dims()
    shape = vector_type(vector).get_shape()
    promised = [
        bool(cast("IntegerAttr", flag).value.data)
        for flag in cast("ArrayAttr[Attribute]", op.in_bounds)
    ]
    taken, inside = [1] * rank, [True] * rank
    for dimension, source in enumerate(sources):
        if source is None:
            continue
        if source < rank - 2 and shape[dimension] != 1:
            fail(
                op,
                f"{vector.type} has {shape[dimension]} elements along dimension {source} of "
                f"{op.source.type}; a tile spans the last two",
            )
        taken[source], inside[source] = shape[dimension], promised[dimension]
    bounds: list[Mixed | None] = [None] * rank
    if op.mask is not None:
        found = mask_bounds(op, op.mask)
        for bound, dimension in zip(found, mask_dimensions(op), strict=True):
            source = sources[dimension]
            assert source is not None
            bounds[source] = bound
    return Access(op.source, list(op.indices), taken, inside, bounds, range(rank))


def _wide(matrix: Matrix, vector: SSAValue) -> list[int | None]:
    """Return the dimensions of a matrix whose extent is not 1."""
    shape = vector_type(vector).get_shape()
    return [None if d is None or shape[d] == 1 else d for d in matrix]


def _sides(
    placed: Placed, sources: Sequence[int | None], dimensions: Sequence[int | None]
) -> list[int | None]:
    """Return the side of the tile, rows (0) or columns (1), for dimensions of the vector; None for copies."""
    found = [None if d is None else sources[d] for d in dimensions]
    return [None if source is None else placed.sides[source] for source in found]


def _padding(op: TransferReadOp, access: Access) -> Attribute | None:
    """Return the padding of a tile, or None for zeros or if the whole access is inside."""
    whole = all(map(is_whole, access.bounds, access.extents))
    if (whole and all(access.in_bounds)) or is_zero(op.padding):
        return None
    found = constant_value(op.padding)
    if found is None:
        fail(
            op,
            "the padding is known at run time only; a tile is padded with a number, or 'in_bounds' "
            "says that nothing is outside",
        )
    return found
