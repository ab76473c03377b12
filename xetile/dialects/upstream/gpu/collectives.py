"""Ops that the work-items of a workgroup or subgroup carry out together.

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`; what is refused is what mlir-opt 22 refuses. Who takes part in
one is who gets there, so none is speculated; shuffles of the same values may be shared.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xetile.dialects.upstream.gpu.attributes import (
    BroadcastType,
    BroadcastTypeAttr,
    ShuffleMode,
    ShuffleModeAttr,
)

NUMBER = base(IntegerType) | AnyFloatConstr
NUMBERS = NUMBER | VectorType.constr(NUMBER)


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All work-items of the workgroup wait for each other, and their memory accesses are ordered.

    It reads and writes memory, so no pass removes it or moves an access across it.
    """

    name = "gpu.barrier"

    assembly_format = "attr-dict"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """The value that another lane holds, and whether there is such a lane among the first `width`."""

    name = "gpu.shuffle"

    T: ClassVar = VarConstraint("T", NUMBERS)

    mode = prop_def(ShuffleModeAttr)
    value = operand_def(T)
    offset = operand_def(i32)
    width = operand_def(i32)
    shuffle_result = result_def(T)
    valid = result_def(i1)

    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        value: SSAValue | Operation,
        offset: SSAValue | Operation,
        width: SSAValue | Operation,
        mode: ShuffleModeAttr | Literal["xor", "up", "down", "idx"],
    ) -> None:
        if not isinstance(mode, ShuffleModeAttr):
            mode = ShuffleModeAttr(ShuffleMode(mode))
        super().__init__(
            operands=[value, offset, width],
            result_types=[SSAValue.get(value).type, i1],
            properties={"mode": mode},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "ShuffleOp":
        """Read `xor %value, %offset, %width {...} : type`."""
        mode = ShuffleModeAttr(parser.parse_str_enum(ShuffleMode))
        position = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [type, i32, i32], position),
            result_types=[type, i1],
            properties={"mode": mode},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f"  {self.mode.data} ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)

    def verify_(self) -> None:
        """A vector has rank 1."""
        type = self.value.type
        if isa(type, VectorType) and (len(type.get_shape()) != 1 or any(type.get_scalable_dims())):
            raise VerifyException(f"'value' is {type}, a vector has to have rank 1 and fixed size")


@irdl_op_definition
class RotateOp(IRDLOperation):
    """The value of the lane `offset` further, modulo `width`."""

    name = "gpu.rotate"

    T: ClassVar = VarConstraint("T", NUMBERS)

    value = operand_def(T)
    offset = prop_def(IntegerAttr[IntegerType])
    width = prop_def(IntegerAttr[IntegerType])
    rotate_result = result_def(T)
    valid = result_def(i1)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, value: SSAValue | Operation, offset: int, width: int) -> None:
        super().__init__(
            operands=[value],
            result_types=[SSAValue.get(value).type, i1],
            properties={"offset": IntegerAttr(offset, i32), "width": IntegerAttr(width, i32)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "RotateOp":
        """Read `%value, offset, width {...} : type`."""
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        offset = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        width = parser.parse_integer(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operation = cls(parser.resolve_operand(value, parser.parse_type()), offset, width)
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(f", {self.offset.value.data}, {self.width.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)

    def verify_(self) -> None:
        """The width is a power of two, and the offset below it."""
        offset, width = self.offset.value.data, self.width.value.data
        if width <= 0 or width & (width - 1):
            raise VerifyException(f"'width' is {width}, it has to be a power of two")
        if not 0 <= offset < width:
            raise VerifyException(f"'offset' is {offset}, it has to lie in [0, {width})")


@irdl_op_definition
class SubgroupBroadcastOp(IRDLOperation):
    """One lane's value in all lanes."""

    name = "gpu.subgroup_broadcast"

    T: ClassVar = VarConstraint("T", AnyAttr())

    src = operand_def(T)
    lane = opt_operand_def(i32)
    broadcast_type = prop_def(BroadcastTypeAttr)
    result = result_def(T)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, src: SSAValue | Operation, lane: SSAValue | Operation | None = None) -> None:
        """Broadcast from `lane`, which is the same in all lanes; None is the first active lane."""
        kind = BroadcastType.FIRST_ACTIVE_LANE if lane is None else BroadcastType.SPECIFIC_LANE
        super().__init__(
            operands=[src, lane],
            result_types=[SSAValue.get(src).type],
            properties={"broadcast_type": BroadcastTypeAttr(kind)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> "SubgroupBroadcastOp":
        """Read `%src, specific_lane %lane {...} : type`."""
        src = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        kind = BroadcastTypeAttr(parser.parse_str_enum(BroadcastType))
        lane = parser.parse_optional_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operands = [parser.resolve_operand(src, parser.parse_type())]
        if lane is not None:
            operands.append(parser.resolve_operand(lane, i32))
        return cls.create(
            operands=operands,
            result_types=[operands[0].type],
            properties={"broadcast_type": kind},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.src)
        printer.print_string(f",  {self.broadcast_type.data}")
        if self.lane is not None:
            printer.print_string(" ")
            printer.print_ssa_value(self.lane)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.src.type)

    def verify_(self) -> None:
        """A lane is given where one is asked for."""
        kind = self.broadcast_type.data
        if (self.lane is not None) != (kind == BroadcastType.SPECIFIC_LANE):
            has = "no lane" if self.lane is None else "a lane"
            raise VerifyException(f"'broadcast_type' is {kind}, the op has {has}")


@irdl_op_definition
class PrintfOp(IRDLOperation):
    """Every work-item prints."""

    name = "gpu.printf"

    format = prop_def(StringAttr)
    args = var_operand_def()

    traits = traits_def(MemoryWriteEffect())

    def __init__(self, format: str, args: Sequence[SSAValue | Operation] = ()) -> None:
        super().__init__(operands=[args], properties={"format": StringAttr(format)})

    @classmethod
    def parse(cls, parser: Parser) -> "PrintfOp":
        """Read `"format" {...}, %args : types`."""
        format = parser.parse_str_literal()
        attributes = parser.parse_optional_attr_dict()
        position = parser.pos
        args: Sequence[SSAValue] = ()
        if parser.parse_optional_punctuation(",") is not None:
            names = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            args = parser.resolve_operands(names, types, position)
        operation = cls(format, args)
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_string_literal(self.format.data)
        printer.print_op_attributes(self.attributes)
        if self.args:
            printer.print_string(", ")
            printer.print_list(self.args, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list(self.operand_types, printer.print_attribute)
