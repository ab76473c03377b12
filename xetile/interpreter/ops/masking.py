"""vector.mask: what the op inside does with the elements where the mask is true; the others take no part."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import cast

import numpy as np
from xdsl.ir import Operation

from xetile.dialects.atomic_kinds import identity
from xetile.dialects.fast_math import fast_math
from xetile.dialects.upstream.vector import ContractionOp, MaskOp
from xetile.errors import fail
from xetile.interpreter.common.folds import kind_of
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import element
from xetile.interpreter.machine.values import Array, Values
from xetile.interpreter.ops import contractions, transfers, vector

Masked = Callable[[Frame, Operation, Array], Values]


def _mask(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, MaskOp)
    inside = op.masked
    if inside is None:
        last = op.body.block.last_op
        return [frame.get(value) for value in last.operands] if last is not None else []
    mask = frame.array(op.mask)
    values = _INSIDE[inside.name](frame, inside, mask)
    if op.passthru is None:
        return values
    chosen = transfers.spread(inside, mask)
    otherwise = frame.array(op.passthru)
    return [np.where(chosen, cast(Array, value), otherwise) for value in values]


def _reduction(frame: Frame, op: Operation, mask: Array) -> Values:
    """Elements that are masked off are what changes nothing."""
    of = element(op.operands[0])
    nothing = identity(kind_of(op), of.name, None if of.is_float else of.bits, fast_math(op))
    neutral = frame.domain.numbers([nothing], of)
    values = np.where(mask, frame.array(op.operands[0]), neutral)
    return vector.reduced(frame, op, values)


def _contract(frame: Frame, op: Operation, mask: Array) -> Values:
    """The mask is a box of the iteration space: what is summed is cut, and what is kept outside is the accumulator.

    Errors: XetileError at the op for other masks.
    """
    assert isinstance(op, ContractionOp)
    rank = mask.ndim - 1
    sides = [_side(mask, d) for d in range(rank)]
    if (_box(sides, range(rank)) != mask).any():
        fail(op, "cannot execute a contraction whose mask is not a range in each dimension")
    lhs, rhs, acc = frame.arrays(op.operands)
    kept = contractions.positions(op.maps[2])
    summed = [d for d in range(rank) if d not in kept]
    cut: list[Array] = []
    # a product of zeros of either sign is -0.0, which changes no sum
    for values, map, zero, operand in zip(
        (lhs, rhs), op.maps[:2], (-0.0, 0.0), op.operands[:2], strict=True
    ):
        nothing = frame.domain.numbers([zero], element(operand))
        along = contractions.positions(map)
        inside = _box(
            [sides[d] if d in summed else np.ones_like(sides[d]) for d in range(rank)], along
        )
        cut.append(np.where(inside, values, nothing))
    (found,) = contractions.contracted(frame, op, cut[0], cut[1], acc)
    return [np.where(_box(sides, kept), cast(Array, found), acc)]


def _side(mask: Array, dimension: int) -> Array:
    """[threads, extent]: where along a dimension anything is true."""
    others = tuple(d for d in range(1, mask.ndim) if d != dimension + 1)
    return cast(Array, mask.any(axis=others))


def _box(sides: Sequence[Array], along: Sequence[int]) -> Array:
    """[threads, extent] of some dimensions as [threads, *extents]: where all of them hold."""
    parts = [
        sides[d].reshape(len(sides[d]), *(-1 if x == place else 1 for x in range(len(along))))
        for place, d in enumerate(along)
    ]
    return reduce(np.logical_and, parts, np.ones((1, *[1] * len(along)), np.bool))


def _outer_product(frame: Frame, op: Operation, mask: Array) -> Values:
    """Products that are masked off leave the accumulator; without one nothing is said of them."""
    (found,) = contractions.outer_product(frame, op)
    acc = op.operands[2:]
    return [np.where(mask, cast(Array, found), frame.array(acc[0]))] if acc else [found]


def _gather(frame: Frame, op: Operation, mask: Array) -> Values:
    return vector.gathered(frame, op, mask & frame.array(op.operands[-2]))


_INSIDE: Mapping[str, Masked] = {
    "vector.transfer_read": transfers.read,
    "vector.transfer_write": transfers.write,
    "vector.contract": _contract,
    "vector.outerproduct": _outer_product,
    "vector.multi_reduction": _reduction,
    "vector.reduction": _reduction,
    "vector.gather": _gather,
}
"""Ops that have a masked form, as the verifier of `vector.mask` has them."""

HANDLERS: Handlers = {"vector.mask": _mask}
