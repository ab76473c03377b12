"""What work-items carry out together: xDSL 0.75 lacks most of it, and any form (test_gpu.py tells when it has it).

Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`; what is refused is what mlir-opt 22
refuses. Who takes part in one is who gets there, so none is speculated; shuffles of the same
values may be shared.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.builtin import (
    I32,
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
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Quoted
from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.gpu.attributes import (
    BroadcastType,
    BroadcastTypeAttr,
    ShuffleMode,
    ShuffleModeAttr,
)
from xetile.hints import isa

NUMBER = base(IntegerType) | AnyFloatConstr
NUMBERS = NUMBER | VectorType.constr(NUMBER)


@formatted_op
class BarrierOp(IRDLOperation):
    """All work-items of the workgroup wait for each other, and their memory accesses are ordered.

    It reads and writes memory, so no pass removes it or moves an access across it.
    """

    name = "gpu.barrier"

    assembly_format = "attr-dict"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


@formatted_op
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

    assembly_format = "` ` $mode $value `,` $offset `,` $width attr-dict `:` type($value)"

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

    def verify_(self) -> None:
        type = self.value.type
        if isa(type, VectorType) and (
            len(type.get_shape()) != 1 or any(type.get_scalable_dims())
        ):
            raise VerifyException(
                f"'value' is {type}, a vector has to have rank 1 and fixed size"
            )


@formatted_op
class RotateOp(IRDLOperation):
    """The value of the lane `offset` further, modulo `width`."""

    name = "gpu.rotate"

    T: ClassVar = VarConstraint("T", NUMBERS)

    value = operand_def(T)
    offset = prop_def(IntegerAttr[I32])
    width = prop_def(IntegerAttr[I32])
    rotate_result = result_def(T)
    valid = result_def(i1)

    assembly_format = "$value `,` $offset `,` $width attr-dict `:` type($value)"

    traits = traits_def(NoMemoryEffect())

    def verify_(self) -> None:
        offset, width = self.offset.value.data, self.width.value.data
        if width <= 0 or width & (width - 1):
            raise VerifyException(f"'width' is {width}, it has to be a power of two")
        if not 0 <= offset < width:
            raise VerifyException(f"'offset' is {offset}, it has to lie in [0, {width})")


@formatted_op
class SubgroupBroadcastOp(IRDLOperation):
    """One lane's value in all lanes."""

    name = "gpu.subgroup_broadcast"

    T: ClassVar = VarConstraint("T", AnyAttr())

    src = operand_def(T)
    lane = opt_operand_def(i32)
    broadcast_type = prop_def(BroadcastTypeAttr)
    result = result_def(T)

    assembly_format = "$src `,` ` ` $broadcast_type ($lane^)? attr-dict `:` type($src)"

    traits = traits_def(NoMemoryEffect())

    def verify_(self) -> None:
        kind = self.broadcast_type.data
        if (self.lane is not None) != (kind == BroadcastType.SPECIFIC_LANE):
            has = "no lane" if self.lane is None else "a lane"
            raise VerifyException(f"'broadcast_type' is {kind}, the op has {has}")


@formatted_op
class PrintfOp(IRDLOperation):
    """Every work-item prints."""

    name = "gpu.printf"

    format = prop_def(StringAttr)
    args = var_operand_def()

    assembly_format = "custom<Quoted>($format) attr-dict (`,` $args^ `:` type($args))?"
    custom_directives = (Quoted,)

    traits = traits_def(MemoryWriteEffect())

    def __init__(self, format: str, args: Sequence[SSAValue | Operation] = ()) -> None:
        super().__init__(operands=[args], properties={"format": StringAttr(format)})
