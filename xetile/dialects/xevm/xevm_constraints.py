"""Constraints on the operands and results of XeVM's ops, and their base class."""

from xdsl.dialects.builtin import (
    BFloat16Type,
    BoolAttr,
    Float16Type,
    Float32Type,
    FloatTF32Type,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from xetile.dialects.formats import present
from xetile.dialects.shared_attributes import TypeConstraint, word
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


class XeVMOp(IRDLOperation):
    """An op that is made of its operands in their order, and of its properties by their names."""

    def __init__(
        self,
        *operands: SSAValue,
        result_type: Attribute | None = None,
        **properties: int | Attribute | None,
    ) -> None:
        """Operands and properties as the op defines them, integers and bools for their attributes."""
        given = {name: _attribute(value) for name, value in properties.items()}
        Operation.__init__(
            self,
            operands=operands,
            result_types=[] if result_type is None else [result_type],
            properties=present(**given),
        )


def _attribute(value: int | Attribute | None) -> Attribute | None:
    if isinstance(value, bool):
        return BoolAttr.from_bool(value)
    return word(value) if isinstance(value, int) else value
