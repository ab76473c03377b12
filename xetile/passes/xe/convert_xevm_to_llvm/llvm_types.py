"""Types at L: integers, f16, f32, f64, pointers, and vectors of at most 8 of them.

SPIR-V only has vectors of 2, 3, 4, 8 and 16 elements, and LLVM's back end for it crashes on wider ones. A longer vector
is a row of chunks: 8 elements as often as they fit, then 4, 2, 1. A chunk of one element is a scalar.
"""

from functools import cache
from itertools import accumulate
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IndexType,
    IntegerType,
    VectorType,
    f32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue

from xetile.hints import isa

CHUNK = 8
"""The elements of the widest vector, which is an operand of a matrix instruction."""

NIBBLE_BITS = 4

_INTEGER_BITS = (1, 8, 16, 32, 64)


def is_nibble(type: Attribute) -> bool:
    """Return True for integers of which two share a byte."""
    return isa(type, IntegerType) and type.width.data == NIBBLE_BITS


@cache
def lowered_element(type: Attribute) -> Attribute | None:
    """Return the scalar type at L, or None if there is none.

    bf16 and the 8-bit floats are integers of their size, tf32 is f32, signs are dropped, and an index in a vector has
    64 bits. An integer of 4 bits is one of 8, whose upper bits are arbitrary.
    """
    if isinstance(type, (Float16Type, Float32Type, Float64Type, LLVMPointerType)):
        return type
    if isinstance(type, FloatTF32Type):
        return f32
    if isinstance(type, IndexType):
        return i64
    if isa(type, IntegerType) and type.width.data in _INTEGER_BITS:
        return IntegerType(type.width.data)
    if is_nibble(type):
        return IntegerType(2 * NIBBLE_BITS)
    if isa(type, AnyFloat) and type.bitwidth in (8, 16):
        return IntegerType(type.bitwidth)
    return None


def element_bits(type: Attribute) -> int:
    """Return the bits of a scalar type at L other than a pointer."""
    if isa(type, IntegerType):
        return type.width.data
    return cast(AnyFloat, type).bitwidth


def chunk_widths(count: int) -> tuple[int, ...]:
    """Return the number of elements of each chunk of a vector."""
    widths = [CHUNK] * (count // CHUNK)
    for width in (4, 2, 1):
        if count % CHUNK & width:
            widths.append(width)
    return tuple(widths)


def chunk_places(count: int) -> list[tuple[int, int]]:
    """Return where each chunk of a vector begins, and its number of elements."""
    widths = chunk_widths(count)
    return list(zip(accumulate(widths, initial=0), widths, strict=False))


@cache
def chunk_type(element: Attribute, width: int) -> Attribute:
    """Return the type of a chunk."""
    return element if width == 1 else VectorType(element, [width])


def vector_length(type: Attribute) -> int | None:
    """Return the elements of a vector of rank 1 (or 0: one), or None for other types."""
    if not isa(type, VectorType):
        return None
    extents = type.shape.data
    if len(extents) > 1 or any(scalable.value.data for scalable in type.scalable_dims.data):
        return None
    return extents[0].data if extents else 1


def width(value: SSAValue) -> int:
    """Return the elements of a vector or a chunk; one for a scalar."""
    return vector_length(value.type) or 1


def chunk_bits(type: Attribute) -> int:
    """Return the bits of an element of a chunk."""
    return element_bits(chunk_element(type))


def vector_element(type: Attribute) -> Attribute:
    """Return the element type of a vector."""
    return cast(VectorType[Attribute], type).element_type


def chunk_element(type: Attribute) -> Attribute:
    """Return the element type of a chunk."""
    return type if vector_length(type) is None else vector_element(type)


_SIGNED = {8: "c", 16: "s", 32: "i", 64: "l"}
_UNSIGNED = {8: "h", 16: "t", 32: "j", 64: "m"}
_FLOATS = {16: "Dh", 32: "f", 64: "d"}


def mangled_type(type: Attribute, *, unsigned: bool = False) -> str:
    """Return the mangled type of a chunk of numbers in the names of OpenCL C functions; i1 has none.

    Source: the Itanium C++ ABI, "Mangling", 5.1.5; `long` has 64 bits in OpenCL C.
    """
    element, length = chunk_element(type), vector_length(type)
    letters = _FLOATS
    if isa(element, IntegerType):
        letters = _UNSIGNED if unsigned else _SIGNED
    letter = letters[element_bits(element)]
    return letter if length is None else f"Dv{length}_{letter}"
