"""Constraints on the operands and results of XeGPU's ops.

Source: LLVM 22.1.8, mlir/Dialect/XeGPU/IR/XeGPUTypes.td (installed as a header).
"""

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    VectorType,
)
from xdsl.ir import Attribute

from xetile.dialects.shared_attributes import TypeConstraint
from xetile.dialects.xegpu.xegpu_attributes import (
    MEMORY_SPACE_NUMBERS,
    MemorySpace,
    MemorySpaceAttr,
)
from xetile.dialects.xegpu.xegpu_types import TensorDescType
from xetile.hints import isa

_FLOATS = (Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type)
_SIGNLESS_WIDTHS = (1, 4, 8, 16, 32, 64)
_SIGNED_WIDTHS = (1, 8, 16, 32, 64)


def _is_signless(type: IntegerType) -> bool:
    return type.signedness.data is Signedness.SIGNLESS


def is_scalar(type: Attribute) -> bool:
    """Return True if `type` is a legal element type of XeGPU's values."""
    if isa(type, IntegerType):
        return type.bitwidth in (_SIGNLESS_WIDTHS if _is_signless(type) else _SIGNED_WIDTHS)
    return isinstance(type, _FLOATS)


def _rank(ranks: tuple[int, ...]) -> str:
    return f" of rank {' or '.join(map(str, ranks))}" if ranks else ""


def value_constraint(
    ranks: tuple[int, ...] = (), *, or_scalar: bool = False
) -> TypeConstraint:
    """A vector of fixed extents, of one of `ranks` (any but 0 if empty); a scalar too with `or_scalar`."""

    def takes(type: Attribute) -> bool:
        if not isa(type, VectorType):
            return or_scalar and is_scalar(type)
        rank = type.get_num_dims()
        if rank == 0 or (ranks and rank not in ranks):
            return False
        return not any(type.get_scalable_dims()) and is_scalar(type.element_type)

    scalar = " or a scalar" if or_scalar else ""
    return TypeConstraint(
        takes,
        f"a vector{_rank(ranks)}{scalar} of i1, i4, i8, i16, i32, i64, f16, bf16, tf32, f32 or f64",
    )


def elements_constraint(
    element: IndexType | IntegerType, *, or_scalar: bool = False
) -> TypeConstraint:
    """A vector of fixed extents and any rank but 0, or one scalar, of exactly `element`."""

    def takes(type: Attribute) -> bool:
        if not isa(type, VectorType):
            return or_scalar and type == element
        fixed = type.get_num_dims() > 0 and not any(type.get_scalable_dims())
        return fixed and type.element_type == element

    return TypeConstraint(
        takes, f"a vector of {element}{f' or {element}' if or_scalar else ''}"
    )


def is_address(type: Attribute) -> bool:
    """Return True if `type` is a legal type of an address: i32, ui32, i64 or ui64."""
    if not isa(type, IntegerType) or type.bitwidth not in (32, 64):
        return False
    return type.signedness.data is not Signedness.SIGNED


def base_constraint(
    ranks: tuple[int, ...] = (), *, or_descriptor: bool = False
) -> TypeConstraint:
    """Where data lies: a memref of a rank from `ranks` (any but 0 if empty), or an address."""

    def takes(type: Attribute) -> bool:
        if is_address(type) or (or_descriptor and isinstance(type, TensorDescType)):
            return True
        if not isa(type, MemRefType) or not is_scalar(type.element_type):
            return False
        rank = type.get_num_dims()
        return rank in ranks or (rank > 0 and not ranks)

    descriptor = ", a tensor_desc" if or_descriptor else ""
    return TypeConstraint(
        takes, f"a memref{_rank(ranks)}{descriptor} or an address (i32, ui32, i64, ui64)"
    )


def _is_shared_memref(type: Attribute) -> bool:
    if not isa(type, MemRefType) or not is_scalar(type.element_type):
        return False
    shape = type.get_shape()
    shared = is_shared_memory(type.memory_space)
    return shared and len(shape) in (1, 2) and DYNAMIC_INDEX not in shape


SHARED_MEMREF = TypeConstraint(
    _is_shared_memref,
    "a static memref of rank 1 or 2 in shared local memory (3 or #gpu.address_space<workgroup>)",
)


def is_shared_memory(space: Attribute) -> bool:
    """Return True if a memref's memory space is the shared local memory."""
    if isinstance(space, IntegerAttr):
        return space.value.data == MEMORY_SPACE_NUMBERS[MemorySpace.SLM]
    if isinstance(space, MemorySpaceAttr):
        return space.data is MemorySpace.SLM
    return space.name == "gpu.address_space" and "workgroup" in str(space)
