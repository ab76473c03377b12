"""Ops that pick, make or reinterpret elements.

Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FixedBitwidthType,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xetile.dialects.upstream.vector.support import (
    array,
    constant,
    dense,
    element_count,
    replace_alike,
    scalar_bytes,
    vector_type,
)


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


@irdl_op_definition
class ShuffleOp(IRDLOperation, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """Entries of two vectors along the leading dimension, counted through both.

    In xDSL 0.74.0 it may not be speculated, so loops keep it.
    """

    name = "vector.shuffle"

    v1 = operand_def(VectorType)
    v2 = operand_def(VectorType)
    mask = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

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
        super().__init__(
            operands=[v1, v2], result_types=[result_type], properties={"mask": indices}
        )

    @staticmethod
    def leading_extent(value: SSAValue) -> int:
        """How many entries a vector has along its leading dimension; one where it has rank 0."""
        shape = vector_type(value).get_shape()
        return shape[0] if shape else 1

    @classmethod
    def parse(cls, parser: Parser) -> "ShuffleOp":
        """Read `%v1, %v2 [0, 1] : type, type`."""
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        mask = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = [parser.parse_type()]
        parser.parse_punctuation(",")
        types.append(parser.parse_type())
        if not isa(types[0], VectorType):
            parser.raise_error(f"expected a vector type, found {types[0]}", position, parser.pos)
        return cls.create(
            operands=parser.resolve_operands(operands, types, position),
            result_types=[_shuffled(types[0], len(mask))],
            properties={"mask": array(mask)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(f" [{', '.join(map(str, self.mask.get_values()))}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(self.operand_types, printer.print_attribute)

    def verify_(self) -> None:
        """The vectors fit together, and the mask stays in them; -1 takes anything."""
        v1, v2 = vector_type(self.v1), vector_type(self.v2)
        mask = self.mask.get_values()
        ranks = len(v1.get_shape()), len(v2.get_shape())
        trailing = v1.get_shape()[1:], v2.get_shape()[1:]
        if v1.element_type != v2.element_type or ranks[0] != ranks[1] or trailing[0] != trailing[1]:
            raise VerifyException(
                f"'v1' is {v1}, 'v2' is {v2}: they may differ in the leading dimension only"
            )
        if not mask:
            raise VerifyException("'mask' is empty")
        expected = _shuffled(v1, len(mask))
        if self.result.type != expected:
            raise VerifyException(f"'result' is {self.result.type}, the shuffled is {expected}")
        limit = self.leading_extent(self.v1) + self.leading_extent(self.v2)
        for position, index in enumerate(mask):
            if not -1 <= index < limit:
                raise VerifyException(
                    f"'mask' has {index} at {position}, it has to lie in [-1, {limit})"
                )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """All of one vector in order is that vector; of constants it is a constant."""
        if self.attributes:
            return None
        mask = self.mask.get_values()
        if self.v1.type == self.result.type and list(mask) == list(range(len(mask))):
            return (self.v1,)
        start = self.leading_extent(self.v1)
        if self.v2.type == self.result.type and list(mask) == list(range(start, start + len(mask))):
            return (self.v2,)
        first, second = constant(self.v1), constant(self.v2)
        if first is None or second is None or len(first) == 0:
            return None
        row = len(first.data.data) // start
        data = first.data.data + second.data.data
        taken = b"".join(data[max(i, 0) * row : (max(i, 0) + 1) * row] for i in mask)
        return (dense(vector_type(self.result), taken),)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Compose shuffles."""
        return (_ComposeShuffles(),)


def _shuffled(v1: VectorType, entries: int) -> VectorType:
    return VectorType(v1.element_type, (entries, *v1.get_shape()[1:]))


