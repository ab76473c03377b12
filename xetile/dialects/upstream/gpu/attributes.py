"""The gpu dialect's attributes: xDSL 0.75 lacks most, and prints others wrongly (test_gpu.py tells when it has them).

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td, GPUBase.td`, checked by mlir-opt 22's
output.
"""

from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, NoneAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    OpaqueSyntaxAttribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.structs import Field, StructAttr, WordAttr, print_bare


class Dimension(StrEnum):
    """An axis of the grid or of a block."""

    X = "x"
    Y = "y"
    Z = "z"


class AddressSpace(StrEnum):
    """Who shares a buffer."""

    GLOBAL = "global"
    WORKGROUP = "workgroup"
    PRIVATE = "private"


class AllReduceOperation(StrEnum):
    """How a reduction combines two values."""

    ADD = "add"
    MUL = "mul"
    MINUI = "minui"
    MINSI = "minsi"
    MINNUMF = "minnumf"
    MAXUI = "maxui"
    MAXSI = "maxsi"
    MAXNUMF = "maxnumf"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MINIMUMF = "minimumf"
    MAXIMUMF = "maximumf"


class ShuffleMode(StrEnum):
    """How a lane finds the lane whose value it takes."""

    XOR = "xor"
    UP = "up"
    DOWN = "down"
    IDX = "idx"


class BroadcastType(StrEnum):
    """Which lane's value a broadcast hands out."""

    FIRST_ACTIVE_LANE = "first_active_lane"
    SPECIFIC_LANE = "specific_lane"


class Processor(StrEnum):
    """What a loop is mapped to."""

    BLOCK_X = "block_x"
    BLOCK_Y = "block_y"
    BLOCK_Z = "block_z"
    THREAD_X = "thread_x"
    THREAD_Y = "thread_y"
    THREAD_Z = "thread_z"
    SEQUENTIAL = "sequential"


@irdl_attr_definition
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """What an asynchronous op hands to those that wait for it."""

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
