"""Vector ops that change shape or type; xDSL 0.75 lacks or never simplifies them (test_vector.py fails once it does).

There, `test_stock_xdsl_refuses` has those that it lacks, `test_stock_traits_are_missing` bitcast, which may also change
more than the last dimension in xDSL, and the shuffle, which loops keep.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt 22 refuses.

Last are ops of older MLIR that mlir-opt 22 no longer has: read, and printed as what they became.
Source: `llvm 19.1 mlir/Dialect/Vector/IR/VectorOps.td` (vector.splat, extractelement, insertelement).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.dialects.vector import BroadcastOp, ExtractOp, InsertOp
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import ParsingState, PrintingState, TypeDirective
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, OneType, SameType, parse_type_of
from xetile.dialects.formats import formatted_op, sorted_op
from xetile.dialects.renamed import Parts, Renamed
from xetile.dialects.upstream.arith.arith_support import Foldable
from xetile.dialects.upstream.bases import ConversionOp, verify_entries, verify_is
from xetile.dialects.upstream.vector.vector_support import (
    INTEGERS,
    array,
    constant,
    dense,
    element_count,
    integer_values,
    integers,
    replace_alike,
    scalar_bytes,
    splat_of,
    vector_of,
    vector_type,
)
from xetile.hints import isa


class _ComposeCasts(RewritePattern):
    """A cast of a cast is one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, _Cast):
            return
        inner = op.source.owner
        if not isinstance(inner, _Cast) or type(inner) is not type(op):
            return
        if inner.source.type == op.result.type and not op.attributes:
            rewriter.replace(op, [], [inner.source])
        else:
            replace_alike(rewriter, op, type(op)(inner.source, vector_type(op.result)))


class _Cast(ConversionOp, Foldable, HasCanonicalizationPatternsInterface, ABC):
    """The same bytes in another type."""

    source = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    @abstractmethod
    def keeps_bytes(self) -> bool:
        """Return True if a constant operand and its result have the same bytes, so that the op folds."""

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if self.source.type == self.result.type:
            return (self.source,)
        value = constant(self.source)
        if value is None or not self.keeps_bytes():
            return None
        return (dense(vector_type(self.result), value.data.data),)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeCasts(),)


@formatted_op
class BitcastOp(_Cast):
    """The same bits of every row, as elements of another width."""

    name = "vector.bitcast"

    def verify_(self) -> None:
        source, result = vector_type(self.source), vector_type(self.result)
        before, after = source.get_shape(), result.get_shape()
        if len(before) != len(after) or before[:-1] != after[:-1]:
            raise VerifyException(
                f"'result' is {result}, it may differ from {source} in the last dimension only"
            )
        old, new = source.element_type, result.element_type
        if not isinstance(old, FixedBitwidthType) or not isinstance(new, FixedBitwidthType):
            if source != result:
                raise VerifyException(
                    f"'result' is {result}, the bits of {source} are not known"
                )
            return
        bits = [old.bitwidth * prod(before[-1:]), new.bitwidth * prod(after[-1:])]
        if bits[0] != bits[1]:
            raise VerifyException(
                f"'result' has rows of {bits[1]} bits, 'source' has rows of {bits[0]} bits"
            )

    def keeps_bytes(self) -> bool:
        elements = (vector_type(value).element_type for value in (self.source, self.result))
        return all(isinstance(e, FixedBitwidthType) and e.bitwidth % 8 == 0 for e in elements)


@formatted_op
class ShapeCastOp(_Cast):
    """The same elements in the same row-major order, in another shape."""

    name = "vector.shape_cast"

    def verify_(self) -> None:
        source, result = vector_type(self.source), vector_type(self.result)
        if source.element_type != result.element_type:
            raise VerifyException(f"'result' is {result}, 'source' is {source}")
        if element_count(source) != element_count(result):
            raise VerifyException(
                f"'result' has {element_count(result)} elements, "
                f"'source' has {element_count(source)}"
            )
        if source.get_num_scalable_dims() != result.get_num_scalable_dims():
            raise VerifyException(
                f"'result' is {result}, it has to have the scalable dimensions of {source}"
            )

    def keeps_bytes(self) -> bool:
        return not vector_type(self.result).get_num_scalable_dims()


