"""Block accesses: loads, stores and prefetches of tiles.

Every op prints as mlir-opt 22 prints it, the two spaces before `:` included that stand where
no property is printed.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    UnitAttr,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.cache_hints import LOAD_HINTS, STORE_HINTS, verify_hints
from xetile.dialects.formats import sorted_op
from xetile.dialects.index_lists import OptionalIndexList
from xetile.dialects.upstream.bases import verify_entries
from xetile.dialects.xegpu.access import (
    I64_ARRAY,
    CachedOp,
    OffsetsOp,
    descriptor_type,
    vector_type,
    verify_block,
    verify_lane_share,
    verify_same_element,
    verify_shape,
    verify_small_rank,
)
from xetile.dialects.xegpu.xegpu_constraints import value_constraint
from xetile.dialects.xegpu.xegpu_types import TensorDescType

REGISTER_BITS = 32
"""Packed loads fill register elements of this many bits."""


@sorted_op
class PrefetchNdOp(OffsetsOp, CachedOp):
    """Bring a tile into the caches.

    ```mlir
    xegpu.prefetch_nd %d[%i, 16] <{l1_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<8x16xf16>
    ```

    """

    name = "xegpu.prefetch_nd"

    TensorDesc = operand_def(TensorDescType)
    const_offsets = opt_prop_def(I64_ARRAY)

    # It has no result and changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = (
        "$TensorDesc `` custom<OptionalIndexList>($offsets, $const_offsets) prop-dict attr-dict "
        "`:` type($TensorDesc)"
    )
    custom_directives = (OptionalIndexList,)

    def verify_(self) -> None:
        self.verify_places()
        type = descriptor_type(self.TensorDesc)
        verify_block(type)
        verify_hints(self, LOAD_HINTS)
        self.verify_offset_count(type)


@sorted_op
class LoadNdOp(OffsetsOp, CachedOp):
    """Load a tile.

    ```mlir
    %v = xegpu.load_nd %d[%i, 0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<8x16x2xf16>
    ```

    The result has the descriptor's shape; `transpose` permutes it, `packed` moves neighbours
    along the rows into a new last dimension, an array_length over 1 is a new first
    dimension. A vector of rank 1 with fewer elements is one lane's share.
    """

    name = "xegpu.load_nd"

    TensorDesc = operand_def(TensorDescType)
    const_offsets = opt_prop_def(I64_ARRAY)
    packed = opt_prop_def(UnitAttr)
    transpose = opt_prop_def(I64_ARRAY)
    value = result_def(value_constraint())

    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$TensorDesc `` custom<OptionalIndexList>($offsets, $const_offsets) prop-dict attr-dict "
        "`:` type($TensorDesc) `->` type($value)"
    )
    custom_directives = (OptionalIndexList,)

    @property
    def is_packed(self) -> bool:
        """True if the load packs elements of consecutive rows into one register word."""
        return self.packed is not None

    @property
    def permutation(self) -> tuple[int, ...] | None:
        """`transpose` as integers."""
        return None if self.transpose is None else tuple(self.transpose.get_values())

    def verify_(self) -> None:
        self.verify_places()
        type = descriptor_type(self.TensorDesc)
        result = vector_type(self.value)
        verify_same_element(type, "value", self.value)
        verify_block(type)
        verify_small_rank(type)
        verify_hints(self, LOAD_HINTS)
        elements = type.element_count() * type.array_length
        if result.get_num_dims() == 1 and result.element_count() < elements:
            verify_lane_share(type, "value", result.element_count())
            return
        self._verify_shape(type, result)
        self.verify_offset_count(type)

    def _verify_shape(self, type: TensorDescType, result: VectorType[Attribute]) -> None:
        rank = type.get_num_dims()
        permutation = self.permutation
        if permutation is not None:
            verify_entries("transpose", len(permutation), "the descriptor", rank, rank)
        found = result.get_shape()
        expected = loaded_shape(type, pack=self._pack(type, found), transpose=permutation)
        verify_shape("value", found, expected, type)

    def _pack(self, type: TensorDescType, found: tuple[int, ...]) -> int | None:
        """Rows per register element: what the result says where it has that dimension, else what fills 32 bits."""
        if not self.is_packed:
            return None
        packed_rank = type.get_num_dims() + 1 + (type.array_length > 1)
        return found[-1] if len(found) == packed_rank else rows_per_register(type)


def loaded_shape(
    descriptor: TensorDescType,
    *,
    pack: int | None = None,
    transpose: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """The shape of what a subgroup loads: [blocks,] rows, columns [, packed neighbours].

    `pack` is the number of rows that share a register element. As mlir-opt has it, an
    impossible `transpose`, and `pack` on a descriptor of rank 1, are without effect.
    """
    shape = list(descriptor.get_shape())
    if transpose is not None and all(0 <= dim < len(shape) for dim in transpose):
        shape = [shape[dim] for dim in transpose]
    if pack is not None and descriptor.get_num_dims() == 2:
        shape = [shape[0] // pack if pack else 0, *shape[1:], pack]
    if descriptor.array_length > 1:
        shape = [descriptor.array_length, *shape]
    return tuple(shape)


def rows_per_register(descriptor: TensorDescType) -> int:
    """The number of neighbouring rows that fill 32 bits."""
    bits: int = getattr(descriptor.element_type, "bitwidth", REGISTER_BITS)
    return max(1, REGISTER_BITS // bits)


def loaded_type(
    descriptor: TensorDescType, *, packed: bool, transpose: Sequence[int] | None
) -> VectorType[Attribute]:
    """The type of what a subgroup loads; packed elements fill 32 bits."""
    element = descriptor.element_type
    pack = rows_per_register(descriptor) if packed else None
    return VectorType(element, loaded_shape(descriptor, pack=pack, transpose=transpose))


@sorted_op
class StoreNdOp(OffsetsOp, CachedOp):
    """Store a tile.

    ```mlir
    xegpu.store_nd %v, %d[%i, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    ```
    """

    name = "xegpu.store_nd"

    value = operand_def(value_constraint())
    TensorDesc = operand_def(TensorDescType)
    const_offsets = opt_prop_def(I64_ARRAY)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$value `,` $TensorDesc `` custom<OptionalIndexList>($offsets, $const_offsets) "
        "prop-dict attr-dict `:` type($value) `,` type($TensorDesc)"
    )
    custom_directives = (OptionalIndexList,)

    def verify_(self) -> None:
        self.verify_places()
        type = descriptor_type(self.TensorDesc)
        value = vector_type(self.value)
        verify_same_element(type, "value", self.value)
        verify_block(type)
        verify_small_rank(type)
        verify_hints(self, STORE_HINTS)
        if type.array_length > 1:
            raise VerifyException(
                f"'TensorDesc' has array_length {type.array_length}, a store takes 1"
            )
        if value.get_num_dims() == 1 and value.element_count() < type.element_count():
            verify_lane_share(type, "value", value.element_count())
            return
        verify_shape("value", value.get_shape(), type.get_shape(), type)
        self.verify_offset_count(type)
