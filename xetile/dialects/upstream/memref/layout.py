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
    return (
        layout is not None and DYNAMIC_INDEX not in type.get_shape() and None not in layout[0]
    )


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


def _linear(map: AffineMap) -> tuple[Strides, int | None] | None:
    """A map with one result, a sum of dimensions times constants; its symbols make the offset dynamic."""
    expression, rank = map.results[0], map.num_dims
    if not all(_is_linear(part) for part in expression.dfs()):
        return None

    def unit(place: int, length: int) -> list[int]:
        return [int(place == other) for other in range(length)]

    no_dimension, no_symbol = [0] * rank, [0] * map.num_symbols
    offset = expression.eval(no_dimension, no_symbol)
    strides = [expression.eval(unit(d, rank), no_symbol) - offset for d in range(rank)]
    is_dynamic = any(
        expression.eval(no_dimension, unit(symbol, map.num_symbols)) != offset
        for symbol in range(map.num_symbols)
    )
    return tuple(strides), None if is_dynamic else offset


def _is_linear(part: AffineExpr) -> bool:
    # xDSL reads products with constants only, and puts the constant last
    return (
        not isinstance(part, AffineBinaryOpExpr)
        or part.kind is AffineBinaryOpKind.Add
        or (part.kind is AffineBinaryOpKind.Mul and isinstance(part.rhs, AffineConstantExpr))
    )
