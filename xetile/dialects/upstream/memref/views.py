"""Ops that view memory in another way; xDSL 0.75 lacks forms and checks of them (two tests fail once it has them).

The tests are test_memref.py (casts, transpose) and test_memref_refusals.py (windows, merged and split dimensions).
Source: `llvm 22.1.8 mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp` and `mlir/lib/Interfaces/ViewLikeInterface.cpp`;
what is refused is what mlir-opt 22 refuses.
"""

from abc import ABC
from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnrankedMemRefType,
)
from xdsl.dialects.memref import CollapseShapeOp as StockCollapseShapeOp
from xdsl.dialects.memref import ExpandShapeOp as StockExpandShapeOp
from xdsl.dialects.memref import ReinterpretCastOp as StockReinterpretCastOp
from xdsl.dialects.memref import SubviewOp as StockSubviewOp
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import AnyOf, IRDLOperation, operand_def, prop_def, result_def, traits_def
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    PrintingState,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive
from xetile.dialects.formats import formatted_op
from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream.bases import ConversionOp
from xetile.dialects.upstream.memref.memref_layout import (
    AnyMemRef,
    is_dense,
    linear_strides_and_offset,
    plain_layout,
    ranked,
    shapes_agree,
    strides_and_offset,
)
from xetile.hints import isa

ANY_MEMREF = AnyOf.get(MemRefType, UnrankedMemRefType)


def _agree(first: int | None, second: int | None) -> bool:
    return first is None or second is None or first == second


def casts(source: Attribute, dest: Attribute) -> bool:
    """Return True if `memref.cast` may convert one type to the other: nothing that is static in both differs."""
    if not isa(source, MemRefType) or not isa(dest, MemRefType):
        return _casts_unranked(source, dest)
    if source.element_type != dest.element_type or source.memory_space != dest.memory_space:
        return False
    if not shapes_agree(source, dest):
        return False
    if source.layout == dest.layout:
        return True
    before, after = strides_and_offset(source), strides_and_offset(dest)
    if before is None or after is None:
        return False
    # the stride of a dimension with one entry is never used
    used = [
        _agree(a, b)
        for a, b, extent in zip(before[0], after[0], source.get_shape(), strict=True)
        if extent != 1
    ]
    return all(used) and _agree(before[1], after[1])


def _casts_unranked(source: Attribute, dest: Attribute) -> bool:
    both = source, dest
    if all(isa(type, UnrankedMemRefType) for type in both) or any(map(_is_swizzled, both)):
        return False
    known = [
        (type.element_type, type.memory_space)
        for type in both
        if isa(type, MemRefType) or isa(type, UnrankedMemRefType)
    ]
    return len(known) == 2 and known[0] == known[1]


def _is_swizzled(type: Attribute) -> bool:
    return isinstance(type, MemRefType) and isinstance(type.layout, SwizzleAttr)


class _ComposeCasts(RewritePattern):
    """A cast of a cast is one, where types that agree pairwise agree."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (
            not isinstance(op, CastOp)
            or not isinstance(op.source.owner, CastOp)
            or op.attributes
        ):
            return
        first = op.source.owner.source
        if first.type == op.dest.type:
            rewriter.replace(op, [], [first])


class _CastOp(ConversionOp, ABC):
    source = operand_def(ANY_MEMREF)
    dest = result_def(ANY_MEMREF)

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"


@formatted_op
class CastOp(_CastOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """The same memory with more or less known of its shape and layout."""

    name = "memref.cast"

    def verify_(self) -> None:
        if not casts(self.source.type, self.dest.type):
            raise VerifyException(
                f"'dest' is {self.dest.type}, which is not compatible with {self.source.type}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A cast to the same type is nothing."""
        return (self.source,) if self.source.type == self.dest.type else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Casts there and back."""
        return (_ComposeCasts(),)


@formatted_op
class MemorySpaceCastOp(_CastOp):
    """The same memory through a pointer to another memory space."""

    name = "memref.memory_space_cast"

    def verify_(self) -> None:
        source, dest = self.source.type, self.dest.type
        if isa(source, MemRefType) and isa(dest, MemRefType):
            space = source.memory_space
            alike = (
                MemRefType(dest.element_type, dest.get_shape(), dest.layout, space) == source
            )
        else:
            assert isa(source, MemRefType) or isa(source, UnrankedMemRefType)
            assert isa(dest, MemRefType) or isa(dest, UnrankedMemRefType)
            alike = type(source) is type(dest) and source.element_type == dest.element_type
        if not alike:
            raise VerifyException(
                f"'dest' is {dest}, it may differ from {source} in the memory space only"
            )


@formatted_op
class ExtractAlignedPointerAsIndexOp(IRDLOperation):
    """The address of element zero, without the layout's offset."""

    name = "memref.extract_aligned_pointer_as_index"

    source = operand_def(ANY_MEMREF)
    aligned_pointer = result_def(IndexType())

    assembly_format = "$source `:` type($source) `->` type(results) attr-dict"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation) -> None:
        super().__init__(operands=[source], result_types=[IndexType()])


