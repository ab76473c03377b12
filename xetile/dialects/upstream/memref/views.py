"""Ops that see memory another way: xDSL 0.75 has no form of them (test_memref.py tells when it has).

Source: `llvm 22.1.8 mlir/Dialect/MemRef/IR/MemRefOps.td`; what is refused is what mlir-opt
22 refuses.
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    MemRefType,
    StridedLayoutAttr,
    UnrankedMemRefType,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    AnyOf,
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
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
from xetile.dialects.upstream.memref.layout import (
    linear_strides_and_offset,
    strides_and_offset,
)
from xetile.hints import isa

ANY_MEMREF = AnyOf.get(MemRefType, UnrankedMemRefType)


def _agree(first: int | None, second: int | None) -> bool:
    return first is None or second is None or first == second


def _static(extent: int) -> int | None:
    return None if extent < 0 else extent


def casts(source: Attribute, dest: Attribute) -> bool:
    """Whether `memref.cast` takes one type to the other: nothing that both know is different."""
    if not isa(source, MemRefType) or not isa(dest, MemRefType):
        return _casts_unranked(source, dest)
    if source.element_type != dest.element_type or source.memory_space != dest.memory_space:
        return False
    shapes = source.get_shape(), dest.get_shape()
    if len(shapes[0]) != len(shapes[1]):
        return False
    if not all(_agree(_static(a), _static(b)) for a, b in zip(*shapes, strict=True)):
        return False
    if source.layout == dest.layout:
        return True
    before, after = strides_and_offset(source), strides_and_offset(dest)
    if before is None or after is None:
        return False
    # the stride of a dimension with one entry is never used
    used = [
        _agree(a, b)
        for a, b, extent in zip(before[0], after[0], shapes[0], strict=True)
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


class _CastOp(IRDLOperation, ABC):
    source = operand_def(ANY_MEMREF)
    dest = result_def(ANY_MEMREF)

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation, dest: Attribute) -> None:
        super().__init__(operands=[source], result_types=[dest])


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

    def __init__(
        self,
        source: SSAValue | Operation,
        permutation: Sequence[int],
        result_type: MemRefType | None = None,
    ) -> None:
        """Dimension d of the result is dimension permutation[d] of the source."""
        if result_type is None:
            source_type = SSAValue.get(source).type
            assert isa(source_type, MemRefType)
            result_type = transposed(source_type, permutation)
        map = AffineMap(len(permutation), 0, tuple(AffineDimExpr(d) for d in permutation))
        super().__init__(
            operands=[source],
            result_types=[result_type],
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
