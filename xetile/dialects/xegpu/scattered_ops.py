"""Scattered accesses: one address per lane.

Every op prints as mlir-opt 22 prints it, the two spaces before `:` included that stand where
no property is printed.

What scattered accesses must have in common: base, offsets, mask and value.
"""

from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, VectorType, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.cache_hints import LOAD_HINTS, STORE_HINTS, verify_hints
from xetile.dialects.directives import AtomicKind, SameType
from xetile.dialects.formats import sorted_op
from xetile.dialects.upstream.bases import verify_is
from xetile.dialects.xegpu.access import (
    LAYOUT,
    CachedOp,
    XeGPUOp,
    descriptor_type,
    element_type,
    vector_type,
    verify_memory_space,
    verify_no_layout,
    verify_same_element,
    verify_scattered,
    verify_shape,
)
from xetile.dialects.xegpu.xegpu_attributes import CacheHintAttr
from xetile.dialects.xegpu.xegpu_constraints import (
    base_constraint,
    elements_constraint,
    is_address,
    value_constraint,
)
from xetile.dialects.xegpu.xegpu_types import TensorDescType
from xetile.hints import isa


def without_chunk(shape: tuple[int, ...], chunk_size: int) -> tuple[int, ...]:
    """The shape of offsets and mask: that of the value without the chunk's dimension."""
    return shape[:-1] if chunk_size > 1 else shape


def verify_place(base: Attribute, offsets: SSAValue | None) -> None:
    """A descriptor carries its offsets, any other base needs them."""
    if isinstance(base, TensorDescType):
        verify_scattered(base)
        if offsets is not None:
            raise VerifyException("'offsets' are given, a tensor_desc carries its own")
        return
    if offsets is None:
        raise VerifyException(f"'offsets' are missing, a base of {base} needs them")


def verify_value(
    base: SSAValue,
    offsets: SSAValue | None,
    mask: SSAValue,
    value: SSAValue,
    chunk_size: IntegerAttr | None,
) -> None:
    """The value fits the descriptor, or offsets and mask."""
    if isinstance(base.type, TensorDescType):
        _verify_against_descriptor(base.type, mask, value)
        return
    if isa(base.type, MemRefType) and element_type(value.type) != base.type.element_type:
        raise VerifyException(
            f"'value' has elements of {element_type(value.type)}, the memref of "
            f"{base.type.element_type}"
        )
    assert offsets is not None
    chunk = 1 if chunk_size is None else chunk_size.value.data
    if chunk < 1:
        raise VerifyException(f"'chunk_size' is {chunk}, must be at least 1")
    vectors = [operand for operand in (offsets, mask) if isa(operand.type, VectorType)]
    if not isa(value.type, VectorType):
        if chunk > 1 or vectors:
            raise VerifyException(
                f"'value' is {value.type}, a scalar takes a scalar offset and mask and "
                f"'chunk_size' 1, not {offsets.type}, {mask.type} and {chunk}"
            )
        return
    _verify_against_mask(mask, value, chunk, scalars=not vectors)


def _verify_against_descriptor(type: TensorDescType, mask: SSAValue, value: SSAValue) -> None:
    if not isa(value.type, VectorType):
        raise VerifyException(f"'value' is {value.type}, must be a vector with a tensor_desc")
    verify_same_element(type, "value", value)
    expected = without_chunk(type.shape, type.chunk_size)
    masked = vector_type(mask).get_shape() if isa(mask.type, VectorType) else (1,)
    if masked != expected:
        raise VerifyException(
            f"'mask' is {mask.type}, expected shape {list(expected)} from {type}"
        )
    shape = vector_type(value).get_shape()
    if shape == (type.chunk_size,):
        verify_no_layout(type, "value")
        return
    if shape != type.shape:
        raise VerifyException(
            f"'value' has shape {list(shape)}, expected {list(type.shape)} or one lane's "
            f"{[type.chunk_size]}"
        )


