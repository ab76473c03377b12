"""The index dialect, which xDSL 0.74.0 lacks: arithmetic on numbers as wide as an address, 64 bits.

Source: `llvm 22.1.8 mlir/Dialect/Index/IR/IndexOps.td`, the text as mlir-opt 22 prints it.
"""

from abc import ABC

from xdsl.dialects.builtin import I1, BoolAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AnyOf,
    BaseAttr,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Commutative, ConstantLike, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

INDEX = IndexType()
INTEGER_OR_INDEX = AnyOf((BaseAttr(IndexType), BaseAttr(IntegerType)))


class Predicate(StrEnum):
    """How two numbers are compared."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"


@irdl_attr_definition
class PredicateAttr(EnumAttribute[Predicate], SpacedOpaqueSyntaxAttribute):
    """`#index<cmp_predicate slt>`."""

    name = "index.cmp_predicate"


class _Binary(IRDLOperation, ABC):
    """An op on two numbers."""

    lhs = operand_def(INDEX)
    rhs = operand_def(INDEX)
    result = result_def(INDEX)

    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[INDEX])


@irdl_op_definition
class AddOp(_Binary):
    """The sum."""

    name = "index.add"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class SubOp(_Binary):
    """The difference."""

    name = "index.sub"

    traits = traits_def(Pure())


@irdl_op_definition
class MulOp(_Binary):
    """The product."""

    name = "index.mul"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class DivSOp(_Binary):
    """The quotient of signed numbers, rounded towards zero."""

    name = "index.divs"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class DivUOp(_Binary):
    """The quotient of unsigned numbers, rounded down."""

    name = "index.divu"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class CeilDivSOp(_Binary):
    """The quotient of signed numbers, rounded up."""

    name = "index.ceildivs"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class CeilDivUOp(_Binary):
    """The quotient of unsigned numbers, rounded up."""

    name = "index.ceildivu"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class FloorDivSOp(_Binary):
    """The quotient of signed numbers, rounded down."""

    name = "index.floordivs"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class RemSOp(_Binary):
    """What a division of signed numbers leaves, with the sign of the dividend."""

    name = "index.rems"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class RemUOp(_Binary):
    """What a division of unsigned numbers leaves."""

    name = "index.remu"

    traits = traits_def(NoMemoryEffect())


@irdl_op_definition
class MaxSOp(_Binary):
    """The larger of two signed numbers."""

    name = "index.maxs"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class MaxUOp(_Binary):
    """The larger of two unsigned numbers."""

    name = "index.maxu"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class MinSOp(_Binary):
    """The smaller of two signed numbers."""

    name = "index.mins"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class MinUOp(_Binary):
    """The smaller of two unsigned numbers."""

    name = "index.minu"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class ShlOp(_Binary):
    """Bits moved up."""

    name = "index.shl"

    traits = traits_def(Pure())


@irdl_op_definition
class ShrSOp(_Binary):
    """Bits moved down, copies of the sign behind them."""

    name = "index.shrs"

    traits = traits_def(Pure())


@irdl_op_definition
class ShrUOp(_Binary):
    """Bits moved down, zeros behind them."""

    name = "index.shru"

    traits = traits_def(Pure())


@irdl_op_definition
class AndOp(_Binary):
    """Bits that both have."""

    name = "index.and"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class OrOp(_Binary):
    """Bits that one has."""

    name = "index.or"

    traits = traits_def(Commutative(), Pure())


@irdl_op_definition
class XOrOp(_Binary):
    """Bits that one alone has."""

    name = "index.xor"

    traits = traits_def(Commutative(), Pure())


class _Cast(IRDLOperation, ABC):
    """Between index and an integer type."""

    input = operand_def(INTEGER_OR_INDEX)
    output = result_def(INTEGER_OR_INDEX)

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    traits = traits_def(Pure())

    def __init__(self, input: SSAValue | Operation, output_type: Attribute) -> None:
        super().__init__(operands=[input], result_types=[output_type])

    def verify_(self) -> None:
        """One side is an index, the other is not."""
        types = (self.input.type, self.output.type)
        if sum(isinstance(type, IndexType) for type in types) != 1:
            raise VerifyException(
                f"'input' is {types[0]}, 'output' is {types[1]}; one has to be index"
            )


@irdl_op_definition
class CastSOp(_Cast):
    """A signed number as wide as the result."""

    name = "index.casts"


@irdl_op_definition
class CastUOp(_Cast):
    """An unsigned number as wide as the result."""

    name = "index.castu"


@irdl_op_definition
class CmpOp(IRDLOperation):
    """Whether a predicate holds for two numbers."""

    name = "index.cmp"

    pred = prop_def(PredicateAttr)
    lhs = operand_def(INDEX)
    rhs = operand_def(INDEX)
    result = result_def(i1)

    traits = traits_def(Pure())

    def __init__(
        self, predicate: Predicate, lhs: SSAValue | Operation, rhs: SSAValue | Operation
    ) -> None:
        super().__init__(
            operands=[lhs, rhs], result_types=[i1], properties={"pred": PredicateAttr(predicate)}
        )

    @classmethod
    def parse(cls, parser: Parser) -> "CmpOp":
        """Read `slt(%a, %b) {...}`."""
        predicate = parser.parse_str_enum(Predicate)
        with parser.in_parens():
            lhs = parser.parse_operand(INDEX)
            parser.parse_punctuation(",")
            rhs = parser.parse_operand(INDEX)
        operation = cls(predicate, lhs, rhs)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f" {self.pred.data.value}")
        with printer.in_parens():
            printer.print_list((self.lhs, self.rhs), printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A number."""

    name = "index.constant"

    value = prop_def(IntegerAttr[IndexType])
    result = result_def(INDEX)

    traits = traits_def(ConstantLike(), Pure())

    def __init__(self, value: int) -> None:
        super().__init__(
            result_types=[INDEX], properties={"value": IntegerAttr.from_index_int_value(value)}
        )

    @classmethod
    def parse(cls, parser: Parser) -> "ConstantOp":
        """Read `{...} -4`."""
        attributes = parser.parse_optional_attr_dict()
        operation = cls(parser.parse_integer())
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" {self.value.value.data}")