class _Shuffled(Directive):
    """The types of both vectors; that of the result follows from the first and the length of the mask."""

    v1: TypeDirective
    v2: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        first = parse_type_of(parser, VectorType)
        parser.parse_punctuation(",")
        self.v1.set(state, (first,))
        self.v2.set(state, (parser.parse_type(),))
        mask = state.properties["mask"]
        assert isa(mask, DenseArrayBase[IntegerType])
        self.result.set(state, (_shuffled(first, len(mask)),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_list(op.operand_types, printer.print_attribute)


class _Elements(OneType):
    """The type of a vector, from which those of its elements follow."""

    KIND = VectorType

    vector: TypeDirective
    elements: TypeDirective

    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        assert isa(type, VectorType)
        return ([type.element_type] * element_count(type),)


class _ComposeShuffles(RewritePattern):
    """A shuffle that takes one shuffle's elements only is one shuffle of what that one takes."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ShuffleOp):
            return
        mask = op.mask.get_values()
        extent = op.leading_extent(op.v1)
        if all(index < extent for index in mask):
            inner, start = op.v1.owner, 0
        elif op.v1 is op.v2 or all(index < 0 or index >= extent for index in mask):
            inner, start = op.v2.owner, extent
        else:
            return
        if not isinstance(inner, ShuffleOp):
            return
        taken = inner.mask.get_values()
        composed = [-1 if index < 0 else taken[(index - start) % len(taken)] for index in mask]
        replace_alike(rewriter, op, ShuffleOp(inner.v1, inner.v2, composed))


@formatted_op
class ShuffleOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """Entries of two vectors along the leading dimension, counted through both.

    In xDSL 0.75 it may not be speculated, so loops keep it.
    """

    name = "vector.shuffle"

    v1 = operand_def(VectorType)
    v2 = operand_def(VectorType)
    mask = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    assembly_format = "$v1 `,` $v2 $mask attr-dict `:` custom<_Shuffled>(type($v1), type($v2), type($result))"
    custom_directives = (_Shuffled,)

    traits = traits_def(Pure())

    def __init__(
        self,
        v1: SSAValue | Operation,
        v2: SSAValue | Operation,
        mask: Sequence[int] | DenseArrayBase[IntegerType],
        *,
        result_type: VectorType | None = None,
    ) -> None:
        indices = mask if isinstance(mask, DenseArrayBase) else array(mask)
        if result_type is None:
            result_type = _shuffled(vector_type(v1), len(indices))
        operands = [SSAValue.get(v1), SSAValue.get(v2)]
        Operation.__init__(
            self, operands=operands, result_types=[result_type], properties={"mask": indices}
        )

    @staticmethod
    def leading_extent(value: SSAValue) -> int:
        """How many entries a vector has along its leading dimension; one where it has rank 0."""
        shape = vector_type(value).get_shape()
        return shape[0] if shape else 1

    def verify_(self) -> None:
        v1, v2 = vector_type(self.v1), vector_type(self.v2)
        mask = self.mask.get_values()
        ranks = len(v1.get_shape()), len(v2.get_shape())
        trailing = v1.get_shape()[1:], v2.get_shape()[1:]
        if (
            v1.element_type != v2.element_type
            or ranks[0] != ranks[1]
            or trailing[0] != trailing[1]
        ):
            raise VerifyException(
                f"'v1' is {v1}, 'v2' is {v2}: they may differ in the leading dimension only"
            )
        if not mask:
            raise VerifyException("'mask' is empty")
        expected = _shuffled(v1, len(mask))
        verify_is("result", self.result.type, expected, "the shuffled is")
        limit = self.leading_extent(self.v1) + self.leading_extent(self.v2)
        for position, index in enumerate(mask):
            if not -1 <= index < limit:
                raise VerifyException(
                    f"'mask' has {index} at {position}, it has to lie in [-1, {limit})"
                )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        (v1, v2), result = self.operands, self.results[0]
        mask = [*self.mask.get_values()]
        if v1.type == result.type and mask == [*range(len(mask))]:
            return (v1,)
        start = self.leading_extent(v1)
        if v2.type == result.type and mask == [*range(start, start + len(mask))]:
            return (v2,)
        first, second = constant(v1), constant(v2)
        if first is None or second is None or len(first) == 0:
            return None
        row = len(first.data.data) // start
        data = first.data.data + second.data.data
        taken = b"".join(data[max(i, 0) * row : (max(i, 0) + 1) * row] for i in mask)
        return (dense(vector_type(result), taken),)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeShuffles(),)


def _shuffled(v1: VectorType, entries: int) -> VectorType:
    return vector_of(v1.element_type, (entries, *v1.get_shape()[1:]))


@formatted_op
class FromElementsOp(IRDLOperation, Foldable):
    """A vector of scalars, row-major."""

    name = "vector.from_elements"

    elements = var_operand_def()
    dest = result_def(VectorType)

    assembly_format = "$elements attr-dict `:` custom<_Elements>(type($dest), type($elements))"
    custom_directives = (_Elements,)

    traits = traits_def(Pure())

    def __init__(
        self, elements: Sequence[SSAValue | Operation], result_type: VectorType
    ) -> None:
        super().__init__(operands=[elements], result_types=[result_type])

    def verify_(self) -> None:
        dest = vector_type(self.dest)
        if len(self.elements) != element_count(dest):
            raise VerifyException(
                f"'elements' are {len(self.elements)}, {dest} has {element_count(dest)}"
            )
        for element in self.elements:
            if element.type != dest.element_type:
                raise VerifyException(f"'elements' has a {element.type}, the result is {dest}")

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        first = self.elements[0].owner if self.elements else None
        if (
            isinstance(first, ToElementsOp)
            and first.source.type == self.dest.type
            and tuple(self.elements) == tuple(first.elements)
        ):
            return (first.source,)
        data = [scalar_bytes(element) for element in self.elements]
        known = [element for element in data if element is not None]
        if not data or len(known) < len(data):
            return None
        return (dense(vector_type(self.dest), b"".join(known)),)


@formatted_op
class ToElementsOp(IRDLOperation, Foldable):
    """The scalars of a vector, row-major."""

    name = "vector.to_elements"

    source = operand_def(VectorType)
    elements = var_result_def()

    assembly_format = "$source attr-dict `:` custom<_Elements>(type($source), type($elements))"
    custom_directives = (_Elements,)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source = vector_type(self.source)
        types = tuple(element.type for element in self.elements)
        if types != (source.element_type,) * element_count(source):
            raise VerifyException(
                f"'elements' are {len(types)}, {source} has {element_count(source)} "
                f"of {source.element_type}"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if not isinstance(self.source.owner, FromElementsOp):
            return None
        return tuple(self.source.owner.elements)


class _ComposeSlices(RewritePattern):
    """A slice of a slice is one slice of the first vector."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ExtractStridedSliceOp):
            return
        inner = op.source.owner
        if not isinstance(inner, ExtractStridedSliceOp):
            return
        rank = max(len(op.offsets), len(inner.offsets))
        outer_offsets = (*integer_values(op.offsets), *[0] * (rank - len(op.offsets)))
        inner_offsets = (*integer_values(inner.offsets), *[0] * (rank - len(inner.offsets)))
        offsets = [a + b for a, b in zip(outer_offsets, inner_offsets, strict=True)]
        sizes = vector_type(op.result).get_shape()[:rank]
        replace_alike(rewriter, op, ExtractStridedSliceOp(inner.source, offsets, sizes))


def _with_shape(type: VectorType, shape: tuple[int, ...]) -> VectorType:
    """A vector type with other extents (elements)."""
    if any(type.get_scalable_dims()):
        return VectorType(type.element_type, shape, type.scalable_dims)
    return vector_of(type.element_type, shape)


@sorted_op
class ExtractStridedSliceOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """The box of a vector that begins at `offsets`; dimensions that are not named stay whole."""

    name = "vector.extract_strided_slice"

    source = operand_def(VectorType)
    offsets = prop_def(INTEGERS)
    sizes = prop_def(INTEGERS)
    strides = prop_def(INTEGERS)
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        offsets: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        whole = vector_type(source)
        shape = (*sizes, *whole.get_shape()[len(sizes) :])
        super().__init__(
            operands=[source],
            result_types=[_with_shape(whole, shape)],
            properties={
                "offsets": integers(offsets),
                "sizes": integers(sizes),
                "strides": integers([1] * len(offsets)),
            },
        )

    def verify_(self) -> None:
        source = vector_type(self.source)
        offsets, sizes = integer_values(self.offsets), integer_values(self.sizes)
        if not len(offsets) == len(sizes) == len(self.strides):
            raise VerifyException(
                f"'offsets', 'sizes' and 'strides' have {len(offsets)}, {len(sizes)} and "
                f"{len(self.strides)} entries, they have to have equally many"
            )
        _verify_box(source, offsets, sizes)
        _verify_strides(integer_values(self.strides))
        shape = (*sizes, *source.get_shape()[len(sizes) :])
        expected = VectorType(source.element_type, shape, source.scalable_dims)
        verify_is("result", self.result.type, expected, "the slice is")

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if self.source.type == self.result.type:
            return (self.source,)
        folded = splat_of(self.source, self.result.type)
        return None if folded is None else (folded,)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeSlices(),)


@sorted_op
class InsertStridedSliceOp(IRDLOperation, Foldable):
    """A vector with a box of it, which begins at `offsets`, overwritten."""

    name = "vector.insert_strided_slice"

    source = operand_def(VectorType)
    dest = operand_def(VectorType)
    offsets = prop_def(INTEGERS)
    strides = prop_def(INTEGERS)
    result = result_def(VectorType)

    assembly_format = (
        "$source `,` $dest attr-dict `:` type($source) `into` "
        "custom<SameType>(type($dest), type($result))"
    )
    custom_directives = (SameType,)

    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        dest: SSAValue | Operation,
        offsets: Sequence[int],
    ) -> None:
        super().__init__(
            operands=[source, dest],
            result_types=[vector_type(dest)],
            properties={
                "offsets": integers(offsets),
                "strides": integers([1] * len(vector_type(source).get_shape())),
            },
        )

    def verify_(self) -> None:
        source, dest = vector_type(self.source), vector_type(self.dest)
        offsets = integer_values(self.offsets)
        ranks = len(source.get_shape()), len(dest.get_shape())
        verify_entries("offsets", len(offsets), "'dest'", ranks[1], ranks[1])
        verify_entries("strides", len(self.strides), "'source'", ranks[0], ranks[0])
        if ranks[0] > ranks[1]:
            raise VerifyException(f"'source' has rank {ranks[0]}, 'dest' has rank {ranks[1]}")
        if source.element_type != dest.element_type:
            raise VerifyException(f"'source' is {source}, 'dest' is {dest}")
        verify_is("result", self.result.type, dest, "'dest' is")
        _verify_strides(integer_values(self.strides))
        missing = ranks[1] - ranks[0]
        _verify_box(dest, offsets, (*[1] * missing, *source.get_shape()))

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.source,) if self.source.type == self.dest.type else None


