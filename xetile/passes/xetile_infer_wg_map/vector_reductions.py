"""The vector dialect's reductions of a workgroup's rows or columns, as `tile_reduce`, which has maps.

Before:

    %start = arith.constant dense<0.0> : vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %start [1] : vector<64x128xf32> to vector<64xf32>
    %c = vector.shape_cast %s {wg_map = #map} : vector<64xf32> to vector<64x1xf32>

After:

    %c = xetile.tile_reduce <add>, %v [1] {wg_map_result = #map} : vector<64x128xf32> -> vector<64x1xf32>

A start that changes something is combined with the result. Sums and products of floats depend on where they start, so
theirs must be 0.0 and 1.0; others stay as they are, as does a reduction whose result is used as the 1D vector that it
is, which no map distributes.
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, OpResult
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xetile.analysis.constants import Dense, dense_value, is_splat, splat_of_type
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import MultiReductionOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xetile import TileReduceOp, WorkgroupMapAttr
from xetile.rewriting.combining import combined
from xetile.rewriting.positions import walk

_UNCHANGED_FROM: Mapping[str, float] = {"add": 0.0, "mul": 1.0}
"""Where sums and products of floats start that are those of their elements alone."""


def raise_vector_reductions(function: Operation) -> None:
    """Rewrite the reductions of a workgroup-level function that keep their rank through a shape_cast."""
    walk(function, _RaiseReduction(), recursive=False)


class _RaiseReduction(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        reduction = _reduction_of(op)
        if reduction is None:
            return
        start = _start(reduction)
        if start is None:
            return
        map = op.attributes.get("wg_map", reduction.attributes.get("wg_map"))
        kind = reduction.kind.data
        dims = reduction.reduction_dims.get_values()
        made = TileReduceOp(
            kind,
            reduction.source,
            dims,
            wg_map_result=map if isinstance(map, WorkgroupMapAttr) else None,
        )
        made.result.name_hint = op.results[0].name_hint
        if _changes_nothing(kind, start):
            rewriter.replace(op, made)
        else:
            type = vector_type(made.result)
            value = arith.ConstantOp(splat_of_type(start, type))
            whole = combined(kind, value.result, made.result, type.element_type)
            rewriter.replace(op, [made, value, whole])
        if not reduction.dest.uses:
            rewriter.erase(reduction)


def _reduction_of(op: Operation) -> MultiReductionOp | None:
    if op.name != "vector.shape_cast" or not isinstance(op.operands[0], OpResult):
        return None
    reduction = op.operands[0].owner
    if not isinstance(reduction, MultiReductionOp):
        return None
    shape = list(vector_type(reduction.source).get_shape())
    dims = reduction.reduction_dims.get_values()
    if len(shape) != 2 or len(dims) != 1:
        return None
    shape[int(dims[0])] = 1
    return reduction if list(vector_type(op.results[0]).get_shape()) == shape else None


def _start(reduction: MultiReductionOp) -> Dense | None:
    """The start, where it is one number and the result does not depend on when it is added."""
    owner = reduction.acc.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return None
    start = dense_value(owner)
    if start is None or not is_splat(start):
        return None
    element = vector_type(reduction.source).element_type
    kind = reduction.kind.data
    if isinstance(element, AnyFloat) and kind in _UNCHANGED_FROM:
        return start if _changes_nothing(kind, start) else None
    return start


def _changes_nothing(kind: str, start: Dense) -> bool:
    number = start.get_values()[0]
    return isinstance(number, float) and repr(number) == repr(_UNCHANGED_FROM.get(kind))
