"""Ops of the llvm dialect that xDSL 0.75 lacks or restricts to scalars (test_llvm.py tells when it does not).

Source: mlir/Dialect/LLVMIR/LLVMOps.td of LLVM 22.1.8.
"""

from collections.abc import Sequence
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
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, OneType
from xetile.dialects.formats import formatted_op
from xetile.hints import isa

_FLOATS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
_CONDITION = eq(i1) | VectorType.constr(eq(i1))
_INTEGERS = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)


def _with_shape_of(type: Attribute, element: Attribute) -> Attribute:
    return VectorType(element, type.get_shape()) if isa(type, VectorType) else element


class VectorAndElement(OneType):
    """The type of a vector, which says that of its element."""

    KIND = VectorType

    vector: TypeDirective
    element: TypeDirective

    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        assert isa(type, VectorType)
        return ((type.element_type,),)


class ComparedAndCondition(OneType):
    """The type of what is compared, whose shape is that of the result."""

    compared: TypeDirective
    condition: TypeDirective

    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        return ((_with_shape_of(type, i1),),)


class Predicate(Directive):
    """`"olt"`, the name of a comparison's number."""

    number: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        predicate = FCmpPredicateFlag(parser.parse_str_literal())
        self.number.set(state, IntegerAttr(predicate.to_int(), i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        number = self.number.get(op)
        assert isa(number, IntegerAttr)
        printer.print_string(f' "{FCmpPredicateFlag.from_int(number.value.data).value}"')


@formatted_op
class ExtractElementOp(IRDLOperation):
    """One element of a vector: `llvm.extractelement %v[%i : i32] : vector<8xf32>`."""

    name = "llvm.extractelement"

    vector = operand_def(VectorType)
    index = operand_def(SignlessIntegerConstraint)
    res = result_def(Attribute)

    assembly_format = (
        "$vector `[` $index `:` type($index) `]` attr-dict `:` "
        "custom<VectorAndElement>(type($vector), type($res))"
    )
    custom_directives = (VectorAndElement,)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, vector: SSAValue | Operation, index: SSAValue | Operation) -> None:
        type = cast(VectorType[Attribute], SSAValue.get(vector).type)
        super().__init__(operands=[vector, index], result_types=[type.element_type])

    def verify_(self) -> None:
        type = cast(VectorType[Attribute], self.vector.type)
        if type.get_num_dims() != 1 or type.element_type != self.res.type:
            raise VerifyException(
                f"'vector' is {type}, expected a vector of rank 1 of {self.res.type}"
            )


@formatted_op
class FCmpOp(IRDLOperation):
    """A comparison of floats: `llvm.fcmp "olt" %a, %b : vector<8xf32>`."""

    name = "llvm.fcmp"

    T: ClassVar = VarConstraint("T", _FLOATS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(_CONDITION)
    predicate = prop_def(IntegerAttr[IntegerType])
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    assembly_format = (
        "custom<Predicate>($predicate) $lhs `,` $rhs attr-dict `:` "
        "custom<ComparedAndCondition>(type($lhs), type($res))"
    )
    custom_directives = (Predicate, ComparedAndCondition)

    irdl_options = (ParsePropInAttrDict(),)

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str | IntegerAttr[IntegerType],
        fast_math: FastMathAttr | None = None,
    ) -> None:
        """`predicate` by its name (`oeq`, `ult`, ...) or number."""
        if isinstance(predicate, str):
            predicate = IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[_with_shape_of(SSAValue.get(lhs).type, i1)],
            properties={
                "predicate": predicate,
                "fastmathFlags": fast_math or FastMathAttr(None),
            },
        )

    @property
    def predicate_name(self) -> str:
        """The predicate by name."""
        return FCmpPredicateFlag.from_int(self.predicate.value.data).value

    def verify_(self) -> None:
        expected = _with_shape_of(self.lhs.type, i1)
        if self.res.type != expected:
            raise VerifyException(f"'res' is {self.res.type}, expected {expected}")


@formatted_op
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
        self,
        cond: SSAValue | Operation,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fast_math: FastMathAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[cond, lhs, rhs],
            result_types=[SSAValue.get(lhs).type],
            properties={"fastmathFlags": fast_math or FastMathAttr(None)},
        )

    def verify_(self) -> None:
        if self.cond.type != i1 and self.cond.type != _with_shape_of(self.lhs.type, i1):
            raise VerifyException(f"'cond' is {self.cond.type} for values of {self.lhs.type}")


class _CastOp(IRDLOperation):
    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(operands=[arg], result_types=[result_type])


@formatted_op
class FPToSIOp(_CastOp):
    """A float cut to a signed integer."""

    name = "llvm.fptosi"

    arg = operand_def(_FLOATS)
    res = result_def(_INTEGERS)


@formatted_op
class FPToUIOp(_CastOp):
    """A float cut to an unsigned integer."""

    name = "llvm.fptoui"

    arg = operand_def(_FLOATS)
    res = result_def(_INTEGERS)


@formatted_op
class UIToFPOp(_CastOp):
    """An unsigned integer as a float."""

    name = "llvm.uitofp"

    arg = operand_def(_INTEGERS)
    res = result_def(_FLOATS)
