"""Element types as numpy types, and rounding to them.

Floats have their own type (ml_dtypes for bf16 and fp8), tf32 is float32 with 10 bits of
fraction. Integers are sign-extended in the narrowest numpy type; i1 as booleans, index in
64 bits.

Elements of 4 bits in memory: two neighbors of a row share a byte, the left one has its low bits.

Tiles of them are accessed as tiles of half as many bytes; no other op can access them.
"""

import builtins
from functools import lru_cache
from typing import NamedTuple, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IndexType,
    IntegerType,
    MemRefType,
    Signedness,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.machine.runtime_values import Array, Surface, Tile

TF32_DROPPED_BITS = 13
"""Fraction bits of f32 that tf32 does not have."""

_QUIET = np.uint32(1 << 22)
"""The bit that keeps a NaN of f32 a NaN."""


_NIBBLE, _BYTE = 4, 8

EXACT_INTEGERS = 1 << 53
"""f64 represents every integer up to this one."""

NATIVE_FLOATS = tuple(np.dtype(name) for name in ("float16", "float32", "float64"))
"""The float types of numpy itself, which converts between them with one rounding."""


class Element(NamedTuple):
    """An element type: its name as printed, its bits, and its numpy type."""

    name: str
    bits: int
    dtype: np.dtype[np.generic]
    is_float: bool
    unsigned: bool = False

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.dtype.itemsize

    @property
    def per_byte(self) -> int:
        """Elements that share a byte of memory."""
        return _BYTE // _NIBBLE if self.bits == _NIBBLE else 1

    def bytes_of(self, count: Array) -> Array:
        """Return the bytes in memory of this number of elements."""
        return count * self.size // self.per_byte


@lru_cache(maxsize=256)
def find_element(type: Attribute) -> Element | None:
    """Return the `Element` of a type, or None if it cannot be executed."""
    if isinstance(type, IndexType):
        return Element("index", 64, np.dtype(np.int64), is_float=False)
    if isinstance(type, IntegerType):
        return _integer(cast(IntegerType, type))
    return _float(type)


def element_of(type: Attribute, at: Operation | SSAValue) -> Element:
    """Return the `Element` of a type, or of a vector or memref of it; raise at `at` if it cannot be executed."""
    inner = _inner(type)
    found = find_element(inner)
    if found is None:
        fail(at, f"cannot execute on elements of type {inner}")
    return found


def element_in(type: Attribute) -> Element:
    """Return the `Element` of a type that was executed before."""
    found = find_element(_inner(type))
    assert found is not None, "types of arguments are checked"
    return found


def _inner(type: Attribute) -> Attribute:
    if isinstance(type, VectorType | MemRefType):
        return cast("VectorType[Attribute] | MemRefType[Attribute]", type).element_type
    return type


def _integer(type: IntegerType) -> Element | None:
    bits = type.width.data
    if bits == 0 or bits > 64:
        return None
    if bits == 1:
        return Element(str(type), 1, np.dtype(np.bool), is_float=False)
    unsigned = type.signedness.data == Signedness.UNSIGNED
    held = next(width for width in (8, 16, 32, 64) if width >= bits)
    dtype = np.dtype(f"{'u' if unsigned else ''}int{held}")
    return Element(str(type), bits, dtype, is_float=False, unsigned=unsigned)


def _float(type: Attribute) -> Element | None:
    import ml_dtypes

    held: tuple[tuple[builtins.type[Attribute], int, DTypeLike], ...] = (
        (Float16Type, 16, np.float16),
        (BFloat16Type, 16, ml_dtypes.bfloat16),
        (FloatTF32Type, 19, np.float32),
        (Float32Type, 32, np.float32),
        (Float64Type, 64, np.float64),
        (Float8E4M3FNType, 8, ml_dtypes.float8_e4m3fn),
        (Float8E5M2Type, 8, ml_dtypes.float8_e5m2),
    )
    for kind, bits, dtype in held:
        if isinstance(type, kind):
            return Element(str(type), bits, np.dtype(dtype), is_float=True)
    return None


def wrap(values: Array, element: Element) -> Array:
    """Return 64-bit integers modulo two to the power of the element's bits."""
    if element.bits == 1:
        return (values & 1).astype(np.bool)
    spare = 64 - element.bits
    if element.bits not in (8, 16, 32, 64):
        wide = values.astype(np.uint64 if element.unsigned else np.int64)
        values = (wide << spare) >> spare
    return values.astype(element.dtype, copy=False)


def signed(values: Array, element: Element) -> Array:
    """Return integers in 64 bits, read as signed numbers."""
    if element.bits == 1:
        return -values.astype(np.int64)
    wide = values.astype(np.int64, copy=False)
    if not element.unsigned or element.bits == 64:
        return wide
    spare = 64 - element.bits
    return (wide << spare) >> spare