def _verify_against_mask(
    mask: SSAValue, value: SSAValue, chunk: int, *, scalars: bool
) -> None:
    found = vector_type(value)
    elements = found.element_count()
    if scalars:
        if elements != chunk:
            raise VerifyException(
                f"'value' has {elements} elements, expected 'chunk_size', {chunk}, for one lane"
            )
        return
    if not isa(mask.type, VectorType):
        raise VerifyException(f"'mask' is {mask.type}, must be a vector as the offsets are")
    masked = vector_type(mask)
    if chunk > 1 and found.get_num_dims() == 1 and elements != chunk:
        raise VerifyException(
            f"'value' has {elements} elements, expected 'chunk_size', {chunk}"
        )
    if chunk > 1 and masked.element_count() == 1:
        return
    expected = without_chunk(found.get_shape(), chunk)
    fits = masked.get_shape() == expected
    if chunk <= 1 and masked.element_count() == 1:
        fits = elements == 1
    if not fits:
        raise VerifyException(
            f"'mask' is {mask.type}, expected shape {list(expected)} from {found} "
            f"with 'chunk_size' {chunk}"
        )


I64 = IntegerAttr.constr(i64)
OFFSETS = elements_constraint(IndexType())
ANY_OFFSETS = elements_constraint(IndexType(), or_scalar=True)
ANY_MASK = elements_constraint(i1, or_scalar=True)
BASE = base_constraint((1,))
DESCRIPTOR_OR_BASE = base_constraint((1,), or_descriptor=True)


@irdl_op_definition
class CreateTdescOp(XeGPUOp):
    """A descriptor of elements at offsets from a base.

    ```mlir
    %d = xegpu.create_tdesc %src, %offsets : memref<1024xf32>, vector<16xindex>
        -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
    ```
    """

    name = "xegpu.create_tdesc"

    source = operand_def(BASE)
    offsets = operand_def(OFFSETS)
    TensorDesc = result_def(TensorDescType)

    traits = traits_def(Pure())

    assembly_format = "$source `,` $offsets attr-dict `:` type($source) `,` type($offsets) `->` type($TensorDesc)"

    def verify_(self) -> None:
        type = descriptor_type(self.TensorDesc)
        verify_scattered(type)
        verify_memory_space(self.source.type, type)
        expected = vector_type(self.offsets).get_shape()
        if type.chunk_size != 1:
            expected = (*expected, type.chunk_size)
        verify_shape("TensorDesc", type.shape, expected, "the offsets")


@sorted_op
class UpdateOffsetOp(XeGPUOp):
    """A scattered descriptor moved by offsets.

    ```mlir
    %e = xegpu.update_offset %d, %offsets : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xindex>
    ```
    """

    name = "xegpu.update_offset"

    TensorDesc = operand_def(TensorDescType)
    offsets = operand_def(OFFSETS)
    result = result_def(TensorDescType)

    traits = traits_def(Pure())

    assembly_format = (
        "$TensorDesc `,` $offsets attr-dict `:` custom<SameType>(type($TensorDesc), "
        "type($result)) `,` type($offsets)"
    )
    custom_directives = (SameType,)

    def verify_(self) -> None:
        type = descriptor_type(self.TensorDesc)
        verify_is("result", self.result.type, type, "must be as the operand,")
        verify_scattered(type)
        expected = without_chunk(type.shape, type.chunk_size)
        verify_shape("offsets", vector_type(self.offsets).get_shape(), expected, type)


@sorted_op
class PrefetchOp(CachedOp):
    """Bring scattered elements into the caches.

    ```mlir
    xegpu.prefetch %d : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
    xegpu.prefetch %p[%offsets] <{offset_align_byte = 4 : i64}> : i64, vector<16xindex>
    ```
    """

    name = "xegpu.prefetch"

    source = operand_def(DESCRIPTOR_OR_BASE)
    offsets = opt_operand_def(ANY_OFFSETS)
    l1_hint = opt_prop_def(CacheHintAttr)
    l2_hint = opt_prop_def(CacheHintAttr)
    l3_hint = opt_prop_def(CacheHintAttr)
    offset_align_byte = opt_prop_def(I64)
    layout = opt_prop_def(LAYOUT)

    # It has no result and changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$source (`[` $offsets^ `]`)? prop-dict attr-dict `:` type(operands)"

    def verify_(self) -> None:
        source = self.source.type
        verify_place(source, self.offsets)
        verify_hints(self, LOAD_HINTS)
        if is_address(source) and self.offset_align_byte is None:
            raise VerifyException(
                f"'offset_align_byte' is missing, a source of {source} needs it"
            )
        if self.offset_align_byte is not None and not is_address(source):
            raise VerifyException(
                f"'offset_align_byte' is given, a source of {source} takes none"
            )


