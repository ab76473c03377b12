"""Ops of the llvm dialect that xDSL 0.74.0 lacks or restricts to scalars.

Source: mlir/Dialect/LLVMIR/LLVMOps.td of LLVM 22.1.8.
test/unit/dialects/upstream/test_llvm.py tells when xDSL has them.
"""

from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import FastMathAttr, FCmpPredicateFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    eq,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

_FLOATS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
_CONDITION = eq(i1) | VectorType.constr(eq(i1))
_INTEGERS = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)


def _with_shape_of(value: SSAValue, element: Attribute) -> Attribute:
    type = value.type
    return VectorType(element, type.get_shape()) if isa(type, VectorType) else element


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """One element of a vector: `llvm.extractelement %v[%i : i32] : vector<8xf32>`."""

    name = "llvm.extractelement"

    vector = operand_def(VectorType)
    index = operand_def(SignlessIntegerConstraint)
    res = result_def(Attribute)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, vector: SSAValue | Operation, index: SSAValue | Operation) -> None:
        type = cast(VectorType[Attribute], SSAValue.get(vector).type)
        super().__init__(operands=[vector, index], result_types=[type.element_type])

    def verify_(self) -> None:
        """The result is an element."""
        type = cast(VectorType[Attribute], self.vector.type)
        if type.get_num_dims() != 1 or type.element_type != self.res.type:
            raise VerifyException(
                f"'vector' is {type}, expected a vector of rank 1 of {self.res.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "ExtractElementOp":
        """Read `%v[%i : i32] : vector<8xf32>`."""
        vector = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            index = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            index_type = parser.parse_type()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = cls(parser.resolve_operand(vector, type), parser.resolve_operand(index, index_type))
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.vector)
        with printer.in_square_brackets():
            printer.print_ssa_value(self.index)
            printer.print_string(" : ")
            printer.print_attribute(self.index.type)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.vector.type)


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """A comparison of floats: `llvm.fcmp "olt" %a, %b : vector<8xf32>`."""

    name = "llvm.fcmp"

    T: ClassVar = VarConstraint("T", _FLOATS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(_CONDITION)
    predicate = prop_def(IntegerAttr[IntegerType])
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str | IntegerAttr[IntegerType],
    ) -> None:
        """`predicate` by its name (`oeq`, `ult`, ...) or number."""
        if isinstance(predicate, str):
            predicate = IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[_with_shape_of(SSAValue.get(lhs), i1)],
            properties={"predicate": predicate},
        )

    @property
    def predicate_name(self) -> str:
        """The predicate by name."""
        return FCmpPredicateFlag.from_int(self.predicate.value.data).value

    def verify_(self) -> None:
        """The result has the shape of the operands."""
        expected = _with_shape_of(self.lhs, i1)
        if self.res.type != expected:
            raise VerifyException(f"'res' is {self.res.type}, expected {expected}")

    @classmethod
    def parse(cls, parser: Parser) -> "FCmpOp":
        """Read `"olt" %a, %b : f32`."""
        predicate = parser.parse_str_literal()
        left = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        right = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = cls(parser.resolve_operand(left, type), parser.resolve_operand(right, type), predicate)
        flags = attributes.pop("fastmathFlags", None)
        if flags is not None:
            op.properties["fastmathFlags"] = flags
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f' "{self.predicate_name}" ')
        printer.print_list(self.operands, printer.print_ssa_value)
        flags = self.properties.get("fastmathFlags")
        shown = {} if flags in (None, FastMathAttr(None)) else {"fastmathFlags": flags}
        printer.print_op_attributes({**shown, **self.attributes})
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """One of two values: `llvm.select %c, %a, %b : vector<8xi1>, vector<8xf32>`."""

    name = "llvm.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(_CONDITION)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    traits = traits_def(Pure())

    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    irdl_options = (ParsePropInAttrDict(),)

    def __init__(
        self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation
    ) -> None:
        super().__init__(operands=[cond, lhs, rhs], result_types=[SSAValue.get(lhs).type])

    def verify_(self) -> None:
        """A vector of conditions has the shape of the values."""
        if self.cond.type != i1 and self.cond.type != _with_shape_of(self.lhs, i1):
            raise VerifyException(f"'cond' is {self.cond.type} for values of {self.lhs.type}")


class _CastOp(IRDLOperation):
    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(operands=[arg], result_types=[result_type])


@irdl_op_definition
class FPToSIOp(_CastOp):
    """A float cut to a signed integer."""

    name = "llvm.fptosi"

    arg = operand_def(_FLOATS)
    res = result_def(_INTEGERS)


@irdl_op_definition
class FPToUIOp(_CastOp):
    """A float cut to an unsigned integer."""

    name = "llvm.fptoui"

    arg = operand_def(_FLOATS)
    res = result_def(_INTEGERS)


@irdl_op_definition
class UIToFPOp(_CastOp):
    """An unsigned integer as a float."""

    name = "llvm.uitofp"

    arg = operand_def(_INTEGERS)
    res = result_def(_FLOATS)


OPERATIONS: tuple[type[IRDLOperation], ...] = (
    ExtractElementOp,
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    SelectOp,
    UIToFPOp,
)
"""What takes the place of, or stands beside, xDSL's ops."""
