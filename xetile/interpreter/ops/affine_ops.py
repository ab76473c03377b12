"""The affine dialect: maps of indices, and the loops, conditions and accesses that use them."""

from collections.abc import Sequence
from functools import reduce
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IntegerAttr,
    StringAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
)

from xetile.errors import fail
from xetile.interpreter.common.accesses import load_elements, store_elements
from xetile.interpreter.common.divergence import branch, loop
from xetile.interpreter.common.folds import combine, kind_word
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import (
    all_numbers,
    attribute,
    cut,
    element,
    integer,
    segments,
)
from xetile.interpreter.machine.runtime_values import Array, Values, uniform

_DIVISIONS = (AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)


def _evaluate(
    op: Operation, expression: AffineExpr, dims: int, values: Sequence[Array]
) -> Array:
    """Evaluate an expression of dimensions, the first `dims` of the values, and symbols, the others."""
    # xDSL's evaluation uses only operators of numbers,
    # which arrays have too.
    numbers = cast("Sequence[int]", values)
    for part in expression.dfs():
        if isinstance(part, AffineBinaryOpExpr) and part.kind in _DIVISIONS:
            divisor = np.asarray(part.rhs.eval(numbers[:dims], numbers[dims:]))
            if (divisor <= 0).any():
                fail(
                    op,
                    f"'{op.name}' divides by {int(divisor.min())}; expected a positive number",
                )
    return np.asarray(expression.eval(numbers[:dims], numbers[dims:]), np.int64).reshape(-1)


def _map(op: Operation, name: str = "map") -> AffineMap:
    found = attribute(op, name)
    if not isinstance(found, AffineMapAttr):
        fail(op, f"'{name}' is missing")
    return found.data


def _results(
    frame: Frame, op: Operation, map: AffineMap, operands: Sequence[SSAValue]
) -> list[Array]:
    values = all_numbers(frame, operands)
    return [_evaluate(op, result, map.num_dims, values) for result in map.results]


def _apply(frame: Frame, op: Operation) -> Values:
    return _results(frame, op, _map(op), op.operands)


def _min(frame: Frame, op: Operation) -> Values:
    return [reduce(np.minimum, _results(frame, op, _map(op), op.operands))]


def _max(frame: Frame, op: Operation) -> Values:
    return [reduce(np.maximum, _results(frame, op, _map(op), op.operands))]


def _for(frame: Frame, op: Operation) -> Values:
    of_lower, of_upper, starts = segments(op)
    lower = reduce(np.maximum, _results(frame, op, _map(op, "lowerBoundMap"), of_lower))
    upper = reduce(np.minimum, _results(frame, op, _map(op, "upperBoundMap"), of_upper))
    step = uniform(integer(op, "step"))
    body = op.regions[0].block
    return loop(
        frame,
        op,
        [(lower, upper, step)],
        [frame.get(value) for value in starts],
        lambda inner, at, values: inner.run(body, [*at, *values]),
    )


def _parallel(frame: Frame, op: Operation) -> Values:
    """Execute one round after the other, which is one of the orders that the op allows."""
    lower_map, upper_map = _map(op, "lowerBoundsMap"), _map(op, "upperBoundsMap")
    count = lower_map.num_dims + lower_map.num_symbols
    end = count + upper_map.num_dims + upper_map.num_symbols
    lower = _grouped(
        op, "lowerBoundsGroups", _results(frame, op, lower_map, op.operands[:count])
    )
    upper = _grouped(
        op, "upperBoundsGroups", _results(frame, op, upper_map, op.operands[count:end])
    )
    steps = cast("ArrayAttr[IntegerAttr]", attribute(op, "steps"))
    kinds = cast("ArrayAttr[StringAttr | IntegerAttr]", attribute(op, "reductions"))

    def run(inner: Frame, at: Sequence[Array], totals: Values) -> Values:
        values = inner.run(op.regions[0].block, at)
        pairs = zip(kinds, totals, values, op.results, strict=True)
        return [
            combine(
                op,
                kind_word(kind),
                cast(Array, total),
                cast(Array, value),
                element(result),
                frame.domain,
            )
            for kind, total, value, result in pairs
        ]

    bounds = [
        (reduce(np.maximum, low), reduce(np.minimum, high), uniform(step.value.data))
        for low, high, step in zip(lower, upper, steps, strict=True)
    ]
    return loop(frame, op, bounds, [frame.get(value) for value in op.operands[end:]], run)


def _grouped(op: Operation, name: str, values: Sequence[Array]) -> list[Sequence[Array]]:
    sizes = cast("DenseIntElementsAttr", attribute(op, name))
    return cut(values, map(int, sizes.get_values()))


def _if(frame: Frame, op: Operation) -> Values:
    found = attribute(op, "condition")
    assert isinstance(found, AffineSetAttr)
    values = all_numbers(frame, op.operands)
    holds: Array = np.ones(1, np.bool)
    for constraint in found.data.constraints:
        holds = holds & _holds(op, constraint, found.data.num_dims, values)
    blocks = [region.blocks[0] if region.blocks else None for region in op.regions]
    return branch(frame, [holds, ~holds], blocks)


def _holds(
    op: Operation, constraint: AffineConstraintExpr, dims: int, values: Sequence[Array]
) -> Array:
    x, y = (_evaluate(op, side, dims, values) for side in (constraint.lhs, constraint.rhs))
    kinds = {
        AffineConstraintKind.ge: np.greater_equal,
        AffineConstraintKind.le: np.less_equal,
        AffineConstraintKind.eq: np.equal,
    }
    return kinds[constraint.kind](x, y)


def _load(frame: Frame, op: Operation) -> Values:
    memref, *operands = op.operands
    return load_elements(frame, op, memref, _results(frame, op, _map(op), operands))


def _store(frame: Frame, op: Operation) -> Values:
    value, memref, *operands = op.operands
    return store_elements(frame, op, value, memref, _results(frame, op, _map(op), operands))


HANDLERS: Handlers = {
    "affine.apply": _apply,
    "affine.max": _max,
    "affine.min": _min,
    "affine.for": _for,
    "affine.parallel": _parallel,
    "affine.if": _if,
    "affine.load": _load,
    "affine.store": _store,
    "affine.vector_load": _load,
    "affine.vector_store": _store,
}
