"""Elements that XeGPU has no messages for: they move as bytes, and are bitcast or converted.

The bits of 8-bit floats stay the same, and an index is an i64. An i1 is a byte of memory, true if it is not 0, and
stored as 0 or 1.

The module also makes constants for the lowering: repeated numbers, and the neutral elements of reductions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, inf, prod
from typing import cast

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, is_splat, taken
from xetile.dialects.atomic_kinds import identity as neutral
from xetile.dialects.operand_types import FLOATS_8
from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.memref.memref_layout import ranked
from xetile.dialects.upstream.vector import BitcastOp
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.dialects.xetile.tile_type import FLOAT_TYPES
from xetile.dialects.xetile.xetile_attributes import SHARED, memory_space_of
from xetile.rewriting.one_to_many import Expansion, Parts
from xetile.targets.target import INDEX_BITS


def identity(
    kind: CombiningKindFlag,
    element: Attribute,
    shape: Sequence[int],
    flags: FastMathFlagsAttr,
) -> Dense | FloatAttr | IntegerAttr:
    """Return the neutral element of a kind of reduction, repeated over a shape (elements), or a scalar for no shape."""
    number = neutral(kind.value, str(element), _integer_bits(element), flags)
    if shape:
        return repeated(number, VectorType(element, shape))
    if isinstance(element, FLOAT_TYPES):
        return FloatAttr(number, cast(AnyFloat, element))
    return IntegerAttr(int(number), cast("IntegerType | IndexType", element))


def repeated(number: float, type: VectorType[Attribute]) -> Dense:
    """Return a constant that repeats a number, rounded to the element type."""
    count = prod(type.get_shape())
    if not isinstance(type.element_type, FLOAT_TYPES):
        integers = cast("VectorType[IntegerType]", type)
        return cast(Dense, DenseIntOrFPElementsAttr.from_list(integers, [int(number)] * count))
    floats = cast("VectorType[AnyFloat]", type)
    try:
        return cast(Dense, DenseIntOrFPElementsAttr.from_list(floats, [float(number)] * count))
    except OverflowError:  # f16: a number that rounds to more than the largest one is infinite
        return repeated(copysign(inf, number), type)


def constant_part(
    value: SSAValue, start: Sequence[int], block: Sequence[int]
) -> Operation | None:
    """Return a block of a non-splat constant as a constant, since the place of each element is known."""
    op = value.owner
    given = dense_value(op) if isinstance(op, Operation) else None
    if given is None or is_splat(given):
        return None
    columns = vector_type(value).get_shape()[1]
    places = [
        (start[0] + row) * columns + start[1] + column
        for row in range(block[0])
        for column in range(block[1])
    ]
    type = VectorType(vector_type(value).element_type, block)
    return arith.ConstantOp(taken(given, places, type))


def _integer_bits(element: Attribute) -> int | None:
    if isinstance(element, FLOAT_TYPES):
        return None
    return element.bitwidth if isinstance(element, IntegerType) else INDEX_BITS


def message_element(type: Attribute) -> Attribute:
    """Return the type as which messages move elements of a type."""
    if isinstance(type, IndexType):
        return i64
    return i8 if type == i1 or isinstance(type, FLOATS_8) else type


def loaded(view: Expansion, value: SSAValue, element: Attribute) -> SSAValue:
    """Return a loaded message as elements of the tile's type."""
    if element == i1:
        zero = view.new(arith.ConstantOp(repeated(0, _with(value, i8))))
        return view.new(arith.CmpiOp(value, zero, "ne"))
    if isinstance(element, IndexType):
        return view.new(arith.IndexCastOp(value, _with(value, element)))
    return taken_as(view, value, element)


def stored(view: Expansion, value: SSAValue) -> SSAValue:
    """Return a vector as the elements that a message stores."""
    element = vector_type(value).element_type
    if element == i1:
        return view.new(arith.ExtUIOp(value, _with(value, i8)))
    if isinstance(element, IndexType):
        return view.new(arith.IndexCastOp(value, _with(value, i64)))
    return taken_as(view, value, message_element(element))


def taken_as(view: Expansion, value: SSAValue, element: Attribute) -> SSAValue:
    """Return the same bits as elements of another type of the same width."""
    wanted = _with(value, element)
    return value if value.type == wanted else view.new(BitcastOp(value, wanted))


def _with(value: SSAValue, element: Attribute) -> VectorType[Attribute]:
    return vector_of(element, vector_type(value).get_shape())


AnyMemRef = MemRefType[Attribute]


@dataclass(eq=False)
class Buffer(Parts):
    """Shared memory whose type differs from the program's; `swizzle` defines the places of elements in its row."""

    swizzle: SwizzleAttr | None

    @property
    def memory(self) -> SSAValue:
        return self.values[0]

    def agrees_with(self, other: Parts) -> bool:
        return (
            super().agrees_with(other)
            and isinstance(other, Buffer)
            and self.swizzle == other.swizzle
        )


def buffer_type(type: Attribute) -> AnyMemRef | None:
    """Return the type of a memref in XeGPU, or None if it does not change."""
    if not isinstance(type, MemRefType):
        return None
    memref = cast(AnyMemRef, type)
    if memory_space_of(memref.memory_space) != SHARED:
        return None
    element = message_element(memref.element_type)
    if isinstance(memref.layout, SwizzleAttr):
        extents = [prod(memref.get_shape())]
        return MemRefType(element, extents, memory_space=memref.memory_space)
    if element == memref.element_type:
        return None
    return MemRefType(element, memref.get_shape(), memref.layout, memref.memory_space)


def buffer_of(memory: SSAValue, written: Attribute) -> Buffer:
    """Return the buffer for a memref that had another type in the program."""
    layout = ranked(written).layout
    return Buffer([memory], layout if isinstance(layout, SwizzleAttr) else None)
