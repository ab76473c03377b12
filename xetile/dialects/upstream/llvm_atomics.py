"""Atomic ops of the llvm dialect, which xDSL 0.75 lacks (test_llvm.py tells when it does not).

Source: mlir/Dialect/LLVMIR/LLVMOps.td and LLVMEnums.td of LLVM 22.1.8.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr, IntegerAttr, IntegerType, StringAttr, i1, i64
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, OneType, SameType, Word
from xetile.dialects.formats import formatted_op, present

BIN_OPS = (
    "xchg",
    "add",
    "sub",
    "_and",
    "nand",
    "_or",
    "_xor",
    "max",
    "min",
    "umax",
    "umin",
    "fadd",
    "fsub",
    "fmax",
    "fmin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
    "fmaximum",
    "fminimum",
)
"""What `llvm.atomicrmw` does, in the order of its numbers."""

ORDERINGS = (
    "not_atomic",
    "unordered",
    "monotonic",
    "consume",  # which LLVM keeps a number for, and has not
    "acquire",
    "release",
    "acq_rel",
    "seq_cst",
)
"""What an access is ordered with, in the order of the numbers."""

MONOTONIC = ORDERINGS.index("monotonic")

_VALUES = AnyFloatConstr | base(IntegerType)


class BinOp(Word):
    """The number of what is done as its word."""

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


class _AtomicOp(IRDLOperation):
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
            operands=[pointer, value],
            result_types=[value.type],
            properties=present(
                bin_op=IntegerAttr(BIN_OPS.index(bin_op), i64),
                ordering=IntegerAttr(MONOTONIC, i64),
                syncscope=None if scope is None else StringAttr(scope),
            ),
        )

    @property
    def word(self) -> str:
        """What is done, by its word."""
        return BIN_OPS[self.bin_op.value.data]

    @property
    def order(self) -> str:
        """The ordering, by its word."""
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
        super().__init__(
            operands=[pointer, expected, value],
            result_types=[LLVMStructType.from_type_list([value.type, i1])],
            properties=present(
                failure_ordering=order,
                success_ordering=order,
                syncscope=None if scope is None else StringAttr(scope),
            ),
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
        if self.res.type != expected:
            raise VerifyException(f"'res' is {self.res.type}, expected {expected}")


def _verify_ordering(name: str, ordering: IntegerAttr[IntegerType]) -> None:
    number = ordering.value.data
    if not MONOTONIC <= number < len(ORDERINGS) or ORDERINGS[number] == "consume":
        legal = ", ".join(word for word in ORDERINGS[MONOTONIC:] if word != "consume")
        found = ORDERINGS[number] if 0 <= number < len(ORDERINGS) else str(number)
        raise VerifyException(f"'{name}' is {found}, must be one of {legal}")
