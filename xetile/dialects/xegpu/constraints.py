"""What XeGPU takes as operands and results.

Source: LLVM 22.1.8, mlir/Dialect/XeGPU/IR/XeGPUTypes.td (installed as a header).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import TypeVar
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
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xetile.dialects.xegpu.attributes import MEMORY_SPACE_NUMBERS, MemorySpace, MemorySpaceAttr
from xetile.dialects.xegpu.types import TensorDescType

_FLOATS = (Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type)
_SIGNLESS_WIDTHS = (1, 4, 8, 16, 32, 64)
_SIGNED_WIDTHS = (1, 8, 16, 32, 64)


def _is_signless(type: IntegerType) -> bool:
    return type.signedness.data is Signedness.SIGNLESS


def is_scalar(type: Attribute) -> bool:
    """Whether XeGPU takes `type` as the element of a value."""
    if isa(type, IntegerType):
        return type.bitwidth in (_SIGNLESS_WIDTHS if _is_signless(type) else _SIGNED_WIDTHS)
    return isinstance(type, _FLOATS)


@dataclass(frozen=True)
class ValueConstraint(AttrConstraint[Attribute]):
    """A vector of fixed extents, of one of `ranks` (any but 0 if empty); a scalar too with `or_scalar`."""

    ranks: tuple[int, ...] = ()
    or_scalar: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Refuse any other type."""
        if isa(attr, VectorType) and self._takes_vector(attr):
            return
        if self.or_scalar and is_scalar(attr):
            return
        ranks = f" of rank {' or '.join(map(str, self.ranks))}" if self.ranks else ""
        scalar = " or a scalar" if self.or_scalar else ""
        raise VerifyException(
            f"{attr} must be a vector{ranks}{scalar} of i1, i4, i8, i16, i32, i64, "
            "f16, bf16, tf32, f32 or f64"
        )

    def _takes_vector(self, vector: VectorType[Attribute]) -> bool:
        rank = vector.get_num_dims()
        if rank == 0 or (self.ranks and rank not in self.ranks):
            return False
        return not any(vector.get_scalable_dims()) and is_scalar(vector.element_type)

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> "ValueConstraint":
        """There are no type variables."""
        return self


@dataclass(frozen=True)
class ElementsConstraint(AttrConstraint[Attribute]):
    """A vector of fixed extents and any rank but 0, or one scalar, of exactly `element`."""

    element: IndexType | IntegerType
    or_scalar: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Refuse any other type."""
        if isa(attr, VectorType):
            fixed = attr.get_num_dims() > 0 and not any(attr.get_scalable_dims())
            if fixed and attr.element_type == self.element:
                return
        if self.or_scalar and attr == self.element:
            return
        scalar = f" or {self.element}" if self.or_scalar else ""
        raise VerifyException(f"{attr} must be a vector of {self.element}{scalar}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> "ElementsConstraint":
        """There are no type variables."""
        return self


def is_address(type: Attribute) -> bool:
    """Whether `type` is an integer that XeGPU takes as an address: i32, ui32, i64, ui64."""
    if not isa(type, IntegerType) or type.bitwidth not in (32, 64):
        return False
    return type.signedness.data is not Signedness.SIGNED


@dataclass(frozen=True)
class BaseConstraint(AttrConstraint[Attribute]):
    """Where data lies: a memref of a rank from `ranks` (any but 0 if empty), or an address."""

    ranks: tuple[int, ...] = ()
    or_descriptor: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Refuse any other type."""
        if is_address(attr) or (self.or_descriptor and isinstance(attr, TensorDescType)):
            return
        if isa(attr, MemRefType) and is_scalar(attr.element_type):
            rank = attr.get_num_dims()
            if rank in self.ranks or (rank and not self.ranks):
                return
        rank = f" of rank {' or '.join(map(str, self.ranks))}" if self.ranks else ""
        descriptor = ", a tensor_desc" if self.or_descriptor else ""
        raise VerifyException(
            f"{attr} must be a memref{rank}{descriptor} or an address (i32, ui32, i64, ui64)"
        )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> "BaseConstraint":
        """There are no type variables."""
        return self


@dataclass(frozen=True)
class SharedMemRefConstraint(AttrConstraint[Attribute]):
    """A static memref of rank 1 or 2 in shared local memory: space 3, or the dialects' names for it."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Refuse any other type."""
        if isa(attr, MemRefType) and is_scalar(attr.element_type):
            shape = attr.get_shape()
            shared = is_shared_memory(attr.memory_space)
            if len(shape) in (1, 2) and DYNAMIC_INDEX not in shape and shared:
                return
        raise VerifyException(
            f"{attr} must be a static memref of rank 1 or 2 in shared local memory "
            "(3 or #gpu.address_space<workgroup>)"
        )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> "SharedMemRefConstraint":
        """There are no type variables."""
        return self


def is_shared_memory(space: Attribute) -> bool:
    """Whether a memref's memory space is the shared local memory."""
    if isinstance(space, IntegerAttr):
        return space.value.data == MEMORY_SPACE_NUMBERS[MemorySpace.SLM]
    if isinstance(space, MemorySpaceAttr):
        return space.data is MemorySpace.SLM
    return space.name == "gpu.address_space" and "workgroup" in str(space)
