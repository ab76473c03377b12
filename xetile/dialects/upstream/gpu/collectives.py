"""Ids of work-items, and collective ops; xDSL 0.75 has no form of them (test_gpu.py fails once it has).

The work-items that reach an op take part in it, so no op is speculated. Shuffles of the same values may be merged.
Source: `llvm 22.1.8 mlir/Dialect/GPU/IR/GPUOps.td`; what is refused is what mlir-opt 22 refuses.
"""

import re
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Literal

from xdsl.dialects.builtin import (
    I32,
    AnyFloat,
    AnyFloatConstr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    base,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
    ReturnLike,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self

from xetile.dialects.directives import Quoted
from xetile.dialects.formats import formatted_op, op_like
from xetile.dialects.upstream.bases import (
    LikeOperandOp,
    listed,
    verify_below,
    verify_power_of_two,
)
from xetile.dialects.upstream.gpu.gpu_attributes import (
    AllReduceOperationAttr,
    BroadcastType,
    BroadcastTypeAttr,
    Dimension,
    DimensionAttr,
    ReductionKind,
    ShuffleMode,
    ShuffleModeAttr,
)
from xetile.errors import fail
from xetile.hints import isa


def _bound(upper_bound: int | None) -> IntegerAttr[IndexType] | None:
    return None if upper_bound is None else IntegerAttr.from_index_int_value(upper_bound)


class DimensionOperation(IRDLOperation, ABC):
    """An op with one result for one axis: `gpu.block_id  x upper_bound 64`."""

    dimension = prop_def(DimensionAttr)
    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType())

    assembly_format = "` ` $dimension (`upper_bound` $upper_bound^)? attr-dict"

    traits = traits_def(Pure())

    def __init__(
        self, dimension: Literal["x", "y", "z"], upper_bound: int | None = None
    ) -> None:
        super().__init__(
            result_types=[IndexType()],
            properties={
                "dimension": DimensionAttr(Dimension(dimension)),
                "upper_bound": _bound(upper_bound),
            },
        )


class SubgroupOperation(IRDLOperation, ABC):
    """An op with one result and no axis: `gpu.subgroup_id upper_bound 4 : index`."""

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType())

    assembly_format = "(`upper_bound` $upper_bound^)? attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(self, upper_bound: int | None = None) -> None:
        super().__init__(
            result_types=[IndexType()], properties={"upper_bound": _bound(upper_bound)}
        )


BlockIdOp = op_like(DimensionOperation, "gpu.block_id")
"""The workgroup's coordinate in the grid."""
BlockDimOp = op_like(DimensionOperation, "gpu.block_dim")
"""The number of work-items of a workgroup along one axis."""
GridDimOp = op_like(DimensionOperation, "gpu.grid_dim")
"""The number of workgroups of the grid along one axis."""
ThreadIdOp = op_like(DimensionOperation, "gpu.thread_id")
"""The work-item's coordinate in its workgroup."""
GlobalIdOp = op_like(DimensionOperation, "gpu.global_id")
"""The coordinate in the grid: block_id * block_dim + thread_id."""
ClusterIdOp = op_like(DimensionOperation, "gpu.cluster_id")
"""The cluster's coordinate in the grid."""
ClusterDimOp = op_like(DimensionOperation, "gpu.cluster_dim")
"""The number of clusters of the grid along one axis."""
ClusterDimBlocksOp = op_like(DimensionOperation, "gpu.cluster_dim_blocks")
"""The workgroups of a cluster along one axis."""
ClusterBlockIdOp = op_like(DimensionOperation, "gpu.cluster_block_id")
"""The workgroup's coordinate in its cluster."""
SubgroupIdOp = op_like(SubgroupOperation, "gpu.subgroup_id")
"""The subgroup's number in its workgroup."""
SubgroupSizeOp = op_like(SubgroupOperation, "gpu.subgroup_size")
"""The number of lanes of a subgroup."""
NumSubgroupsOp = op_like(SubgroupOperation, "gpu.num_subgroups")
"""The number of subgroups of a workgroup."""