def unsigned(values: Array, element: Element) -> Array:
    """Return integers in 64 bits, read as unsigned numbers."""
    wide = values.astype(np.int64, copy=False).view(np.uint64)
    if element.bits == 64:
        return wide
    return wide & np.uint64((1 << element.bits) - 1)


def round_to(values: Array, element: Element) -> Array:
    """Round floats to a float type, once, to nearest even."""
    if element.name == "tf32":
        return round_tf32(_to_f32(values))
    if values.dtype == element.dtype:
        return values
    if element.dtype in NATIVE_FLOATS:
        source = values if values.dtype in NATIVE_FLOATS else values.astype(np.float32)
        return source.astype(element.dtype)
    # ml_dtypes converts through f32, which rounds
    # twice unless the first rounding is to odd.
    return _to_f32(values).astype(element.dtype)


def round_tf32(values: Array) -> Array:
    """Round f32 to 10 bits of fraction, to nearest even; a NaN stays a NaN."""
    bits = values.view(np.uint32)
    last = (bits >> TF32_DROPPED_BITS) & np.uint32(1)
    half = np.uint32((1 << (TF32_DROPPED_BITS - 1)) - 1)
    near = np.where(np.isnan(values), bits | _QUIET, bits + half + last)
    return cut_tf32(near.view(np.float32))


def cut_tf32(values: Array) -> Array:
    """Truncate f32 words in memory to tf32: the upper 19 bits, which the matrix instruction reads."""
    kept = np.uint32(0xFFFFFFFF << TF32_DROPPED_BITS & 0xFFFFFFFF)
    return (values.view(np.uint32) & kept).view(np.float32)


def sum_to_odd(left: Array, right: Array) -> Array:
    """Return the sum of f64 values rounded to odd, so that a later rounding to fewer bits is the only one."""
    total = left + right
    back = total - left
    error = (left - (total - back)) + (right - back)
    bits = total.view(np.int64)
    even_and_inexact = ((error > 0) | (error < 0)) & ((bits & 1) == 0)
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(even_and_inexact, bits + step, bits).view(np.float64)


def _to_f32(values: Array) -> Array:
    """Convert floats to f32; f64 is rounded to odd, so that a later rounding to fewer bits is the only one."""
    if values.dtype != np.float64:
        return values.astype(np.float32, copy=False)
    nearest = values.astype(np.float32)
    back = nearest.astype(np.float64)
    bits = nearest.view(np.uint32)
    even_and_inexact = (back != values) & ((bits & 1) == 0) & ~np.isnan(values)
    outward = np.abs(values) > np.abs(back)
    step = np.where(outward, np.uint32(1), np.uint32(0xFFFFFFFF))
    odd = np.where(even_and_inexact, bits + step, bits)
    # The sign of a nearest zero is that of the value,
    # so that one step outward keeps it.
    return odd.view(np.float32)


BYTE = Element("ui8", 8, np.dtype(np.uint8), is_float=False, unsigned=True)


def in_bytes(at: Operation, tile: Tile, of: Element) -> Tile:
    """Return the same tile in bytes; raise if it cuts a byte."""
    surface, (row, column) = tile
    (height, width), (pitch, step) = surface.sizes, surface.strides
    for what, numbers in (
        ("the tile begins at column", column),
        ("the matrix has rows of", width),
        ("the matrix has a pitch of", pitch),
    ):
        odd = numbers[numbers % 2 != 0]
        if odd.size:
            shared = f"two elements of {of.name} share a byte, expected an even number"
            fail(at, f"{what} {int(odd[0])}; {shared}")
    halved = Surface(surface.base, (height, width // 2), (pitch // 2, step))
    return Tile(halved, (row, column // 2))


def unpacked(values: Array, of: Element) -> Array:
    """Unpack bytes into twice as many elements along the last dimension."""
    pairs = np.stack([values, values >> 4], axis=-1)
    return wrap(pairs.reshape(*values.shape[:-1], -1).astype(np.int64), of)


def packed(values: Array) -> Array:
    """Pack elements into half as many bytes along the last dimension."""
    low, high = (values[..., start::2].astype(np.uint8) & 15 for start in range(2))
    return low | high << 4


def packed_padding(padding: ArrayLike) -> ArrayLike:
    """Return the byte of two elements that are both padding."""
    return packed(np.array([padding, padding]))[0]


def refuse_elements(at: Operation, of: Element) -> NoReturn:
    """Raise for an access to single elements that share bytes."""
    fail(
        at,
        f"'{at.name}': elements of {of.name} share bytes of memory, which tiles reach only",
    )
