"""The llvm dialect of xDSL, with ops that xDSL 0.75 lacks or limits to scalars (test_llvm.py fails once it has them).

The calling conventions of SPIR-V (`spir_funccc`, `spir_kernelcc`) and the properties of `llvm.func` that
state the size of a subgroup are rejected by xDSL and not needed: the emitter sets them.

xDSL 0.75 has no annotations of loops (test_llvm_loops.py fails once it has):

    llvm.br ^head(%next : i32) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}

The annotation is on the branch back to the loop's first block. The parameters of unrolling are read, and those that
request nothing; those of other transformations are rejected by name.

Source: mlir/Dialect/LLVMIR/{LLVMOps,LLVMEnums,LLVMAttrDefs}.td of LLVM 22.1.8.
"""

from abc import ABC
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Self, TypeVar, cast

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    BoolAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    SignlessIntegerConstraint,
    StringAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import LLVM as StockLLVM
from xdsl.dialects.llvm import BrOp as StockBrOp
from xdsl.dialects.llvm import CondBrOp as StockCondBrOp
from xdsl.dialects.llvm import FastMathAttr, FCmpPredicateFlag, LLVMPointerType, LLVMStructType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    BaseAttr,
    IRDLOperation,
    OptPropertyDef,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    eq,
    irdl_attr_definition,
    operand_def,
    opt_prop_def,
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
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, OneType, SameType, Word
from xetile.dialects.formats import formatted_op
from xetile.dialects.structs import Field, StructAttr, attribute_field, parse_parameter
from xetile.dialects.upstream.bases import ConversionOp, LikeOperandOp, dialect_over, verify_is
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
        predicate: str,
        fast_math: FastMathAttr | None = None,
    ) -> None:
        """Compare; `predicate` is `oeq`, `ult`, ..."""
        number = IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[_with_shape_of(SSAValue.get(lhs).type, i1)],
            properties={"predicate": number, "fastmathFlags": fast_math},
        )

    @property
    def predicate_name(self) -> str:
        """The predicate by name."""
        return FCmpPredicateFlag.from_int(self.predicate.value.data).value

    def verify_(self) -> None:
        verify_is("res", self.res.type, _with_shape_of(self.lhs.type, i1))


@formatted_op
class SelectOp(LikeOperandOp):
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

    def verify_(self) -> None:
        if self.cond.type != i1 and self.cond.type != _with_shape_of(self.lhs.type, i1):
            raise VerifyException(f"'cond' is {self.cond.type} for values of {self.lhs.type}")


class _CastOp(ConversionOp, ABC):
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"


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


BIN_OPS = (
    *("xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min", "umax", "umin"),
    *("fadd", "fsub", "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"),
    *("fmaximum", "fminimum"),
)
"""The operations of `llvm.atomicrmw`, in the order of their numbers."""

ORDERINGS = (
    *("not_atomic", "unordered", "monotonic", "consume"),
    *("acquire", "release", "acq_rel", "seq_cst"),
)
"""The memory orderings, in the order of their numbers. LLVM reserves one for `consume`, which it does not support."""

MONOTONIC = ORDERINGS.index("monotonic")

_VALUES = AnyFloatConstr | base(IntegerType)


class BinOp(Word):
    """The number of the operation as its word."""

    def meaning(self, op: type[IRDLOperation]) -> tuple[str, Sequence[str]]:
        return "bin_op", BIN_OPS


class Ordering(Word):
    """The number of an ordering as its word."""

    def meaning(self, op: type[IRDLOperation]) -> tuple[str, Sequence[str]]:
        return "ordering", ORDERINGS


