"""The llvm dialect: xDSL's, with ops that it lacks or restricts to scalars in 0.75 (test_llvm.py tells when not).

Added here: addrspacecast, freeze, poison; the others are in `llvm_values`, `llvm_atomics` and `llvm_loops`. The calling
conventions of SPIR-V (`spir_funccc`, `spir_kernelcc`) and the properties of `llvm.func` that
say the size of a subgroup are refused by xDSL and not needed: the emitter sets them.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType
from xdsl.dialects.llvm import LLVM as StockLLVM
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure

from xetile.dialects.formats import formatted_op
from xetile.dialects.structs import parse_parameter
from xetile.dialects.upstream.llvm_atomics import AtomicRMWOp, CmpXchgOp
from xetile.dialects.upstream.llvm_loops import (
    BrOp,
    CondBrOp,
    LoopAnnotationAttr,
    LoopUnrollAttr,
)
from xetile.dialects.upstream.llvm_values import (
    ExtractElementOp,
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    SelectOp,
    UIToFPOp,
)


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


_OURS = (
    AddrSpaceCastOp,
    AtomicRMWOp,
    BrOp,
    CmpXchgOp,
    CondBrOp,
    ExtractElementOp,
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    FreezeOp,
    PoisonOp,
    SelectOp,
    UIToFPOp,
)
_NAMES = {operation.name for operation in _OURS}

LLVM = Dialect(
    "llvm",
    [
        *(operation for operation in StockLLVM.operations if operation.name not in _NAMES),
        *_OURS,
    ],
    [*StockLLVM.attributes, ConstantRangeAttr, LoopAnnotationAttr, LoopUnrollAttr],
)
