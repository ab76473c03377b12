"""The gpu dialect's attributes: xDSL 0.75 lacks most, and prints others wrongly (test_gpu.py fails once it has them).

Then the directives of its formats, which upstream writes in C++.
Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/{GPUOps,GPUBase}.td`, checked by mlir-opt 22's output.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, NoneAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Block,
    OpaqueSyntaxAttribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import IRDLOperation, irdl_attr_definition
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    UniqueBaseAttributeVariable,
    VariableDirective,
    VariadicOperandVariable,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.directives import Directive, expect_space
from xetile.dialects.structs import Field, StructAttr, WordAttr, print_bare

Dimension = StrEnum("Dimension", "X Y Z")
"""An axis of the grid or of a block."""

AddressSpace = StrEnum("AddressSpace", "GLOBAL WORKGROUP PRIVATE")
"""Who shares a buffer."""

AllReduceOperation = StrEnum(
    "AllReduceOperation",
    "ADD MUL MINUI MINSI MINNUMF MAXUI MAXSI MAXNUMF AND OR XOR MINIMUMF MAXIMUMF",
)
"""How a reduction combines two values."""

ShuffleMode = StrEnum("ShuffleMode", "XOR UP DOWN IDX")
"""How a lane finds the lane whose value it takes."""

BroadcastType = StrEnum("BroadcastType", "FIRST_ACTIVE_LANE SPECIFIC_LANE")
"""Which lane's value a broadcast hands out."""

Processor = StrEnum(
    "Processor", "BLOCK_X BLOCK_Y BLOCK_Z THREAD_X THREAD_Y THREAD_Z SEQUENTIAL"
)
"""The unit of the launch over which a loop is distributed."""


@irdl_attr_definition
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """The type of the value by which ops wait for an asynchronous op."""

    name = "gpu.async.token"


@irdl_attr_definition
class DimensionAttr(EnumAttribute[Dimension], SpacedOpaqueSyntaxAttribute):
    """`#gpu<dim x>`."""

    name = "gpu.dim"


@irdl_attr_definition
class AllReduceOperationAttr(EnumAttribute[AllReduceOperation], SpacedOpaqueSyntaxAttribute):
    """`#gpu<all_reduce_op add>`."""

    name = "gpu.all_reduce_op"


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    """`#gpu<shuffle_mode xor>`."""

    name = "gpu.shuffle_mode"


@irdl_attr_definition
class BroadcastTypeAttr(EnumAttribute[BroadcastType], SpacedOpaqueSyntaxAttribute):
    """`#gpu<broadcast first_active_lane>`."""

    name = "gpu.broadcast"


@irdl_attr_definition
class ProcessorAttr(EnumAttribute[Processor], SpacedOpaqueSyntaxAttribute):
    """`#gpu<processor block_x>`."""

    name = "gpu.processor"


@irdl_attr_definition
class AddressSpaceAttr(WordAttr[AddressSpace]):
    """`#gpu.address_space<workgroup>`, the memory space of a memref."""

    name = "gpu.address_space"
    words = AddressSpace


@irdl_attr_definition
class SelectObjectAttr(ParametrizedAttribute):
    """`#gpu.select_object<0 : i64>`: which object of a binary is loaded; without a parameter the first."""

    name = "gpu.select_object"

    target: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        if parser.lexer.input.at(parser.pos) != "<":
            return [NoneAttr()]
        with parser.in_angle_brackets():
            return [parser.parse_attribute()]

    def print_parameters(self, printer: Printer) -> None:
        if not isinstance(self.target, NoneAttr):
            with printer.in_angle_brackets():
                printer.print_attribute(self.target)


_AFFINE_MAP = Field(lambda parser: AffineMapAttr(parser.parse_affine_map()), show=print_bare)


@irdl_attr_definition
class LoopDimMapAttr(StructAttr, OpaqueSyntaxAttribute):
    """How one loop of a nest maps to a processor."""

    name = "gpu.loop_dim_map"
    FIELDS: ClassVar = {
        "processor": Field(
            lambda parser: ProcessorAttr(parser.parse_str_enum(Processor)), show=print_bare
        ),
        "map": _AFFINE_MAP,
        "bound": _AFFINE_MAP,
    }

    processor: ProcessorAttr
    map: AffineMapAttr
    bound: AffineMapAttr