@formatted_op
class LaneIdOp(SubgroupOperation):
    """The lane's number in its subgroup."""

    name = "gpu.lane_id"

    assembly_format = "(`upper_bound` $upper_bound^)? attr-dict"


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
        mode: Literal["xor", "up", "down", "idx"],
    ) -> None:
        super().__init__(
            operands=[value, offset, width],
            result_types=[SSAValue.get(value).type, i1],
            properties={"mode": ShuffleModeAttr(ShuffleMode(mode))},
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
        verify_power_of_two("width", width)
        verify_below("offset", offset, width)


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


_FOR_INTEGERS = ("minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
_FOR_FLOATS = ("minnumf", "maxnumf", "minimumf", "maximumf")


def verify_reduction(op: AllReduceOperationAttr, type: Attribute) -> None:
    """The operation combines values of the type."""
    is_float = isinstance(get_element_type_or_self(type), AnyFloat)
    if op.data.value in (_FOR_INTEGERS if is_float else _FOR_FLOATS):
        raise VerifyException(f"'op' is {op.data.value}, which does not combine {type}")


@formatted_op
class AllReduceOp(IRDLOperation):
    """The values of all work-items of the workgroup combined, by an operation or by a body."""

    name = "gpu.all_reduce"

    T: ClassVar = VarConstraint("T", NUMBER)

    op = opt_prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    operand = operand_def(T)
    result = result_def(T)
    body = region_def()

    assembly_format = (
        "custom<ReductionKind>($op) $operand (`uniform` $uniform^)? $body attr-dict `:` "
        "functional-type($operand, $result)"
    )
    custom_directives = (ReductionKind,)

    traits = traits_def(IsolatedFromAbove())

    def verify_(self) -> None:
        if (self.op is None) == (not self.body.blocks):
            raise VerifyException("expected either an op attribute or a non-empty body")
        if self.op is not None:
            verify_reduction(self.op, self.operand.type)
            return
        found = tuple(argument.type for argument in self.body.blocks[0].args)
        if found != (self.operand.type,) * 2:
            raise VerifyException(
                f"'body' has arguments {listed(found)}, it has to have two values"
            )
        for block in self.body.blocks:
            last = block.last_op
            if isinstance(last, YieldOp) and tuple(last.operand_types) != (self.operand.type,):
                raise VerifyException(f"'body' has to yield one {self.operand.type}")


@formatted_op
class SubgroupReduceOp(LikeOperandOp):
    """The values of all lanes combined, or of the lanes of each cluster."""

    name = "gpu.subgroup_reduce"

    T: ClassVar = VarConstraint("T", NUMBERS)

    value = operand_def(T)
    op = prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[I32])
    cluster_stride = prop_def(IntegerAttr[I32], default_value=IntegerAttr(1, i32))
    result = result_def(T)

    assembly_format = (
        "` ` $op $value (`uniform` $uniform^)? "
        "(`cluster` `(` `size` `=` $cluster_size^ (`,` `stride` `=` $cluster_stride^)? `)`)? "
        "attr-dict `:` functional-type($value, $result)"
    )

    def verify_(self) -> None:
        verify_reduction(self.op, self.value.type)
        stride = self.cluster_stride.value.data
        if self.cluster_size is None:
            if stride != 1:
                raise VerifyException("'cluster_stride' needs a cluster_size")
            return
        verify_power_of_two("cluster_size", self.cluster_size.value.data)
        verify_power_of_two("cluster_stride", stride)


@formatted_op
class YieldOp(IRDLOperation):
    """Ends the body of a reduction."""

    name = "gpu.yield"

    values = var_operand_def()

    assembly_format = "attr-dict ($values^ `:` type($values))?"

    traits = traits_def(IsTerminator(), ReturnLike())


CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>(?:\.\d*)?)(?:hh|h|ll|l|z|t|j)?(?P<kind>[a-zA-Z%])"
)
"""A conversion, or `%%`."""

SIGNED, UNSIGNED, FLOATS = "di", "uoxX", "aAeEfFgG"
"""Conversions of integers as signed numbers, as unsigned ones, and of floats."""


def format_of(op: Operation) -> str:
    """The text of an op's format."""
    format = op.properties["format"]
    assert isinstance(format, StringAttr)
    return format.data


def kinds_of(op: Operation) -> list[str]:
    """The letter of each value's conversion.

    Errors: XetileError where conversions and values do not fit, in number or in type.
    """
    format = format_of(op)
    found = list(CONVERSION.finditer(format))
    kinds = [one["kind"] for one in found if one["kind"] != "%"]
    if len(kinds) != len(op.operands):
        fail(op, f"the format has {len(kinds)} conversions for {len(op.operands)} values")
    if format.count("%") != sum(one[0].count("%") for one in found):
        fail(op, f"the format '{format}' has a % that begins no conversion")
    for kind, value in zip(kinds, op.operands, strict=True):
        legal = FLOATS if isa(value.type, AnyFloat) else f"{SIGNED}{UNSIGNED}pc"
        if kind not in legal:
            fail(op, f"the format has '%{kind}' for a value of type {value.type}")
    return kinds
