"""Strides and offset of a memref type."""

from itertools import permutations
from math import prod

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr, AffineMap


def strides_and_offset(
    type: MemRefType[Attribute],
) -> tuple[tuple[int | None, ...], int | None] | None:
    """Strides and offset of a memref in elements, None for each that is dynamic; None for other layouts.

    Affine maps are understood where they permute the dimensions: (d0, d1) -> (d1, d0) is column-major.
    """
    shape, layout = type.get_shape(), type.layout
    if isinstance(layout, NoneAttr):
        return _dense(shape), 0
    if isinstance(layout, StridedLayoutAttr):
        strides = tuple(layout.get_strides())
        return strides, layout.get_offset()
    if isinstance(layout, AffineMapAttr):
        return _permuted(shape, layout.data)
    return None


def _dense(shape: tuple[int, ...]) -> tuple[int | None, ...]:
    return tuple(None if -1 in shape[d + 1 :] else prod(shape[d + 1 :]) for d in range(len(shape)))


def _permuted(
    shape: tuple[int, ...], map: AffineMap
) -> tuple[tuple[int | None, ...], int | None] | None:
    rank = len(shape)
    for order in permutations(range(rank)):
        results = tuple(AffineDimExpr(dimension) for dimension in order)
        if map == AffineMap(rank, 0, results):
            dense = _dense(tuple(shape[d] for d in order))
            strides: list[int | None] = [None] * rank
            for stride, dimension in zip(dense, order, strict=True):
                strides[dimension] = stride
            return tuple(strides), 0
    return None