class Scope(Directive):
    """`syncscope("workgroup")`: who sees the access as one; nothing for all."""

    string: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("syncscope") is not None:
            with parser.in_parens():
                self.string.set(state, StringAttr(parser.parse_str_literal()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        found = self.string.get(op)
        if isinstance(found, StringAttr):
            printer.print_string(f' syncscope("{found.data}")')


class ComparedAndFound(OneType):
    """The type of what is compared, which says that of the result: the value found, and whether it was stored."""

    compared: TypeDirective
    stored: TypeDirective
    result: TypeDirective

    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        return ((type,), (LLVMStructType.from_type_list([type, i1]),))


class _AtomicOp(LikeOperandOp):
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@formatted_op
class AtomicRMWOp(_AtomicOp):
    """Memory changed atomically; the result is what was there before.

    ```mlir
    %old = llvm.atomicrmw add %p, %v syncscope("workgroup") monotonic : !llvm.ptr<3>, i32
    ```
    """

    name = "llvm.atomicrmw"

    T: ClassVar = VarConstraint("T", _VALUES)

    ptr = operand_def(LLVMPointerType)
    val = operand_def(T)
    res = result_def(T)
    bin_op = prop_def(IntegerAttr[IntegerType])
    ordering = prop_def(IntegerAttr[IntegerType])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[IntegerType])

    assembly_format = (
        "custom<BinOp>($bin_op) $ptr `,` $val custom<Scope>($syncscope) "
        "custom<Ordering>($ordering) attr-dict `:` type($ptr) `,` "
        "custom<SameType>(type($val), type($res))"
    )
    custom_directives = (BinOp, Scope, Ordering, SameType)

    def __init__(
        self, bin_op: str, pointer: SSAValue, value: SSAValue, scope: str | None = None
    ) -> None:
        """In no order with other accesses; `scope` is who sees it as one."""
        super().__init__(
            pointer,
            value,
            bin_op=IntegerAttr(BIN_OPS.index(bin_op), i64),
            ordering=IntegerAttr(MONOTONIC, i64),
            syncscope=None if scope is None else StringAttr(scope),
        )

    @property
    def word(self) -> str:
        """The word for the operation."""
        return BIN_OPS[self.bin_op.value.data]

    @property
    def order(self) -> str:
        """The word for the ordering."""
        return ORDERINGS[self.ordering.value.data]

    def verify_(self) -> None:
        number = self.bin_op.value.data
        if not 0 <= number < len(BIN_OPS):
            raise VerifyException(
                f"'bin_op' is {number}, must be from 0 to {len(BIN_OPS) - 1}"
            )
        _verify_ordering("ordering", self.ordering)
        if self.word != "xchg" and self.word.startswith("f") == isinstance(
            self.val.type, IntegerType
        ):
            raise VerifyException(
                f"'val' is {self.val.type}, of which there is no {self.word}"
            )


@formatted_op
class CmpXchgOp(_AtomicOp):
    """A value stored where another is found; the result is what was found, and whether it was stored.

    ```mlir
    %r = llvm.cmpxchg %p, %expected, %v syncscope("device") monotonic monotonic : !llvm.ptr<1>, i32
    ```
    """

    name = "llvm.cmpxchg"

    T: ClassVar = VarConstraint("T", base(IntegerType))

    ptr = operand_def(LLVMPointerType)
    cmp = operand_def(T)
    val = operand_def(T)
    res = result_def(LLVMStructType)
    success_ordering = prop_def(IntegerAttr[IntegerType])
    failure_ordering = prop_def(IntegerAttr[IntegerType])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[IntegerType])

    assembly_format = (
        "$ptr `,` $cmp `,` $val custom<Scope>($syncscope) "
        "custom<Ordering>($success_ordering) custom<Ordering>($failure_ordering) attr-dict `:` "
        "type($ptr) `,` custom<ComparedAndFound>(type($cmp), type($val), type($res))"
    )
    custom_directives = (Scope, Ordering, ComparedAndFound)

    def __init__(
        self,
        pointer: SSAValue,
        expected: SSAValue,
        value: SSAValue,
        scope: str | None = None,
    ) -> None:
        """In no order with other accesses; `scope` is who sees it as one."""
        order = IntegerAttr(MONOTONIC, i64)
        IRDLOperation.__init__(
            self,
            operands=[pointer, expected, value],
            result_types=[LLVMStructType.from_type_list([value.type, i1])],
            properties={
                "failure_ordering": order,
                "success_ordering": order,
                "syncscope": None if scope is None else StringAttr(scope),
            },
        )

    @property
    def orders(self) -> tuple[str, str]:
        """The orderings where it is stored and where not, by their words."""
        numbers = self.success_ordering, self.failure_ordering
        return ORDERINGS[numbers[0].value.data], ORDERINGS[numbers[1].value.data]

    def verify_(self) -> None:
        _verify_ordering("success_ordering", self.success_ordering)
        _verify_ordering("failure_ordering", self.failure_ordering)
        expected = LLVMStructType.from_type_list([self.val.type, i1])
        verify_is("res", self.res.type, expected)


def _verify_ordering(name: str, ordering: IntegerAttr[IntegerType]) -> None:
    number = ordering.value.data
    if not MONOTONIC <= number < len(ORDERINGS) or ORDERINGS[number] == "consume":
        legal = ", ".join(word for word in ORDERINGS[MONOTONIC:] if word != "consume")
        found = ORDERINGS[number] if 0 <= number < len(ORDERINGS) else str(number)
        raise VerifyException(f"'{name}' is {found}, must be one of {legal}")


LOOP_ANNOTATION = "loop_annotation"

_Op = TypeVar("_Op", bound=IRDLOperation)

_TRUTH = Field(lambda parser: BoolAttr.from_bool(parser.parse_boolean()), NoneAttr())
_NUMBER = attribute_field(IntegerAttr, "an integer", NoneAttr())


@irdl_attr_definition
class LoopUnrollAttr(StructAttr):
    """`#llvm.loop_unroll<disable = true>`: whether, how often and how a loop is unrolled."""

    name = "llvm.loop_unroll"
    FIELDS: ClassVar = {
        "disable": _TRUTH,
        "count": _NUMBER,
        "runtimeDisable": _TRUTH,
        "full": _TRUTH,
    }

    disable: BoolAttr | NoneAttr
    count: IntegerAttr[IntegerType] | NoneAttr
    runtimeDisable: BoolAttr | NoneAttr
    full: BoolAttr | NoneAttr


