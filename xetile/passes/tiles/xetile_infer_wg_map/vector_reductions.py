"""Rewrite the vector dialect's reductions of a workgroup's rows or columns as `tile_reduce`, which has maps.

Before:

    %start = arith.constant dense<0.0> : vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %start [1] : vector<64x128xf32> to vector<64xf32>
    %c = vector.shape_cast %s {wg_map = #map} : vector<64xf32> to vector<64x1xf32>

After:

    %c = xetile.tile_reduce <add>, %v [1] {wg_map_result = #map} : vector<64x128xf32> -> vector<64x1xf32>

An initial value that changes something is combined with the result, as it is anyway: a sum that starts from 0.0 is not
a negative zero. A reduction whose initial value is not one constant stays, as does one whose result is used as a 1D
vector, which no map distributes.
"""

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Operation, OpResult
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xetile.analysis.constants import Dense, dense_value, is_splat, splat_of_type
from xetile.dialects.atomic_kinds import identity
from xetile.dialects.fast_math import FASTMATH, REASSOCIATES, fast_math
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.arith.arith_support import bits
from xetile.dialects.upstream.vector import MultiReductionOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import TileReduceOp, WorkgroupMapAttr
from xetile.dialects.xetile.tile_type import FLOAT_TYPES
from xetile.rewriting.combining import combined
from xetile.rewriting.kept_positions import walk


def raise_vector_reductions(function: Operation) -> None:
    """Rewrite the reductions of a workgroup-level function that keep their rank by a shape_cast."""
    walk(function, _RaiseReduction(), recursive=False)


class _RaiseReduction(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        reduction = _reduction_of(op)
        if reduction is None:
            return
        start = _start(reduction)
        if start is None:
            return
        flags = reduction.attributes.get(FASTMATH)
        map = op.attributes.get("wg_map", reduction.attributes.get("wg_map"))
        kind = reduction.kind.data
        dims = reduction.reduction_dims.get_values()
        made = TileReduceOp(
            kind,
            reduction.source,
            dims,
            reassoc=UnitAttr() if REASSOCIATES in reduction.attributes else None,
            fastmath=flags if isinstance(flags, FastMathFlagsAttr) else None,
            wg_map_result=map if isinstance(map, WorkgroupMapAttr) else None,
        )
        made.result.name_hint = op.results[0].name_hint
        type = vector_type(made.result)
        if _changes_nothing(kind, start, type.element_type):
            rewriter.replace(op, made)
        else:
            value = arith.ConstantOp(splat_of_type(start, type))
            whole = combined(
                kind, value.result, made.result, type.element_type, fast_math(reduction)
            )
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
    """Return the initial value if it is one constant number, else None."""
    owner = reduction.acc.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return None
    start = dense_value(owner)
    return start if start is not None and is_splat(start) else None


def _changes_nothing(kind: str, start: Dense, element: Attribute) -> bool:
    """Return True if the start is the reduction's neutral element, bit for bit."""
    width = None if isinstance(element, FLOAT_TYPES) else bits(element)
    return repr(start.get_values()[0]) == repr(identity(kind, str(element), width))
