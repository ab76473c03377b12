"""Shared code of XeGPU's accesses: cache hints, offsets, and checks of descriptors."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import BaseAttr, IRDLOperation, opt_prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.cache_hints import HINTS
from xetile.dialects.formats import present
from xetile.dialects.index_lists import Mixed, join_mixed, split_mixed, verify_count
from xetile.dialects.upstream.bases import verify_entries
from xetile.dialects.xegpu.layouts import LayoutAttr, SliceAttr
from xetile.dialects.xegpu.xegpu_attributes import (
    MEMORY_SPACE_NUMBERS,
    CacheHintAttr,
    MemorySpace,
    MemorySpaceAttr,
)
from xetile.dialects.xegpu.xegpu_types import TensorDescType
from xetile.hints import isa

I64_ARRAY = DenseArrayBase.constr(i64)
LAYOUT = BaseAttr(LayoutAttr) | BaseAttr(SliceAttr)
"""Constraints of properties."""


class XeGPUOp(IRDLOperation):
    """An op that is made of its operands in their order, and of its properties by their names."""

    def __init__(
        self,
        *operands: SSAValue | None,
        result_type: Attribute | None = None,
        hints: Sequence[CacheHintAttr | None] = (),
        **properties: Attribute | None,
    ) -> None:
        """Make the op; `hints` are those of the caches L1, L2 and L3."""
        Operation.__init__(
            self,
            operands=[operand for operand in operands if operand is not None],
            result_types=[] if result_type is None else [result_type],
            properties=present(**dict(zip(HINTS, hints, strict=False)), **properties),
        )


class CachedOp(XeGPUOp):
    """An access through the caches; an op that says something else first has its own fields before these."""

    l1_hint = opt_prop_def(CacheHintAttr)
    l2_hint = opt_prop_def(CacheHintAttr)
    l3_hint = opt_prop_def(CacheHintAttr)
    layout = opt_prop_def(LAYOUT)


class OffsetsOp(XeGPUOp):
    """An op whose last operands are offsets, mixed with literals in the property `const_offsets`."""

    offsets = var_operand_def(IndexType())

    def __init__(
        self,
        *operands: SSAValue,
        offsets: Sequence[Mixed] = (),
        result_type: Attribute | None = None,
        hints: Sequence[CacheHintAttr | None] = (),
        **properties: Attribute | None,
    ) -> None:
        values, const_offsets = optional_mixed(offsets)
        properties["const_offsets"] = const_offsets
        super().__init__(
            *operands, *values, result_type=result_type, hints=hints, **properties
        )

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """One offset per dimension of the descriptor, or none at all."""
        return join_mixed(self.offsets, self.properties.get("const_offsets"))

    def verify_offset_count(self, descriptor: TensorDescType) -> None:
        """There are no offsets, or one for each dimension of the descriptor."""
        count, rank = len(self.mixed_offsets), descriptor.get_num_dims()
        verify_entries("offsets", count, descriptor, rank, rank if count else 0)

    def verify_places(self) -> None:
        """Literals have as many places for values as there are values."""
        verify_count("const_offsets", self.offsets, self.properties.get("const_offsets"))


def optional_mixed(
    entries: Sequence[Mixed],
) -> tuple[list[SSAValue], DenseArrayBase[IntegerType] | None]:
    """The operands and the property of an index list; none where there is no entry."""
    return split_mixed(entries) if entries else ([], None)


def descriptor_type(value: SSAValue) -> TensorDescType:
    """The type of a value that the constraints have shown to be a descriptor."""
    assert isinstance(value.type, TensorDescType)
    return value.type


def vector_type(value: SSAValue) -> VectorType[Attribute]:
    """The type of a value that the constraints have shown to be a vector."""
    assert isa(value.type, VectorType)
    return value.type


def element_type(type: Attribute) -> Attribute:
    """The element type of a vector; a scalar is its own."""
    return type.element_type if isa(type, VectorType) else type


def memory_space_number(space: Attribute) -> int:
    """Return the number of a memory space as mlir-opt reads it: 0 unless it is an integer or XeGPU's attribute."""
    match space:
        case IntegerAttr():
            return space.value.data
        case MemorySpaceAttr():
            return MEMORY_SPACE_NUMBERS[space.data]
        case _:
            return MEMORY_SPACE_NUMBERS[MemorySpace.GLOBAL]


# Checks


def verify_block(descriptor: TensorDescType) -> None:
    """Refuse a scattered descriptor."""
    if descriptor.scattered:
        raise VerifyException(f"'TensorDesc' is {descriptor}, must not be scattered")


def verify_scattered(descriptor: TensorDescType) -> None:
    """Refuse a block descriptor."""
    if not descriptor.scattered:
        raise VerifyException(f"'TensorDesc' is {descriptor}, must be scattered")


def verify_small_rank(descriptor: TensorDescType) -> None:
    """Refuse a descriptor of rank over 2."""
    if descriptor.get_num_dims() > 2:
        raise VerifyException(f"'TensorDesc' is {descriptor}, must have rank 1 or 2")


def verify_shape(
    name: str, found: Sequence[int], expected: Sequence[int], source: object
) -> None:
    """A vector has the shape that another type asks for."""
    if tuple(found) != tuple(expected):
        raise VerifyException(
            f"'{name}' has shape {list(found)}, expected {list(expected)} from {source}"
        )


def verify_same_element(descriptor: TensorDescType, name: str, value: SSAValue) -> None:
    """Value and descriptor have the same element type."""
    element = element_type(value.type)
    if element != descriptor.element_type:
        raise VerifyException(
            f"'{name}' has elements of {element}, the descriptor of {descriptor.element_type}"
        )


def verify_memory_space(source: Attribute, descriptor: TensorDescType) -> None:
    """Source and descriptor are in one memory; an address is in global memory."""
    space = memory_space_number(source.memory_space) if isa(source, MemRefType) else 0
    expected = MEMORY_SPACE_NUMBERS[descriptor.memory_space]
    if space != expected:
        raise VerifyException(
            f"'source' is in memory space {space}, {descriptor} describes memory space {expected}"
        )


def verify_no_layout(descriptor: TensorDescType, name: str) -> None:
    """A descriptor has no layout where the value is one lane's."""
    if not isinstance(descriptor.layout, NoneAttr):
        raise VerifyException(
            f"'TensorDesc' is {descriptor}, must have no layout where '{name}' is one lane's share"
        )


def verify_lane_share(descriptor: TensorDescType, name: str, elements: int) -> None:
    """One lane's value holds an even share of the tile; such a descriptor has no layout."""
    verify_no_layout(descriptor, name)
    total = descriptor.element_count() * descriptor.array_length
    if elements == 0 or total % elements:
        raise VerifyException(
            f"'{name}' has {elements} elements, no even share of the {total} of {descriptor}"
        )