@sorted_op
class LoadOp(CachedOp):
    """Load scattered elements; those that are masked off are undefined.

    ```mlir
    %v = xegpu.load %m[%offsets], %mask <{chunk_size = 8 : i64}>
        : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16x8xf32>
    ```

    `chunk_size` consecutive elements per offset make the last dimension. Scalars are one
    lane's share.
    """

    name = "xegpu.load"

    source = operand_def(DESCRIPTOR_OR_BASE)
    offsets = opt_operand_def(ANY_OFFSETS)
    mask = operand_def(ANY_MASK)
    chunk_size = opt_prop_def(I64)
    value = result_def(value_constraint(or_scalar=True))

    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$source (`[` $offsets^ `]`)? `,` $mask prop-dict attr-dict `:` type(operands) `->` "
        "type($value)"
    )

    def verify_(self) -> None:
        verify_place(self.source.type, self.offsets)
        verify_hints(self, LOAD_HINTS)
        verify_value(self.source, self.offsets, self.mask, self.value, self.chunk_size)


@sorted_op
class StoreOp(CachedOp):
    """Store scattered elements that are not masked off; the inverse of `xegpu.load`.

    ```mlir
    xegpu.store %v, %m[%offsets], %mask : vector<16xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
    ```
    """

    name = "xegpu.store"

    value = operand_def(value_constraint(or_scalar=True))
    dest = operand_def(DESCRIPTOR_OR_BASE)
    offsets = opt_operand_def(ANY_OFFSETS)
    mask = operand_def(ANY_MASK)
    chunk_size = opt_prop_def(I64)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$value `,` $dest (`[` $offsets^ `]`)? `,` $mask prop-dict attr-dict `:` type(operands)"

    def verify_(self) -> None:
        verify_place(self.dest.type, self.offsets)
        verify_hints(self, STORE_HINTS)
        verify_value(self.dest, self.offsets, self.mask, self.value, self.chunk_size)


@sorted_op
class AtomicRMWOp(XeGPUOp):
    """Change scattered elements atomically; the result is what was in memory before.

    ```mlir
    %r = xegpu.atomic_rmw addf %d, %mask, %v : !xegpu.tensor_desc<...>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
    ```
    """

    name = "xegpu.atomic_rmw"

    kind = prop_def(I64)
    tensorDesc = operand_def(TensorDescType)
    mask = operand_def(elements_constraint(i1))
    value = operand_def(value_constraint())
    layout = opt_prop_def(LAYOUT)
    result = result_def(value_constraint())

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = (
        "custom<AtomicKind>($kind) operands attr-dict `:` type(operands) `->` type($result)"
    )
    custom_directives = (AtomicKind,)

    @property
    def kind_name(self) -> str:
        """The kind in arith's words."""
        return ATOMIC_KINDS[self.kind.value.data]

    def verify_(self) -> None:
        number = self.kind.value.data
        if not 0 <= number < len(ATOMIC_KINDS):
            raise VerifyException(
                f"'kind' is {number}, must be from 0 to {len(ATOMIC_KINDS) - 1}"
            )
        type = descriptor_type(self.tensorDesc)
        for name, value in (("value", self.value), ("result", self.result)):
            verify_same_element(type, name, value)
            shape = vector_type(value).get_shape()
            if shape != type.shape:
                raise VerifyException(
                    f"'{name}' has shape {list(shape)}, the descriptor {list(type.shape)}"
                )