class _ComposeTransposes(RewritePattern):
    """A transposition of a transposition is one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, TransposeOp) or not isinstance(op.vector.owner, TransposeOp):
            return
        inner = op.vector.owner.permutation.get_values()
        composed = [inner[dimension] for dimension in op.permutation.get_values()]
        replace_alike(rewriter, op, TransposeOp(op.vector.owner.vector, composed))


@formatted_op
class TransposeOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """Dimension d of the result is dimension permutation[d] of the vector."""

    name = "vector.transpose"

    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, vector: SSAValue | Operation, permutation: Sequence[int]) -> None:
        super().__init__(
            operands=[vector],
            result_types=[_transposed(vector_type(vector), permutation)],
            properties={"permutation": array(permutation)},
        )

    def verify_(self) -> None:
        source = vector_type(self.vector)
        permutation = self.permutation.get_values()
        if sorted(permutation) != list(range(len(source.get_shape()))):
            raise VerifyException(
                f"'permutation' is {list(permutation)}, it has to have every dimension of "
                f"{source} once"
            )
        expected = _transposed(source, permutation)
        verify_is("result", self.result.type, expected, "the transposed is")

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if list(self.permutation.get_values()) == list(range(len(self.permutation))):
            return (self.vector,)
        folded = splat_of(self.vector, self.result.type)
        return None if folded is None else (folded,)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeTransposes(),)


def _transposed(source: VectorType, permutation: Sequence[int]) -> VectorType:
    shape, scalable = source.get_shape(), source.scalable_dims.data
    return VectorType(
        source.element_type,
        [shape[dimension] for dimension in permutation],
        type(source.scalable_dims)([scalable[dimension] for dimension in permutation]),
    )


def _verify_box(whole: VectorType, offsets: Sequence[int], sizes: Sequence[int]) -> None:
    shape = whole.get_shape()
    named = min(len(offsets), len(shape))
    verify_entries("offsets", len(offsets), whole, len(shape), named)
    for dimension, (offset, size, extent) in enumerate(
        zip(offsets, sizes, shape, strict=False)
    ):
        if offset < 0 or size < 1 or offset + size > extent:
            raise VerifyException(
                f"'offsets' and the slice's size in dimension {dimension} are {offset} and {size}, "
                f"they have to lie in [0, {extent})"
            )


def _verify_strides(strides: Sequence[int]) -> None:
    if any(stride != 1 for stride in strides):
        raise VerifyException(f"'strides' is {list(strides)}, every stride has to be 1")


class _Older(Renamed):
    """An op of one result, without properties, regions and successors."""

    @classmethod
    def become(cls, parts: Parts) -> Operation:
        if len(parts.result_types) != 1:
            raise ValueError(f"{cls.name} has one result, found {len(parts.result_types)}")
        for what, found in (
            ("properties", parts.properties),
            ("regions", parts.regions),
            ("successors", parts.successors),
        ):
            if found:
                raise ValueError(f"{cls.name} has no {what}, found {len(found)}")
        made = cls.today(parts.operands, parts.result_types[0])
        made.attributes |= parts.attributes
        return made

    OPERANDS: ClassVar[Sequence[str]]
    RESULT: ClassVar[str] = "vector"
    """Operands and result: the vector, one element, the position in brackets."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the operands and the type of the vector, which says the others."""
        names: list[UnresolvedOperand] = []
        for kind in cls.OPERANDS:
            if kind != "position":
                if names:
                    parser.parse_punctuation(",")
                names.append(parser.parse_unresolved_operand())
        position = _parse_position(parser) if "position" in cls.OPERANDS else ()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        vector: VectorType[Attribute] = parse_type_of(parser, VectorType)
        types = {"vector": vector, "element": vector.element_type}
        operands = [
            parser.resolve_operand(name, types[kind])
            for name, kind in zip(names, cls.OPERANDS, strict=False)
        ]
        return cls.create(
            operands=[*operands, *position],
            result_types=[types[cls.RESULT]],
            attributes=attributes,
        )

    @classmethod
    @abstractmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        """The op of today."""


