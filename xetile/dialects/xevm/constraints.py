"""What one lane holds at XeVM.

Source: mlir/Dialect/LLVMIR/XeVMOps.td of LLVM 22.1.8.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatTF32Type,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

_FLOATS = (Float32Type, FloatTF32Type, Float16Type, BFloat16Type)
_WIDTHS = (8, 16, 32)


@dataclass(frozen=True)
class RegistersConstraint(AttrConstraint[Attribute]):
    """A vector of rank 1 and fixed extent, of integers of 8, 16 or 32 bits, or of f16, bf16, tf32 or f32."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Refuse any other type."""
        if isa(attr, VectorType) and attr.get_num_dims() == 1:
            element = attr.element_type
            held = isinstance(element, _FLOATS) or (
                isa(element, IntegerType) and element.bitwidth in _WIDTHS
            )
            if held and not any(attr.get_scalable_dims()):
                return
        raise VerifyException(
            f"{attr} must be a vector of rank 1 of integers of 8, 16 or 32 bits, f16, bf16, tf32 or f32"
        )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> "RegistersConstraint":
        """There are no type variables."""
        return self
