"""Views with dimensions merged or split: xDSL 0.75 does not check them (test_memref_refusals.py tells when it does).

Source: `llvm 22.1.8 mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp`; what is refused is what
mlir-opt 22 refuses.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.dialects.memref import CollapseShapeOp as StockCollapseShapeOp
from xdsl.dialects.memref import ExpandShapeOp as StockExpandShapeOp
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.memref.layout import (
    AnyMemRef,
    is_dense,
    linear_strides_and_offset,
    plain_layout,
    ranked,
)
from xetile.dialects.upstream.memref.windows import times

Groups = Sequence[Sequence[int]]
"""For each dimension of the merged memref those of the other, in ascending order."""


class CollapseShapeOp(StockCollapseShapeOp):
    """Neighbouring dimensions merged into one, where that is one stride."""

    def verify_(self) -> None:
        super().verify_()
        source, result = ranked(self.src.type), ranked(self.result.type)
        groups = groups_of(self.reassociation)
        if source.get_num_dims() < result.get_num_dims():
            raise VerifyException(
                f"'result' is {result}, it has more dimensions than {source}"
            )
        _verify_groups(result.get_shape(), source.get_shape(), groups)
        _expect(result, _collapsed(source, result, groups))


class ExpandShapeOp(StockExpandShapeOp):
    """Dimensions split into several."""

    def verify_(self) -> None:
        super().verify_()
        source, result = ranked(self.src.type), ranked(self.result.type)
        groups = groups_of(self.reassociation)
        if source.get_num_dims() > result.get_num_dims():
            raise VerifyException(
                f"'result' is {result}, it has fewer dimensions than {source}"
            )
        _verify_groups(source.get_shape(), result.get_shape(), groups)
        _expect(result, _expanded(source, result, groups))
        given = [int(n) for n in cast("Sequence[int]", self.static_output_shape.get_values())]
        if len(given) != result.get_num_dims():
            raise VerifyException(
                f"'output_shape' has {len(given)} entries, {result} has rank {result.get_num_dims()}"
            )
        if len(self.output_shape) != given.count(DYNAMIC_INDEX):
            raise VerifyException(
                f"'output_shape' has {len(self.output_shape)} operands for "
                f"{given.count(DYNAMIC_INDEX)} dynamic entries"
            )
        for dimension, (extent, size) in enumerate(
            zip(result.get_shape(), given, strict=True)
        ):
            if extent not in (DYNAMIC_INDEX, size):
                shown = "a dynamic extent" if size == DYNAMIC_INDEX else size
                raise VerifyException(
                    f"'output_shape' has {shown} for dimension {dimension} of {result}"
                )


def groups_of(reassociation: ArrayAttr[ArrayAttr[IntegerAttr]]) -> Groups:
    """The attribute as numbers."""
    return [[index.value.data for index in group] for group in reassociation]


def _verify_groups(merged: Sequence[int], split: Sequence[int], groups: Groups) -> None:
    """Check extents; DYNAMIC_INDEX for those that are only known when running."""
    if len(merged) != len(groups):
        raise VerifyException(
            f"'reassociation' has {len(groups)} groups for {len(merged)} dimensions"
        )
    flat = [dimension for group in groups for dimension in group]
    if not merged:
        if any(extent != 1 for extent in split):
            raise VerifyException(
                f"extents {list(split)} are merged to a memref of rank 0; expected ones"
            )
    elif flat != list(range(len(split))):
        raise VerifyException(
            f"'reassociation' has the dimensions {flat}, expected 0 to {len(split) - 1}"
        )
    for dimension, (extent, group) in enumerate(zip(merged, groups, strict=True)):
        parts = [split[part] for part in group]
        total = DYNAMIC_INDEX if DYNAMIC_INDEX in parts else prod(parts)
        if extent != total:
            raise VerifyException(
                f"dimension {dimension} has {_shown(extent)}, merging the dimensions "
                f"{list(group)} makes {_shown(total)}"
            )


def _shown(extent: int) -> str:
    return "a dynamic extent" if extent == DYNAMIC_INDEX else f"extent {extent}"


def _expect(result: AnyMemRef, expected: AnyMemRef) -> None:
    alike = MemRefType(
        expected.element_type, expected.get_shape(), result.layout, expected.memory_space
    )
    if plain_layout(result) != expected.layout or alike != result:
        raise VerifyException(f"'result' is {result}, expected {expected}")


def _with_layout(
    source: AnyMemRef, result: AnyMemRef, layout: StridedLayoutAttr | None
) -> AnyMemRef:
    kept = NoneAttr() if layout is None else layout
    return MemRefType(source.element_type, result.get_shape(), kept, source.memory_space)


def _strides(source: AnyMemRef) -> tuple[tuple[int | None, ...], int | None]:
    found = linear_strides_and_offset(source)
    if found is None:
        raise VerifyException(f"'src' is {source}, whose layout is not strided")
    return found


def _collapsed(source: AnyMemRef, result: AnyMemRef, groups: Groups) -> AnyMemRef:
    strides, offset = _strides(source)
    if is_dense(source):
        return _with_layout(source, result, None)
    shape = [None if n == DYNAMIC_INDEX else n for n in source.get_shape()]
    merged = [_merged(group, shape, strides) for group in groups]
    for group, stride in zip(groups, merged, strict=True):
        for dimension, needed in _contiguous(group, shape, stride):
            if None not in (needed, strides[dimension]) and needed != strides[dimension]:
                raise VerifyException(
                    f"dimension {dimension} of {source} has stride {strides[dimension]}, "
                    f"to be merged it needs {needed}"
                )
    return _with_layout(source, result, StridedLayoutAttr(merged, offset))


def _merged(
    group: Sequence[int], shape: Sequence[int | None], strides: Sequence[int | None]
) -> int | None:
    """The stride of the innermost dimension that has neighbours, where that is known."""
    wide = [dimension for dimension in group if shape[dimension] != 1] or group[:1]
    if not wide:
        return 1
    is_known = shape[wide[-1]] is not None or wide[-1] == group[0]
    return strides[wide[-1]] if is_known else None


def _contiguous(
    group: Sequence[int], shape: Sequence[int | None], stride: int | None
) -> Iterator[tuple[int, int | None]]:
    """The outer dimensions of a group that have neighbours, with the stride that makes them one."""
    for dimension in reversed(group[1:]):
        stride = times(stride, shape[dimension])
        if shape[dimension - 1] != 1:
            yield dimension - 1, stride


def _expanded(source: AnyMemRef, result: AnyMemRef, groups: Groups) -> AnyMemRef:
    strides, offset = _strides(source)
    if is_dense(source):
        return _with_layout(source, result, None)
    split: list[int | None] = [1] * result.get_num_dims()
    for group, stride in zip(groups, strides, strict=True):
        for dimension in reversed(group):
            split[dimension] = stride
            extent = result.get_shape()[dimension]
            stride = times(stride, None if extent == DYNAMIC_INDEX else extent)
    return _with_layout(source, result, StridedLayoutAttr(split, offset))
