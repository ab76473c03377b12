"""Indices as sums of multiples of values, so that equal bounds written in different places compare equal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from xetile.dialects.index_lists import Mixed
from xetile.dialects.known_integers import folded_integer


@dataclass(frozen=True)
class Linear:
    """The sum of `constant` and each value in `terms` times its factor, which is never 0."""

    constant: int
    terms: Mapping[SSAValue, int]

    def __add__(self, other: "Linear") -> "Linear":
        terms = dict(self.terms)
        for value, count in other.terms.items():
            terms[value] = terms.get(value, 0) + count
        left = {value: count for value, count in terms.items() if count}
        return Linear(self.constant + other.constant, left)

    def times(self, factor: int) -> "Linear":
        terms = {value: count * factor for value, count in self.terms.items() if factor}
        return Linear(self.constant * factor, terms)

    @property
    def number(self) -> int | None:
        """The number if this is constant, or None if it depends on a value."""
        return None if self.terms else self.constant

    @property
    def value(self) -> SSAValue | None:
        """The value if this is exactly one value, or None."""
        if self.constant or list(self.terms.values()) != [1]:
            return None
        return next(iter(self.terms))


def linear(value: Mixed) -> Linear:
    """Return a number or index as a sum, through sums, differences, products and `affine.apply`; none wraps."""
    if isinstance(value, int):
        return Linear(value, {})
    number = folded_integer(value)
    if number is not None:
        return Linear(number, {})
    found = _computed(value) if isinstance(value, OpResult) else None
    return Linear(0, {value: 1}) if found is None else found


def least(value: Mixed) -> list[Linear]:
    """Return the operands whose minimum `value` is, by `affine.min` or `arith.minsi`; else only `value`."""
    if isinstance(value, OpResult) and value.op.name == "arith.minsi":
        return [found for operand in value.op.operands for found in least(operand)]
    if isinstance(value, OpResult) and value.op.name == "affine.min":
        found = _results(value)
        if all(one is not None for one in found):
            return [one for one in found if one is not None]
    return [linear(value)]


def _computed(value: OpResult) -> Linear | None:
    op = value.op
    match op.name:
        case "arith.addi":
            return linear(op.operands[0]) + linear(op.operands[1])
        case "arith.subi":
            return linear(op.operands[0]) + linear(op.operands[1]).times(-1)
        case "arith.muli":
            return _product(linear(op.operands[0]), linear(op.operands[1]))
        case "affine.apply":
            return _results(value)[0]
        case _:
            return None


def _product(left: Linear, right: Linear) -> Linear | None:
    if left.number is not None:
        return right.times(left.number)
    return None if right.number is None else left.times(right.number)


def _results(value: OpResult) -> list[Linear | None]:
    map = value.op.properties["map"]
    assert isinstance(map, AffineMapAttr)
    operands = [linear(operand) for operand in value.op.operands]
    cut = map.data.num_dims
    return [_expression(one, operands[:cut], operands[cut:]) for one in map.data.results]


def _expression(
    expression: AffineExpr, dimensions: Sequence[Linear], symbols: Sequence[Linear]
) -> Linear | None:
    match expression:
        case AffineConstantExpr(number):
            return Linear(number, {})
        case AffineDimExpr(position):
            return dimensions[position]
        case AffineSymExpr(position):
            return symbols[position]
        case AffineBinaryOpExpr(kind, left, right):
            x, y = (_expression(side, dimensions, symbols) for side in (left, right))
            if x is None or y is None:
                return None
            if kind is AffineBinaryOpKind.Add:
                return x + y
            return _product(x, y) if kind is AffineBinaryOpKind.Mul else None
        case _:
            return None
