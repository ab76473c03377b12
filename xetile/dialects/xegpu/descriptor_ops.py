"""Descriptors of tiles in n-dimensional memory."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    IndexType,
    MemRefType,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import SameType
from xetile.dialects.formats import present, sorted_op
from xetile.dialects.index_lists import (
    IndexList,
    Mixed,
    OptionalIndexList,
    join_mixed,
    verify_count,
)
from xetile.dialects.upstream.bases import verify_entries, verify_is
from xetile.dialects.xegpu.access import (
    I64_ARRAY,
    OffsetsOp,
    descriptor_type,
    optional_mixed,
    verify_block,
    verify_memory_space,
)
from xetile.dialects.xegpu.xegpu_constraints import base_constraint, is_address
from xetile.dialects.xegpu.xegpu_types import TensorDescType
from xetile.hints import isa


@sorted_op
class CreateNdTdescOp(IRDLOperation):
    """A descriptor of a tile in a memref, or in memory at an address.

    ```mlir
    %d = xegpu.create_nd_tdesc %src[%i, 16] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    %e = xegpu.create_nd_tdesc %p, shape : [%h, %w], strides : [%w, 1] : i64 -> !xegpu.tensor_desc<8x16xf16>
    ```

    Without offsets the descriptor is of the whole source, and the accesses carry them.
    """

    name = "xegpu.create_nd_tdesc"

    source = operand_def(base_constraint())
    offsets = var_operand_def(IndexType())
    shape = var_operand_def(IndexType())
    strides = var_operand_def(IndexType())
    const_offsets = opt_prop_def(I64_ARRAY)
    const_shape = opt_prop_def(I64_ARRAY)
    const_strides = opt_prop_def(I64_ARRAY)
    TensorDesc = result_def(TensorDescType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    assembly_format = (
        "$source `` custom<OptionalIndexList>($offsets, $const_offsets) (`,` `shape` `:` "
        "custom<IndexList>($shape, $const_shape)^ `,` `strides` `:` custom<IndexList>($strides, "
        "$const_strides))? attr-dict `:` type($source) `->` type($TensorDesc)"
    )
    custom_directives = (IndexList, OptionalIndexList)

    def __init__(
        self,
        source: SSAValue,
        result_type: TensorDescType,
        *,
        shape: Sequence[Mixed] = (),
        strides: Sequence[Mixed] = (),
    ) -> None:
        sizes, const_shape = optional_mixed(shape)
        steps, const_strides = optional_mixed(strides)
        super().__init__(
            operands=[source, (), sizes, steps],
            result_types=[result_type],
            properties=present(const_shape=const_shape, const_strides=const_strides),
        )

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """One offset per dimension of the source, or none at all."""
        return join_mixed(self.offsets, self.const_offsets)

    @property
    def mixed_sizes(self) -> list[Mixed]:
        """Extents of the matrix in elements, none where the memref says them."""
        return join_mixed(self.shape, self.const_shape)

    @property
    def mixed_strides(self) -> list[Mixed]:
        """Strides of the matrix in elements, none where the memref says them."""
        return join_mixed(self.strides, self.const_strides)

    def verify_(self) -> None:
        verify_count("const_offsets", self.offsets, self.const_offsets)
        verify_count("const_shape", self.shape, self.const_shape)
        verify_count("const_strides", self.strides, self.const_strides)
        type = descriptor_type(self.TensorDesc)
        verify_memory_space(self.source.type, type)
        source = self.source.type
        if is_address(source) and not (self.mixed_sizes and self.mixed_strides):
            raise VerifyException(
                f"'shape' and 'strides' are missing, a source of {source} needs them"
            )
        own_rank = source.get_num_dims() if isinstance(source, MemRefType) else 0
        rank = len(self.mixed_sizes) or own_rank
        strides, offsets = len(self.mixed_strides), len(self.mixed_offsets)
        verify_entries("strides", strides or own_rank, "the source", rank, rank)
        verify_entries("offsets", offsets or rank, "the source", rank, rank)
        if type.get_num_dims() > rank:
            raise VerifyException(
                f"'TensorDesc' has rank {type.get_num_dims()}, the source only {rank}"
            )
        if isa(source, MemRefType) and source.element_type != type.element_type:
            raise VerifyException(
                f"'TensorDesc' has elements of {type.element_type}, the source of {source.element_type}"
            )
        verify_block(type)


@sorted_op
class UpdateNdOffsetOp(OffsetsOp):
    """A descriptor moved by offsets.

    ```mlir
    %e = xegpu.update_nd_offset %d, [%i, 16] : !xegpu.tensor_desc<8x16xf16>
    ```
    """

    name = "xegpu.update_nd_offset"

    TensorDesc = operand_def(TensorDescType)
    const_offsets = prop_def(I64_ARRAY)
    result = result_def(TensorDescType)

    traits = traits_def(Pure())

    assembly_format = (
        "$TensorDesc `,` custom<IndexList>($offsets, $const_offsets) attr-dict `:` "
        "custom<SameType>(type($TensorDesc), type($result))"
    )
    custom_directives = (IndexList, SameType)

    def verify_(self) -> None:
        self.verify_places()
        type = descriptor_type(self.TensorDesc)
        verify_is("result", self.result.type, type, "must be as the operand,")
        verify_block(type)
        count, rank = len(self.mixed_offsets), type.get_num_dims()
        verify_entries("offsets", count, type, rank, rank)
