"""vector.broadcast, transpose and multi_reduction of matrices."""

from xdsl.dialects.builtin import VectorType
from xdsl.dialects.vector import BroadcastOp, ExtractOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xetile.dialects.fast_math import fast_math
from xetile.dialects.index_lists import join_mixed
from xetile.dialects.upstream.vector import MultiReductionOp, TransposeOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import TileReduceOp
from xetile.errors import fail
from xetile.passes.tiles.convert_vector_to_xetile.making import Making, extents, sides_of
from xetile.rewriting.combining import combined


class ConvertBroadcast(RewritePattern):
    """Copy rows or columns; the broadcast of a number stays `vector.broadcast`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, BroadcastOp) or not isinstance(op.source.type, VectorType):
            return
        making = Making(op)
        given = vector_type(op.source).get_shape()
        rank = len(vector_type(op.vector).get_shape())
        origins = [
            None if d < 0 or given[d] == 1 else d for d in range(len(given) - rank, len(given))
        ]
        matrix = making.dimensions(op.vector)
        sides = sides_of(matrix, making.dimensions(op.source), origins)
        source = making.matrix(op.source)
        whole = making.arranged(source, sides, extents(op.vector, matrix))
        result = making.like(whole, op.vector)
        result.name_hint = op.vector.name_hint
        rewriter.replace(op, making.made, [result])


class ConvertTranspose(RewritePattern):
    """Exchange rows and columns, or drop a transpose that only moves dimensions of extent 1."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, TransposeOp):
            return
        making = Making(op)
        shape = vector_type(op.vector).get_shape()
        order = op.permutation.get_values()
        origins = [None if shape[d] == 1 else d for d in order]
        matrix = making.dimensions(op.result)
        sides = sides_of(matrix, making.dimensions(op.vector), origins)
        source = making.matrix(op.vector)
        whole = making.arranged(source, sides, extents(op.result, matrix))
        result = making.like(whole, op.result)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, making.made, [result])


class ConvertExtract(RewritePattern):
    """Extract a number from a matrix; an extraction along dimensions of extent 1 changes nothing."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ExtractOp):
            return
        making = Making(op)
        matrix = making.dimensions(op.vector)
        source = making.matrix(op.vector)
        place = join_mixed(op.dynamic_position, op.static_position)
        if not isinstance(op.result.type, VectorType):
            if source is op.vector:
                return
            at = [0 if d is None else place[d] for d in matrix]
            result = making.add(ExtractOp(source, at, op.result.type))
        else:
            shape = vector_type(op.vector).get_shape()
            if any(shape[d] != 1 for d in range(len(place))):
                fail(
                    op,
                    f"'vector.extract' takes {op.result.type} out of {op.vector.type}, which moves elements between "
                    "lanes; read that part by vector.transfer_read, or reduce the vector",
                )
            result = making.like(source, op.result)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, making.made, [result])


class ConvertReduction(RewritePattern):
    """Reduce rows or columns, then combine the result with the initial value."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, MultiReductionOp):
            return
        making = Making(op)
        gone = op.reduction_dims.get_values()
        source = making.dimensions(op.source)
        dims = [side for side, d in enumerate(source) if d is not None and d in gone]
        value = making.matrix(op.source)
        kind = op.kind.data
        flags = fast_math(op)
        told = flags if flags.data else None
        if dims:
            value = making.add(TileReduceOp(kind, value, dims, fastmath=told))
        element = vector_type(op.source).element_type
        if not isinstance(op.dest.type, VectorType):
            one = making.add(ExtractOp(value, [0, 0], element))
            result = making.add(combined(kind.value, one, op.acc, element, flags))
        else:
            origins = [
                d for d in range(len(vector_type(op.source).get_shape())) if d not in gone
            ]
            matrix = making.dimensions(op.dest)
            sides = sides_of(matrix, source, origins)
            arranged = making.arranged(value, sides, extents(op.dest, matrix))
            acc = making.matrix(op.acc)
            whole = making.add(combined(kind.value, arranged, acc, element, flags))
            result = making.like(whole, op.acc)
        result.name_hint = op.dest.name_hint
        rewriter.replace(op, making.made, [result])