class SplatOp(_Older):
    """`%v = vector.splat %a : vector<8x16xf32>`."""

    name = "vector.splat"
    OPERANDS = ("element",)

    @classmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        return BroadcastOp.create(operands=operands, result_types=[result])


class ExtractElementOp(_Older):
    """`%e = vector.extractelement %v[%i : index] : vector<8xf32>`."""

    name = "vector.extractelement"
    OPERANDS = ("vector", "position")
    RESULT = "element"

    @classmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        vector, *position = operands
        return ExtractOp(vector, position, result)


class InsertElementOp(_Older):
    """`%w = vector.insertelement %e, %v[%i : index] : vector<8xf32>`."""

    name = "vector.insertelement"
    OPERANDS = ("element", "vector", "position")

    @classmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        element, vector, *position = operands
        return InsertOp(element, vector, position)


def _parse_position(parser: Parser) -> Sequence[SSAValue]:
    """Read `[%i : index]`, or `[]` for a vector of rank 0."""

    def entry() -> SSAValue:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        start, type = parser.pos, parser.parse_type()
        if type != IndexType():
            parser.raise_error(
                f"the position is {type}; expected index (arith.index_cast makes one)",
                start,
                parser.pos,
            )
        return parser.resolve_operand(name, type)

    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, entry)