@irdl_op_definition
class BoolConstantOp(IRDLOperation):
    """True or false."""

    name = "index.bool.constant"

    value = prop_def(IntegerAttr[I1])
    result = result_def(i1)

    traits = traits_def(ConstantLike(), Pure())

    def __init__(self, value: bool) -> None:
        super().__init__(result_types=[i1], properties={"value": BoolAttr.from_bool(value)})

    @classmethod
    def parse(cls, parser: Parser) -> "BoolConstantOp":
        """Read `{...} true`."""
        attributes = parser.parse_optional_attr_dict()
        operation = cls(parser.parse_boolean())
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" true" if self.value.value.data else " false")


@irdl_op_definition
class SizeOfOp(IRDLOperation):
    """The bits of an index."""

    name = "index.sizeof"

    result = result_def(INDEX)

    assembly_format = "attr-dict"

    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__(result_types=[INDEX])


Index = Dialect(
    "index",
    [
        AddOp,
        SubOp,
        MulOp,
        DivSOp,
        DivUOp,
        CeilDivSOp,
        CeilDivUOp,
        FloorDivSOp,
        RemSOp,
        RemUOp,
        MaxSOp,
        MaxUOp,
        MinSOp,
        MinUOp,
        ShlOp,
        ShrSOp,
        ShrUOp,
        AndOp,
        OrOp,
        XOrOp,
        CastSOp,
        CastUOp,
        CmpOp,
        ConstantOp,
        BoolConstantOp,
        SizeOfOp,
    ],
    [PredicateAttr],
)
