"""Strides and offset of a memref type. xDSL 0.75 lacks those of maps (test_memref_layout.py fails once it has them)."""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.bitwise_casts import is_power_of_two
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.swizzle import SwizzleAttr
from xetile.errors import fail

AnyMemRef = MemRefType[Attribute]
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


def ranked(type: Attribute) -> AnyMemRef:
    """The type of an operand or result that its definition has verified to be a memref."""
    assert isinstance(type, MemRefType)
    return cast("AnyMemRef", type)


def linear_strides_and_offset(
    type: MemRefType[Attribute],
) -> tuple[Strides, int | None] | None:
    """As `strides_and_offset`, for the layouts that upstream's memref ops take: no permuted dimensions."""
    layout = type.layout
    if not isinstance(layout, AffineMapAttr) or len(layout.data.results) == 1:
        return strides_and_offset(type)
    return strides_and_offset(type) if _is_identity(layout.data) else None


def plain_layout(type: MemRefType[Attribute]) -> Attribute:
    """The layout, none for a map that changes nothing, which upstream leaves out of the type."""
    layout = type.layout
    is_identity = isinstance(layout, AffineMapAttr) and _is_identity(layout.data)
    return NoneAttr() if is_identity else layout


def is_dense(type: MemRefType[Attribute]) -> bool:
    """Return True if the type has the default layout, without gaps between elements, or `strided<[1]>`."""
    one = StridedLayoutAttr([1])
    return isinstance(plain_layout(type), NoneAttr) or type.layout == one


def symbols(type: MemRefType[Attribute]) -> int:
    """How many numbers a layout leaves open: the offset first, then strides, or the symbols of a map."""
    layout = type.layout
    if isinstance(layout, StridedLayoutAttr):
        return [layout.get_offset(), *layout.get_strides()].count(None)
    return layout.data.num_symbols if isinstance(layout, AffineMapAttr) else 0


def verify_layouts(op: Operation) -> None:
    """Check that the layout of each memref that an op defines has as many dimensions as its shape.

    Errors: XetileError at the op. Upstream refuses such a type where it is written.
    """
    values = [
        *op.results,
        *(v for region in op.regions for b in region.blocks for v in b.args),
    ]
    for value in values:
        if not isinstance(value.type, MemRefType):
            continue
        type = cast("MemRefType[Attribute]", value.type)
        found, rank = _rank_of(type.layout), type.get_num_dims()
        if isinstance(type.layout, SwizzleAttr) and type.layout.shape != type.get_shape():
            covered = "x".join(map(str, type.layout.shape))
            fail(op, f"the swizzle of {type} covers {covered} elements, expected the shape")
        if found is not None and found != rank:
            fail(op, f"the layout of {type} has {found} dimensions, its shape has {rank}")


def verify_symbols(type: MemRefType[Attribute], given: int) -> None:
    """Check the operands in brackets of an allocation, which fill what its layout leaves open."""
    if given != symbols(type):
        raise VerifyException(
            f"'symbol_operands' has {given} entries, the layout of {type} leaves {symbols(type)} open; "
            "they stand in brackets after the extents"
        )


def verify_alignment(alignment: Attribute | None) -> None:
    """Check an alignment in bytes, a power of two in 64 bits."""
    if alignment is None:
        return
    number = (
        cast("IntegerAttr", alignment).value.data if isinstance(alignment, IntegerAttr) else 0
    )
    is_wide = isinstance(alignment, IntegerAttr) and cast("IntegerAttr", alignment).type == i64
    if not is_wide or number <= 0 or not is_power_of_two(number):
        raise VerifyException(f"'alignment' is {alignment}, expected a power of two as i64")


def shapes_agree(one: MemRefType[Attribute], other: MemRefType[Attribute]) -> bool:
    """Return True if the types have one rank, and no extent that is static in both differs."""
    shapes = one.get_shape(), other.get_shape()
    return len(shapes[0]) == len(shapes[1]) and all(
        a < 0 or b < 0 or a == b for a, b in zip(*shapes, strict=True)
    )


def _rank_of(layout: Attribute) -> int | None:
    if isinstance(layout, StridedLayoutAttr):
        return len(layout.strides)
    return layout.data.num_dims if isinstance(layout, AffineMapAttr) else None


def _is_identity(map: AffineMap) -> bool:
    return map == AffineMap.identity(map.num_dims, map.num_symbols) and not map.num_symbols


def is_static(type: MemRefType[Attribute]) -> bool:
    """Return True if all extents and strides are known at compile time; the offset need not be."""
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
