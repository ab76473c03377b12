"""What scattered accesses must have in common: base, offsets, mask and value."""

from xdsl.dialects.builtin import IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xegpu.access import (
    element_type,
    vector_type,
    verify_no_layout,
    verify_same_element,
    verify_scattered,
)
from xetile.dialects.xegpu.types import TensorDescType
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
