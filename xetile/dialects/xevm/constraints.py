"""What XeVM takes as operands and results."""

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatTF32Type,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute

from xetile.dialects.constraints import TypeConstraint
from xetile.hints import isa


def _is_registers(type: Attribute) -> bool:
    if not isa(type, VectorType) or type.get_num_dims() != 1 or any(type.get_scalable_dims()):
        return False
    element = type.element_type
    if isa(element, IntegerType):
        return element.bitwidth in (8, 16, 32)
    return isinstance(element, Float32Type | FloatTF32Type | Float16Type | BFloat16Type)


REGISTERS = TypeConstraint(
    _is_registers,
    "a vector of rank 1 of integers of 8, 16 or 32 bits, f16, bf16, tf32 or f32",
)