def transposed(type: MemRefType, permutation: Sequence[int]) -> MemRefType | None:
    """The type that `memref.transpose` gives; None for layouts without strides that are no swizzle."""
    layout = _transposed_layout(type, permutation)
    if layout is None:
        return None
    shape = [type.get_shape()[dimension] for dimension in permutation]
    return MemRefType(type.element_type, shape, layout, type.memory_space)


def _transposed_layout(
    type: MemRefType, permutation: Sequence[int]
) -> StridedLayoutAttr | SwizzleAttr | None:
    if isinstance(type.layout, SwizzleAttr):
        return type.layout.transposed(permutation)
    found = linear_strides_and_offset(type)
    if found is None:
        return None
    strides, offset = found
    return StridedLayoutAttr([strides[dimension] for dimension in permutation], offset)


def _same_layout(result: MemRefType, expected: MemRefType) -> bool:
    if isinstance(expected.layout, SwizzleAttr):
        return result.layout == expected.layout
    return linear_strides_and_offset(result) == linear_strides_and_offset(expected)


class Permutation(Directive):
    """`(i, j) -> (j, i)`, a map without the word for it."""

    map: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.map.set(state, AffineMapAttr(parser.parse_affine_map()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        map = self.map.get(op)
        assert isinstance(map, AffineMapAttr)
        printer.print_string(f" {map.data}")


@formatted_op
class TransposeOp(IRDLOperation):
    """The same memory with its dimensions in another order: `(i, j) -> (j, i)`."""

    name = "memref.transpose"

    source = operand_def(MemRefType)
    permutation = prop_def(AffineMapAttr)
    result = result_def(MemRefType)

    assembly_format = "$source custom<Permutation>($permutation) attr-dict `:` type($source) `to` type($result)"
    custom_directives = (Permutation,)

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, permutation: Sequence[int]) -> None:
        """Dimension d of the result is dimension permutation[d] of the source."""
        map = AffineMap(len(permutation), 0, tuple(AffineDimExpr(d) for d in permutation))
        super().__init__(
            operands=[source],
            result_types=[transposed(ranked(source.type), permutation)],
            properties={"permutation": AffineMapAttr(map)},
        )

    @property
    def dimensions(self) -> list[int] | None:
        """The source's dimension for every dimension of the result; None for other maps."""
        map = self.permutation.data
        if map.num_symbols:
            return None
        order = list(map.eval(list(range(map.num_dims)), []))
        return order if sorted(order) == list(range(map.num_dims)) else None

    def verify_(self) -> None:
        source, result, order = self.source.type, self.result.type, self.dimensions
        assert isa(source, MemRefType)
        assert isa(result, MemRefType)
        if order is None or len(order) != len(source.get_shape()):
            raise VerifyException(
                f"'permutation' is {self.permutation.data}, it has to permute "
                f"{len(source.get_shape())} dimensions"
            )
        expected = transposed(source, order)
        if expected is None:
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        same = MemRefType(
            expected.element_type, expected.get_shape(), result.layout, expected.memory_space
        )
        if same != result or not _same_layout(result, expected):
            raise VerifyException(f"'result' is {result}, the transposed is {expected}")


Lists = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""Offsets, sizes and strides; DYNAMIC_INDEX for what an operand gives."""


class SubviewOp(StockSubviewOp):
    """A part of a memref: it may leave out dimensions of which it has one entry."""

    def verify_(self) -> None:
        super().verify_()
        source, result = ranked(self.source.type), ranked(self.result.type)
        lists = _static_lists(self)
        _verify_lists(lists, source.get_num_dims(), source.get_num_dims())
        expected = subview_type(source, lists)
        if expected is None:
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        if dropped_dimensions(expected, result, lists[1]) is None:
            less = ", or that without dimensions of extent 1" if 1 in lists[1] else ""
            raise VerifyException(f"'result' is {result}, the subview is {expected}{less}")
        _verify_inside(source, lists)


class ReinterpretCastOp(StockReinterpretCastOp):
    """The memory of a memref with another offset, other sizes and strides."""

    def verify_(self) -> None:
        # not the verifier of xDSL, which refuses a dynamic result of a static size
        self.get_irdl_definition().verify(self)
        source, result = ranked(self.source.type), ranked(self.result.type)
        lists = _static_lists(self)
        _verify_lists(lists, 1, result.get_num_dims())
        _verify_operands(self)
        if (
            source.memory_space != result.memory_space
            or source.element_type != result.element_type
        ):
            raise VerifyException(
                f"'result' is {result}, it has to have the elements and the memory space of {source}"
            )
        if isinstance(source.layout, SwizzleAttr):
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        layout = linear_strides_and_offset(result)
        if layout is None:
            raise VerifyException(f"'result' is {result}, whose layout is not strided")
        strides, offset = layout
        shape = _known(result.get_shape())
        for name, found, given in (
            ("offset", [offset], lists[0]),
            ("size", shape, lists[1]),
            ("stride", strides, lists[2]),
        ):
            for place, (known, wanted) in enumerate(zip(found, given, strict=True)):
                if known is not None and known != wanted:
                    where = "" if name == "offset" else f" in dimension {place}"
                    raise VerifyException(
                        f"'result' is {result} with {name} {known}{where}, expected {_shown(wanted)}"
                    )


def _known(numbers: Sequence[int]) -> list[int | None]:
    return [None if number == DYNAMIC_INDEX else number for number in numbers]


def times(one: int | None, other: int | None) -> int | None:
    """A product of numbers of which None is not known; nothing times anything is nothing."""
    if one == 0 or other == 0:
        return 0
    return None if one is None or other is None else one * other


def subview_type(source: AnyMemRef, lists: Lists) -> AnyMemRef | None:
    """The type of a subview that leaves out no dimension; None for layouts without strides."""
    layout = linear_strides_and_offset(source)
    if layout is None:
        return None
    strides, offset = layout
    offsets, sizes, steps = map(_known, lists)
    for start, stride in zip(offsets, strides, strict=True):
        moved = times(start, stride)
        offset = None if offset is None or moved is None else offset + moved
    return MemRefType(
        source.element_type,
        [DYNAMIC_INDEX if size is None else size for size in sizes],
        StridedLayoutAttr([times(*pair) for pair in zip(strides, steps, strict=True)], offset),
        source.memory_space,
    )


def dropped_dimensions(
    whole: AnyMemRef, result: AnyMemRef, sizes: Sequence[int]
) -> frozenset[int] | None:
    """The dimensions of a subview of type `whole` that `result` leaves out; None where the types do not fit.

    `sizes` are the static ones of the subview. Which of several dimensions of extent 1 goes,
    the strides say.
    """
    if (whole.element_type, whole.memory_space) != (result.element_type, result.memory_space):
        return None
    layouts = linear_strides_and_offset(whole), linear_strides_and_offset(result)
    if layouts[0] is None or layouts[1] is None or layouts[0][1] != layouts[1][1]:
        return None
    if not _shapes_fit(whole.get_shape(), result.get_shape()):
        return None
    strides, kept = list(layouts[0][0]), list(layouts[1][0])
    dropped = _dropped(strides, kept, sizes)
    if [stride for d, stride in enumerate(strides) if d not in dropped] != kept:
        return None
    return dropped


def _dropped(
    strides: Sequence[int | None], kept: Sequence[int | None], sizes: Sequence[int]
) -> frozenset[int]:
    if len(strides) == len(kept):
        return frozenset()
    single = [dimension for dimension, size in enumerate(sizes) if size == 1]
    if len(single) + len(kept) == len(strides):
        return frozenset(single)
    # a dimension goes if its stride goes: more dimensions have it than the result needs
    left, needed, dropped = Counter(strides), Counter(kept), set[int]()
    for dimension in single:
        if left[strides[dimension]] > needed[strides[dimension]]:
            left[strides[dimension]] -= 1
            dropped.add(dimension)
    return frozenset(dropped)


def _shapes_fit(whole: Sequence[int], result: Sequence[int]) -> bool:
    """Return True if `result` is `whole` without some of its extents of 1."""
    rest = list(result)
    for size in whole:
        if rest and rest[0] == size:
            del rest[0]
        elif size != 1:
            return False
    return not rest


def _static_lists(op: StockSubviewOp | StockReinterpretCastOp) -> Lists:
    return (
        op.static_offsets.get_values(),
        op.static_sizes.get_values(),
        op.static_strides.get_values(),
    )


def _shown(number: int) -> str:
    return "a dynamic one" if number == DYNAMIC_INDEX else str(number)


def _verify_lists(lists: Lists, offsets: int, dimensions: int) -> None:
    wanted = (offsets, dimensions, dimensions)
    names = ("offsets", "sizes", "strides")
    for name, found, number in zip(names, lists, wanted, strict=True):
        if len(found) != number:
            raise VerifyException(f"'{name}' has {len(found)} entries, expected {number}")
    for name, found in zip(names[:2], lists[:2], strict=True):
        for value in found:
            if value < 0 and value != DYNAMIC_INDEX:
                raise VerifyException(f"'{name}' has {value}, expected none below 0")


def _verify_operands(op: StockReinterpretCastOp) -> None:
    given = (op.offsets, op.sizes, op.strides)
    for name, values, static in zip(
        ("offsets", "sizes", "strides"), given, _static_lists(op), strict=True
    ):
        open = list(static).count(DYNAMIC_INDEX)
        if len(values) != open:
            raise VerifyException(
                f"'{name}' has {len(values)} operands for {open} dynamic entries"
            )


def _verify_inside(source: AnyMemRef, lists: Lists) -> None:
    for dimension, extent in enumerate(source.get_shape()):
        offset, size, stride = (part[dimension] for part in lists)
        if DYNAMIC_INDEX in (extent, offset):
            continue
        if offset >= extent:
            raise VerifyException(
                f"offset {offset} is outside of dimension {dimension} of {source}"
            )
        last = offset + (size - 1) * stride
        if DYNAMIC_INDEX not in (size, stride) and last >= extent:
            raise VerifyException(
                f"the subview reaches {last} in dimension {dimension} of {source}"
            )


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
                f"dimension {dimension} has {_shown_extent(extent)}, merging the dimensions "
                f"{list(group)} makes {_shown_extent(total)}"
            )


def _shown_extent(extent: int) -> str:
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


def _strides_of(source: AnyMemRef) -> tuple[tuple[int | None, ...], int | None]:
    found = linear_strides_and_offset(source)
    if found is None:
        raise VerifyException(f"'src' is {source}, whose layout is not strided")
    return found


def _collapsed(source: AnyMemRef, result: AnyMemRef, groups: Groups) -> AnyMemRef:
    strides, offset = _strides_of(source)
    if is_dense(source):
        return _with_layout(source, result, None)
    shape = _known(source.get_shape())
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
    strides, offset = _strides_of(source)
    if is_dense(source):
        return _with_layout(source, result, None)
    extents = _known(result.get_shape())
    split: list[int | None] = [1] * len(extents)
    for group, stride in zip(groups, strides, strict=True):
        for dimension in reversed(group):
            split[dimension] = stride
            stride = times(stride, extents[dimension])
    return _with_layout(source, result, StridedLayoutAttr(split, offset))
