"""Reductions of groups of neighbors, rewritten as reductions of a whole dimension between two casts.

Before:

    %r = xetile.tile_reduce <add>, %v [1] {reduction_size = 8 : i64} : vector<64x32xf32> -> vector<64x4xf32>

After:

    %rows = vector.shape_cast %v : vector<64x32xf32> to vector<256x8xf32>
    %sums = xetile.tile_reduce <add>, %rows [1] : vector<256x8xf32> -> vector<256x1xf32>
    %r = vector.shape_cast %sums : vector<256x1xf32> to vector<64x4xf32>

Groups of rows are rewritten as groups of columns of the transpose.
"""

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from xetile.analysis.same_value import vector_shape
from xetile.dialects.upstream.vector import ShapeCastOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import TileConvLayoutOp, TileReduceOp, TileTransposeOp


def expand_grouped_reductions(function: Operation) -> None:
    """Rewrite the reductions of a function that have a `reduction_size`."""
    for op in list(function.walk()):
        if isinstance(op, TileReduceOp) and op.reduction_size is not None:
            _expand(op, op.reduction_size.value.data)


def _expand(op: TileReduceOp, size: int) -> None:
    (dimension,) = op.reduction_dims.get_values()
    made: list[Operation] = []
    value, element = op.source, vector_type(op.source).element_type
    if op.wg_map_source is not None:
        made.append(TileConvLayoutOp(value, wg_map_result=op.wg_map_source))
        value = made[-1].results[0]
    if dimension == 0:
        made.append(TileTransposeOp(value))
        value = made[-1].results[0]
    rows, columns = vector_shape(value)
    groups = rows * columns // size
    cast = ShapeCastOp(value, VectorType(element, [groups, size]))
    reduced = TileReduceOp(
        op.kind.data.value,
        cast.result,
        [1],
        reassoc=op.reassoc,
        fastmath=op.fastmath,
    )
    back = ShapeCastOp(reduced.result, VectorType(element, [rows, columns // size]))
    made += [cast, reduced, back]
    if dimension == 0:
        made.append(TileTransposeOp(back.result))
    if op.wg_map_result is not None:
        made.append(TileConvLayoutOp(made[-1].results[0], wg_map_result=op.wg_map_result))
    for new in made:
        new.location = op.location
    made[-1].results[0].name_hint = op.result.name_hint
    Rewriter.replace_op(op, made)