def _read_unroll(parser: AttrParser) -> Attribute:
    if parser.lexer.input.at(parser.pos) == "#":
        return attribute_field(LoopUnrollAttr, "#llvm.loop_unroll").read(parser)
    return LoopUnrollAttr.new(LoopUnrollAttr.parse_parameters(parser))


def _show_nameless(printer: Printer, attribute: Attribute) -> None:
    assert isinstance(attribute, LoopUnrollAttr)
    attribute.print_parameters(printer)


@irdl_attr_definition
class LoopAnnotationAttr(StructAttr):
    """`#llvm.loop_annotation<unroll = <disable = true>>`."""

    name = "llvm.loop_annotation"
    FIELDS: ClassVar = {
        "disableNonforced": _TRUTH,
        "unroll": Field(_read_unroll, NoneAttr(), _show_nameless),
        "mustProgress": _TRUTH,
        "isVectorized": _TRUTH,
    }

    disableNonforced: BoolAttr | NoneAttr
    unroll: LoopUnrollAttr | NoneAttr
    mustProgress: BoolAttr | NoneAttr
    isVectorized: BoolAttr | NoneAttr


def annotation_of(op: Operation) -> LoopAnnotationAttr | None:
    """Return the annotation of the loop that a branch closes, or None if it has none."""
    found = op.get_attr_or_prop(LOOP_ANNOTATION)
    return found if isinstance(found, LoopAnnotationAttr) else None


def _annotated(cls: type[_Op]) -> type[_Op]:
    """An op of xDSL in its own format, with the property that says something of a loop."""
    made = formatted_op(cls)
    stock = made.get_irdl_definition()
    known = OptPropertyDef(BaseAttr(LoopAnnotationAttr))
    definition = replace(
        stock,
        assembly_format=None,
        properties={**stock.properties, LOOP_ANNOTATION: known},
        options=[*stock.options, ParsePropInAttrDict()],
    )
    for name, member in get_accessors_from_op_def(definition, None).items():
        setattr(made, name, member)
    definition.assembly_format = stock.assembly_format
    return made


@_annotated
class BrOp(StockBrOp):
    """Goes on with another block."""

    @classmethod
    def back(cls, head: Block, *arguments: SSAValue) -> Self:
        """A branch to the first block of a loop that nothing below unrolls."""
        nothing = NoneAttr()
        unroll = LoopUnrollAttr.new([BoolAttr.from_bool(True), nothing, nothing, nothing])
        branch = cls(head, *arguments)
        branch.properties[LOOP_ANNOTATION] = LoopAnnotationAttr.new(
            [nothing, unroll, nothing, nothing]
        )
        return branch


@_annotated
class CondBrOp(StockCondBrOp):
    """Goes on with one of two blocks."""


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """`#llvm.constant_range<i32, 0, 16>`: an integer lies from the first number up to below the second."""

    name = "llvm.constant_range"

    lower: IntegerAttr
    upper: IntegerAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            type = parse_parameter(parser, IntegerType, "an integer type")
            bounds: list[Attribute] = []
            for _ in range(2):
                parser.parse_punctuation(",")
                bounds.append(IntegerAttr(parser.parse_integer(allow_boolean=False), type))
            return bounds

    def print_parameters(self, printer: Printer) -> None:
        lower, upper = self.lower.value.data, self.upper.value.data
        printer.print_string(f"<{self.lower.type}, {lower}, {upper}>")


POINTERS = AnyOf.get(LLVMPointerType, VectorType.constr(LLVMPointerType))


@formatted_op
class AddrSpaceCastOp(IRDLOperation, HasFolderInterface):
    """The same address as a pointer of another address space."""

    name = "llvm.addrspacecast"

    arg = operand_def(POINTERS)
    res = result_def(POINTERS)

    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    traits = traits_def(Pure())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A cast to the same address space is nothing."""
        return (self.arg,) if self.arg.type == self.res.type else None


@formatted_op
class FreezeOp(IRDLOperation):
    """Some value of the type where the operand is poison, else the operand."""

    name = "llvm.freeze"

    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)

    assembly_format = "$val attr-dict `:` type($val)"

    traits = traits_def(Pure())


@formatted_op
class PoisonOp(IRDLOperation):
    """A value that nothing may depend on."""

    name = "llvm.mlir.poison"

    res = result_def()

    assembly_format = "attr-dict `:` type($res)"

    traits = traits_def(Pure())


LLVM = dialect_over(
    StockLLVM,
    [
        *(AddrSpaceCastOp, AtomicRMWOp, BrOp, CmpXchgOp, CondBrOp, ExtractElementOp, FCmpOp),
        *(FPToSIOp, FPToUIOp, FreezeOp, PoisonOp, SelectOp, UIToFPOp),
    ],
    [ConstantRangeAttr, LoopAnnotationAttr, LoopUnrollAttr],
)