class _ComposeBitcasts(RewritePattern):
    """A bitcast of a bitcast is one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, BitcastOp) or not isinstance(op.source.owner, BitcastOp):
            return
        first = op.source.owner.source
        if first.type == op.result.type and not op.attributes:
            rewriter.replace(op, [], [first])
        else:
            replace_alike(rewriter, op, BitcastOp(first, vector_type(op.result)))


@irdl_op_definition
class BitcastOp(IRDLOperation, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """The same bits of every row, as elements of another width.

    In xDSL 0.74.0 it has no traits, and may change more than the last dimension.
    """

    name = "vector.bitcast"

    source = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation, result_type: VectorType) -> None:
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        """The last dimension has as many bits as before, the others are the same."""
        source, result = vector_type(self.source), vector_type(self.result)
        before, after = source.get_shape(), result.get_shape()
        if len(before) != len(after) or before[:-1] != after[:-1]:
            raise VerifyException(
                f"'result' is {result}, it may differ from {source} in the last dimension only"
            )
        old, new = source.element_type, result.element_type
        if not isinstance(old, FixedBitwidthType) or not isinstance(new, FixedBitwidthType):
            if source != result:
                raise VerifyException(f"'result' is {result}, the bits of {source} are not known")
            return
        bits = [old.bitwidth * prod(before[-1:]), new.bitwidth * prod(after[-1:])]
        if bits[0] != bits[1]:
            raise VerifyException(
                f"'result' has rows of {bits[1]} bits, 'source' has rows of {bits[0]} bits"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A cast to the same type is nothing; the bits of a constant are known."""
        if self.attributes:
            return None
        if self.source.type == self.result.type:
            return (self.source,)
        value, result = constant(self.source), vector_type(self.result)
        if value is None or not _fills_bytes(vector_type(self.source)) or not _fills_bytes(result):
            return None
        return (dense(result, value.data.data),)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Compose bitcasts."""
        return (_ComposeBitcasts(),)


def _fills_bytes(type: VectorType) -> bool:
    """Whether the bytes of a constant of the type are the bits of its elements, no more."""
    element = type.element_type
    return isinstance(element, FixedBitwidthType) and element.bitwidth % 8 == 0


@irdl_op_definition
class FromElementsOp(IRDLOperation, HasFolderInterface):
    """A vector of scalars, row-major."""

    name = "vector.from_elements"

    elements = var_operand_def()
    dest = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, elements: Sequence[SSAValue | Operation], result_type: VectorType) -> None:
        super().__init__(operands=[elements], result_types=[result_type])

    @classmethod
    def parse(cls, parser: Parser) -> "FromElementsOp":
        """Read `%a, %b : vector<2xf32>`."""
        elements = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isa(type, VectorType):
            parser.raise_error(f"expected a vector type, found {type}", position, parser.pos)
        types = [type.element_type] * element_count(type)
        return cls.create(
            operands=parser.resolve_operands(elements or [], types, position),
            result_types=[type],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_list(self.elements, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.dest.type)

    def verify_(self) -> None:
        """There are as many elements as the vector has, of its type."""
        dest = vector_type(self.dest)
        if len(self.elements) != element_count(dest):
            raise VerifyException(
                f"'elements' are {len(self.elements)}, {dest} has {element_count(dest)}"
            )
        for element in self.elements:
            if element.type != dest.element_type:
                raise VerifyException(f"'elements' has a {element.type}, the result is {dest}")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """All elements of a vector make that vector; constants make a constant."""
        if self.attributes:
            return None
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


@irdl_op_definition
class ToElementsOp(IRDLOperation, HasFolderInterface):
    """The scalars of a vector, row-major."""

    name = "vector.to_elements"

    source = operand_def(VectorType)
    elements = var_result_def()

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation) -> None:
        type = vector_type(source)
        super().__init__(
            operands=[source], result_types=[[type.element_type] * element_count(type)]
        )

    @classmethod
    def parse(cls, parser: Parser) -> "ToElementsOp":
        """Read `%v : vector<2xf32>`."""
        source = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isa(type, VectorType):
            parser.raise_error(f"expected a vector type, found {type}", position, parser.pos)
        operation = cls(parser.resolve_operand(source, type))
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)

    def verify_(self) -> None:
        """There are as many elements as the vector has, of its type."""
        source = vector_type(self.source)
        types = tuple(element.type for element in self.elements)
        if types != (source.element_type,) * element_count(source):
            raise VerifyException(
                f"'elements' are {len(types)}, {source} has {element_count(source)} "
                f"of {source.element_type}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The elements that a vector was made of."""
        if self.attributes:
            return None
        if not isinstance(self.source.owner, FromElementsOp):
            return None
        return tuple(self.source.owner.elements)
