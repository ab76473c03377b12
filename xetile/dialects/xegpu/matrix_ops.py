"""Matrices in shared local memory.

Every op prints as mlir-opt 22 prints it, with no space before `:` after an attribute.
"""

from xdsl.dialects.builtin import MemRefType, UnitAttr, VectorType, i1
from xdsl.ir import SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import sorted_op
from xetile.dialects.index_lists import IndexList
from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream.bases import verify_entries
from xetile.dialects.xegpu.access import (
    I64_ARRAY,
    LAYOUT,
    OffsetsOp,
    XeGPUOp,
    element_type,
    vector_type,
)
from xetile.dialects.xegpu.layouts import AnyLayoutAttr, LayoutAttr, SliceAttr
from xetile.dialects.xegpu.xegpu_constraints import SHARED_MEMREF, value_constraint
from xetile.dialects.xegpu.xegpu_types import MemDescType
from xetile.hints import isa

SCALAR_OR_VECTOR = value_constraint(or_scalar=True)


@sorted_op
class CreateMemDescOp(XeGPUOp):
    """A matrix in a buffer of shared local memory.

    ```mlir
    %m = xegpu.create_mem_desc %buffer : memref<4096xi8, 3> -> !xegpu.mem_desc<32x64xf16>
    ```
    """

    name = "xegpu.create_mem_desc"

    source = operand_def(SHARED_MEMREF)
    mem_desc = result_def(MemDescType)

    traits = traits_def(Pure())

    assembly_format = "$source prop-dict attr-dict `` `:` type($source) `->` type($mem_desc)"

    def verify_(self) -> None:
        source, result = self.source.type, self.mem_desc.type
        assert isa(source, MemRefType)
        if isinstance(source.layout, SwizzleAttr):
            raise VerifyException(f"'source' is {source}, whose layout is not strided")
        sizes = [
            type.element_count() * getattr(type.element_type, "bitwidth", 0)
            for type in (source, result)
        ]
        if sizes[0] != sizes[1]:
            raise VerifyException(
                f"'source' has {sizes[0]} bits, {result} {sizes[1]}, must be equal"
            )
        if result.element_type == i1 and source.element_type != i1:
            raise VerifyException(
                f"{result} has bytes of i1, 'source' {source.element_type}; expected i8 in both"
            )


@sorted_op
class LoadMatrixOp(OffsetsOp):
    """Load a tile of a matrix in shared local memory.

    ```mlir
    %v = xegpu.load_matrix %m[%i, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<8x16xf16>
    ```

    With `subgroup_block_io` the whole subgroup loads consecutive elements in one message.
    """

    name = "xegpu.load_matrix"

    mem_desc = operand_def(MemDescType)
    const_offsets = prop_def(I64_ARRAY)
    subgroup_block_io = opt_prop_def(UnitAttr)
    layout = opt_prop_def(LAYOUT)
    res = result_def(SCALAR_OR_VECTOR)

    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$mem_desc `` custom<IndexList>($offsets, $const_offsets) prop-dict attr-dict `` `:` "
        "type(operands) `->` type($res)"
    )
    custom_directives = (IndexList,)

    def verify_(self) -> None:
        self.verify_places()
        _verify_tile(self, "res", self.res)


@sorted_op
class StoreMatrixOp(OffsetsOp):
    """Store a tile of a matrix in shared local memory.

    ```mlir
    xegpu.store_matrix %v, %m[%i, 0] : vector<8x16xf16>, !xegpu.mem_desc<32x64xf16>, index
    ```
    """

    name = "xegpu.store_matrix"

    data = operand_def(SCALAR_OR_VECTOR)
    mem_desc = operand_def(MemDescType)
    const_offsets = prop_def(I64_ARRAY)
    subgroup_block_io = opt_prop_def(UnitAttr)
    layout = opt_prop_def(LAYOUT)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$data `,` $mem_desc `` custom<IndexList>($offsets, $const_offsets) prop-dict attr-dict "
        "`` `:` type(operands)"
    )
    custom_directives = (IndexList,)

    def verify_(self) -> None:
        self.verify_places()
        _verify_tile(self, "data", self.data)


def _verify_tile(op: LoadMatrixOp | StoreMatrixOp, name: str, value: SSAValue) -> None:
    """The value fits the matrix and, with `subgroup_block_io`, lies as that message needs it."""
    type, layout = op.mem_desc.type, op.layout
    block_io = op.subgroup_block_io is not None
    assert isinstance(type, MemDescType)
    count, rank = len(op.mixed_offsets), type.get_num_dims()
    verify_entries("offsets", count, type, rank, rank)
    element = element_type(value.type)
    if element != type.element_type:
        raise VerifyException(
            f"'{name}' has elements of {element}, the mem_desc of {type.element_type}"
        )
    if not isinstance(value.type, VectorType):
        if block_io:
            raise VerifyException(
                f"'{name}' is {value.type}, must be a vector with 'subgroup_block_io'"
            )
        return
    if type.get_num_dims() != 2:
        raise VerifyException(
            f"'mem_desc' is {type}, must have rank 2 where '{name}' is a vector"
        )
    if block_io and isinstance(layout, LayoutAttr | SliceAttr):
        _verify_block_io(type, layout)
    shape = vector_type(value).get_shape()
    if len(shape) == 2:
        if any(extent > whole for extent, whole in zip(shape, type.shape, strict=True)):
            raise VerifyException(
                f"'{name}' has shape {list(shape)}, must not exceed {list(type.shape)}"
            )
        return
    if block_io and type.strides[0] == 1:
        raise VerifyException(
            f"'mem_desc' is {type}, must be row-major with 'subgroup_block_io'"
        )


def _verify_block_io(type: MemDescType, layout: AnyLayoutAttr) -> None:
    lane_data = layout.field("lane_data")
    if not lane_data:
        return
    if any(extent != 1 for extent in lane_data[:-1]):
        raise VerifyException(
            f"'layout' has lane_data {list(lane_data)}, all but the last entry must be 1 "
            "with 'subgroup_block_io'"
        )
    lanes = layout.field("lane_layout") or ()
    for count, block, stride in zip(lanes, type.block_shape, type.strides, strict=False):
        if count != block:
            raise VerifyException(
                f"'layout' has lane_layout {list(lanes)}, must be the block of the mem_desc, "
                f"{list(type.block_shape)}, with 'subgroup_block_io'"
            )
        if count != 1 and stride != 1:
            raise VerifyException(
                f"'layout' distributes a dimension of stride {stride}, must be 1 "
                "with 'subgroup_block_io'"
            )