TOKEN = AsyncTokenType()


def parse_async(parser: Parser) -> tuple[bool, list[UnresolvedOperand]]:
    """Read `async [%tokens]`: whether the first word is there, and the tokens that are waited for."""
    is_async = parser.parse_optional_keyword("async") is not None
    tokens = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )
    return is_async, tokens or []


def print_async(printer: Printer, waited: Sequence[SSAValue], *, is_async: bool) -> None:
    """Print what `parse_async` reads; mlir-opt has a space before it in any case."""
    printer.print_string(" async" if is_async else " ")
    if waited:
        printer.print_string(" " if is_async else "")
        with printer.in_square_brackets():
            printer.print_list(waited, printer.print_ssa_value)


class AsyncDependencies(Directive):
    """`async [%token]`: whether the op gives a token, and the tokens that it waits for."""

    token: TypeDirective
    waited: VariadicOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        is_async, waited = parse_async(parser)
        self.token.set(state, (TOKEN,) if is_async else ())
        self.waited.set(state, waited)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        print_async(printer, self.waited.get(op), is_async=bool(self.token.get(op)))
        expect_space(state)


class LaunchSizeType(Directive):
    """`: i64`, the type of all sizes of a launch; nothing where it is index."""

    grid_x: TypeDirective
    grid_y: TypeDirective
    grid_z: TypeDirective
    block_x: TypeDirective
    block_y: TypeDirective
    block_z: TypeDirective
    cluster_x: TypeDirective
    cluster_y: TypeDirective
    cluster_z: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        has_type = parser.parse_optional_punctuation(":") is not None
        type = parser.parse_type() if has_type else IndexType()
        for name in self.parameters:
            size: TypeDirective = getattr(self, name)
            assert isinstance(size.inner, VariableDirective)
            size.set(state, [type] * len(state.operands[size.inner.index] or ()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" ")
        (type,) = self.grid_x.get(op)
        if type != IndexType():
            printer.print_string(": ")
            printer.print_attribute(type)
        expect_space(state)


class LaunchOperands(Directive):
    """`args(%a : f32, %b : i32)`, or nothing."""

    operands: VariadicOperandVariable
    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def parse_one() -> tuple[UnresolvedOperand, Attribute]:
            operand = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            return operand, parser.parse_type()

        has_some = parser.parse_optional_keyword("args") is not None
        delimiter = parser.Delimiter.PAREN
        pairs = parser.parse_comma_separated_list(delimiter, parse_one) if has_some else []
        self.operands.set(state, [operand for operand, _ in pairs])
        self.types.set(state, [type for _, type in pairs])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" ")
        if operands := self.operands.get(op):
            printer.print_string("args")
            with printer.in_parens():
                printer.print_list(operands, lambda value: print_typed(printer, value))
        expect_space(state)


def print_typed(printer: Printer, value: SSAValue) -> None:
    """Print `%a : f32`."""
    printer.print_ssa_value(value)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


class ReductionKind(Directive):
    """`add`, or nothing; mlir-opt has a space before it in any case."""

    kind: UniqueBaseAttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        kind = parser.parse_optional_str_enum(AllReduceOperation)
        if kind is not None:
            self.kind.set(state, AllReduceOperationAttr(kind))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" ")
        self.kind.print(printer, state, op)


class OffloadingHandler(Directive):
    """`<#gpu.select_object<1 : i64>>`, or nothing for what selects the first object."""

    handler: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        handler: Attribute = SelectObjectAttr(NoneAttr())
        if parser.parse_optional_punctuation("<") is not None:
            handler = parser.parse_attribute()
            parser.parse_punctuation(">")
        self.handler.set(state, handler)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" ")
        handler = self.handler.get(op)
        if handler is not None and handler != SelectObjectAttr(NoneAttr()):
            with printer.in_angle_brackets():
                printer.print_attribute(handler)


class Targets(Directive):
    """`[#xevm.target]`, or nothing; xDSL's `$attribute` takes the body's brace for a dictionary."""

    targets: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        targets = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_attribute
        )
        if targets is not None:
            self.targets.set(state, ArrayAttr(targets))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.targets.print(printer, state, op)


class SingleBlock(Directive):
    """A region of one block, which may have nothing in it."""

    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        self.body.set(state, region)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_region(self.body.get(op), print_empty_block=False)
