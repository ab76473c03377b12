"""The index dialect, which xDSL 0.75 lacks; test/unit/dialects/upstream/test_index.py fails once it has one.

Arithmetic on numbers as wide as an address, 64 bits.
Source: `llvm 22.1.8 mlir/Dialect/Index/IR/IndexOps.td`, the text as mlir-opt 22 prints it.
"""

from abc import ABC

from xdsl.dialects.builtin import I1, IndexType, IntegerAttr, IntegerType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Dialect, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    AnyOf,
    BaseAttr,
    IRDLOperation,
    irdl_attr_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, ConstantLike, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.formats import formatted_op, op_like

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

    traits = traits_def(NoMemoryEffect())


class _Pure(_Binary, ABC):
    """Defined for all numbers, which a division is not."""

    traits = traits_def(Pure())


class _Commutative(_Pure, ABC):
    traits = traits_def(Commutative())


AddOp = op_like(_Commutative, "index.add")
SubOp = op_like(_Pure, "index.sub")
MulOp = op_like(_Commutative, "index.mul")
DivSOp = op_like(_Binary, "index.divs")
DivUOp = op_like(_Binary, "index.divu")
CeilDivSOp = op_like(_Binary, "index.ceildivs")
CeilDivUOp = op_like(_Binary, "index.ceildivu")
FloorDivSOp = op_like(_Binary, "index.floordivs")
RemSOp = op_like(_Binary, "index.rems")
RemUOp = op_like(_Binary, "index.remu")
MaxSOp = op_like(_Commutative, "index.maxs")
MaxUOp = op_like(_Commutative, "index.maxu")
MinSOp = op_like(_Commutative, "index.mins")
MinUOp = op_like(_Commutative, "index.minu")
ShlOp = op_like(_Pure, "index.shl")
ShrSOp = op_like(_Pure, "index.shrs")
ShrUOp = op_like(_Pure, "index.shru")
AndOp = op_like(_Commutative, "index.and")
OrOp = op_like(_Commutative, "index.or")
XOrOp = op_like(_Commutative, "index.xor")


class _Cast(IRDLOperation, ABC):
    """Between index and an integer type: a number as wide as the result."""

    input = operand_def(INTEGER_OR_INDEX)
    output = result_def(INTEGER_OR_INDEX)

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        types = (self.input.type, self.output.type)
        if sum(isinstance(type, IndexType) for type in types) != 1:
            raise VerifyException(
                f"'input' is {types[0]}, 'output' is {types[1]}; one has to be index"
            )


CastSOp = op_like(_Cast, "index.casts")
CastUOp = op_like(_Cast, "index.castu")


@formatted_op
class CmpOp(IRDLOperation):
    """A comparison of two index values."""

    name = "index.cmp"

    pred = prop_def(PredicateAttr)
    lhs = operand_def(INDEX)
    rhs = operand_def(INDEX)
    result = result_def(i1)

    assembly_format = "$pred `(` $lhs `,` $rhs `)` attr-dict"

    traits = traits_def(Pure())


class _Constant(IRDLOperation, ABC):
    assembly_format = "attr-dict $value"

    traits = traits_def(ConstantLike(), Pure())


@formatted_op
class ConstantOp(_Constant):
    """A number."""

    name = "index.constant"

    value = prop_def(IntegerAttr[IndexType])
    result = result_def(INDEX)


@formatted_op
class BoolConstantOp(_Constant):
    """True or false."""

    name = "index.bool.constant"

    value = prop_def(IntegerAttr[I1])
    result = result_def(i1)


@formatted_op
class SizeOfOp(IRDLOperation):
    """The bits of an index."""

    name = "index.sizeof"

    result = result_def(INDEX)

    assembly_format = "attr-dict"

    traits = traits_def(Pure())


Index = Dialect(
    "index",
    [
        *(AddOp, SubOp, MulOp, DivSOp, DivUOp, CeilDivSOp, CeilDivUOp, FloorDivSOp, RemSOp),
        *(RemUOp, MaxSOp, MaxUOp, MinSOp, MinUOp, ShlOp, ShrSOp, ShrUOp, AndOp, OrOp, XOrOp),
        *(CastSOp, CastUOp, CmpOp, ConstantOp, BoolConstantOp, SizeOfOp),
    ],
    [PredicateAttr],
)
