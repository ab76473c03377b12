"""What is said of loops of the llvm dialect: xDSL 0.75 has no annotations (test_llvm_loops.py tells when it has).

llvm.br ^head(%next : i32) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}

The annotation stands on the branch back to the loop's first block. Read are the parameters that say how a loop is
unrolled, and what asks for nothing; those of other transformations are refused by name.

Source: mlir/Dialect/LLVMIR/LLVMAttrDefs.td and LLVMOps.td of LLVM 22.1.8.
"""

from dataclasses import replace
from typing import ClassVar, Self, TypeVar

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, IntegerType, NoneAttr
from xdsl.dialects.llvm import BrOp as StockBrOp
from xdsl.dialects.llvm import CondBrOp as StockCondBrOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    OptPropertyDef,
    ParsePropInAttrDict,
    irdl_attr_definition,
)
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xetile.dialects.formats import formatted_op
from xetile.dialects.structs import Field, StructAttr, attribute_field

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
    """What a branch says of the loop whose first block it goes back to."""
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
