"""The elements that bounds leave out of vectors: are they zeros, and does anything use them?"""

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.dialects.vector import TransferReadOp, TransferWriteOp
from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import carried_pairs
from xetile.dialects.index_lists import Mixed
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream.vector import ContractionOp, MaskOp
from xetile.dialects.upstream.vector.contractions import mask_dimensions
from xetile.dialects.upstream.vector.vector_support import scalar_bytes, vector_type
from xetile.passes.tiles.convert_vector_to_xetile.bounds import (
    is_whole,
    mask_bounds,
    same_bound,
)
from xetile.passes.tiles.convert_vector_to_xetile.vector_products import positions

_KEEP_ZERO = ("arith.extf", "arith.truncf", "arith.extsi", "arith.extui", "arith.trunci")
"""Casts that map zero to zero."""


def is_zero(padding: SSAValue) -> bool:
    """Return True if a padding is zeros, or undefined and so may be."""
    found = scalar_bytes(padding)
    is_any = isinstance(padding.owner, Operation) and padding.owner.name == "ub.poison"
    return is_any or (found is not None and not any(found))


def is_zero_beyond(value: SSAValue, dimension: int, bound: Mixed, extent: int) -> bool:
    """Return True if the elements that a bound leaves out along a dimension are zeros, as reads are padded."""
    maker = value.owner
    if isinstance(maker, Operation) and maker.name in _KEEP_ZERO:
        return is_zero_beyond(maker.operands[0], dimension, bound, extent)
    if not isinstance(maker, TransferReadOp) or maker.mask is None:
        return False
    along = mask_dimensions(maker)
    if dimension not in along or not is_zero(maker.padding):
        return False
    found = mask_bounds(maker, maker.mask)[along.index(dimension)]
    return same_bound(found, bound, extent)


def is_unused(value: SSAValue, bounds: Sequence[Mixed]) -> bool:
    """Return True if nothing that is stored depends on the elements that bounds leave out of a vector."""
    return _is_unused(value, bounds, set())


def _is_unused(value: SSAValue, bounds: Sequence[Mixed], seen: set[SSAValue]) -> bool:
    if value in seen:
        return True
    seen.add(value)
    shape = vector_type(value).get_shape()
    for use in value.uses:
        passed = _passed_on(value, use.operation, use.index)
        if passed is None:
            ends = _ends_at(use.operation, use.index, len(shape))
            fits = ends is not None and all(
                is_whole(bound, extent) or (end is not None and same_bound(end, bound, extent))
                for bound, end, extent in zip(bounds, ends, shape, strict=True)
            )
            if not fits:
                return False
            passed = _accumulated(use.operation)
        if not all(_is_unused(one, bounds, seen) for one in passed):
            return False
    return True


def _passed_on(value: SSAValue, op: Operation, index: int) -> list[SSAValue] | None:
    """Return the values that have, at every place, a result of the vector's element there; None if there are others."""
    if has_trait(op, Elementwise):
        shape = vector_type(value).get_shape()
        same = all(
            isinstance(one.type, VectorType) and vector_type(one).get_shape() == shape
            for one in op.results
        )
        return list(op.results) if same else None
    loop = op.parent_op() if op.name in ("scf.yield", "scf.condition") else op
    if loop is None or not loop.name.startswith("scf."):
        return None
    return [target for target, source in carried_pairs(loop) if source == value] or None


def _ends_at(op: Operation, index: int, rank: int) -> list[Mixed | None] | None:
    """Return where an op stops using its operand, by dimension, or None if it does not use it element by element."""
    outer = op.parent_op()
    mask = outer.mask if isinstance(outer, MaskOp) else None
    if isinstance(op, TransferWriteOp) and index == 0:
        mask = op.mask if mask is None else mask
        along = mask_dimensions(op)
    elif isinstance(op, ContractionOp) and index == 2:
        return _by_iteration(op, mask)
    else:
        return None
    found: list[Mixed | None] = [None] * rank
    if mask is not None:
        for dimension, bound in zip(along, mask_bounds(op, mask), strict=True):
            found[dimension] = bound
    return found


def _by_iteration(op: ContractionOp, mask: SSAValue | None) -> list[Mixed | None]:
    bounds = None if mask is None else mask_bounds(op, mask)
    return [None if bounds is None else bounds[d] for d in positions(op.maps[2])]


def _accumulated(op: Operation) -> list[SSAValue]:
    """Return the sums into which an accumulator goes; a write has none."""
    outer = op.parent_op()
    return list(outer.masked_results) if isinstance(outer, MaskOp) else []
