"""Strides and offset of a memref type; xDSL 0.74 lacks those of maps (test_memref_layout.py tells when not)."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

Strides = tuple[int | None, ...]
"""Elements between neighbours along each dimension; None for what is only known when running."""


def strides_and_offset(type: MemRefType[Attribute]) -> tuple[Strides, int | None] | None:
    """Strides and offset of a memref in elements, None for each that is dynamic; None for other layouts.

    An affine map is understood where its one result is linear, (d0, d1) -> (d0 * 64 + d1 + 3), and where it
    permutes the dimensions: (d0, d1) -> (d1, d0) is column-major.
    """
    shape, layout = type.get_shape(), type.layout
    if isinstance(layout, NoneAttr):
        return _dense(shape), 0
    if isinstance(layout, StridedLayoutAttr):
        return tuple(layout.get_strides()), layout.get_offset()
    if not isinstance(layout, AffineMapAttr):
        return None
    map = layout.data
    if map.num_dims != len(shape):
        return None
    if len(map.results) == 1 and len(shape) != 1:
        return _linear(map)
    return _permuted(shape, map) or (_linear(map) if len(shape) == 1 else None)


def is_static(type: MemRefType[Attribute]) -> bool:
    """Whether all extents and strides are known when compiling; the offset need not be."""
    layout = strides_and_offset(type)
    return layout is not None and DYNAMIC_INDEX not in type.get_shape() and None not in layout[0]


def _dense(shape: Sequence[int]) -> Strides:
    def stride(dimension: int) -> int | None:
        inner = shape[dimension + 1 :]
        return None if DYNAMIC_INDEX in inner else prod(inner)

    return tuple(stride(dimension) for dimension in range(len(shape)))


def _permuted(shape: Sequence[int], map: AffineMap) -> tuple[Strides, int] | None:
    """A map whose results are the dimensions in another order, outermost first."""
    order = [result.position for result in map.results if isinstance(result, AffineDimExpr)]
    if len(order) != len(map.results) or sorted(order) != list(range(len(shape))):
        return None
    dense = _dense([shape[dimension] for dimension in order])
    return tuple(dense[order.index(dimension)] for dimension in range(len(shape))), 0


class _Sum:
    """A linear expression: a constant and one factor for each dimension; None for what symbols make dynamic."""

    def __init__(self, constant: int | None, factors: Sequence[int | None]) -> None:
        self.constant = constant
        self.factors = tuple(factors)

    def plus(self, other: "_Sum") -> "_Sum":
        pairs = zip(self.factors, other.factors, strict=True)
        return _Sum(_add(self.constant, other.constant), [_add(a, b) for a, b in pairs])

    def times(self, scale: int) -> "_Sum":
        return _Sum(_multiply(self.constant, scale), [_multiply(f, scale) for f in self.factors])


def _linear(map: AffineMap) -> tuple[Strides, int | None] | None:
    total = _sum(map.results[0], map.num_dims)
    return None if total is None else (total.factors, total.constant)


def _sum(expression: AffineExpr, rank: int) -> _Sum | None:
    zeros = [0] * rank
    match expression:
        case AffineConstantExpr():
            return _Sum(expression.value, zeros)
        case AffineDimExpr():
            return _Sum(0, [int(dimension == expression.position) for dimension in range(rank)])
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            left, right = _sum(expression.lhs, rank), _sum(expression.rhs, rank)
            return None if left is None or right is None else left.plus(right)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul):
            # xDSL reads products with constants only, and puts the constant last
            left, right = _sum(expression.lhs, rank), expression.rhs
            if left is None or not isinstance(right, AffineConstantExpr):
                return None
            return left.times(right.value)
        case AffineBinaryOpExpr():
            return None
        case _:
            return _Sum(None, zeros)


def _add(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _multiply(a: int | None, b: int) -> int | None:
    if b == 0:
        return 0
    return None if a is None else a * b
