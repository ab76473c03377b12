"""The types that a matrix instruction takes the bits of its operands as, where upstream's types cannot say them.

`xegpu.dpas` of LLVM 22 has no 8-bit floats and takes one element type for A and B; `xevm.mma` has no 8-bit floats.
There the operands are integers of 8 bits, and this attribute says what their bits are:

    %d = xegpu.dpas %a, %b {xetile.operand_types = [si8, ui8]} : vector<8x32xi8>, vector<8x16x4xi8> -> vector<8x16xi32>

So does another one of elements that are changed atomically:

    %old = xegpu.atomic_rmw addf %t, %mask, %v {xetile.element_type = f8E5M2} : !xegpu.tensor_desc<128xi8, ...>, ...
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    IntegerType,
    VectorType,
    i8,
)
from xdsl.ir import Attribute, Operation

from xetile.errors import fail
from xetile.hints import isa

OPERAND_TYPES = "xetile.operand_types"

FLOATS_8 = (Float8E4M3FNType, Float8E5M2Type)
"""The float types of 8 bits that products take."""

ELEMENT_TYPE = "xetile.element_type"

_BITS = 8


def set_operand_types(op: Operation, types: Sequence[Attribute]) -> None:
    """State the element types of A and B, whose own types say only how many bits they have."""
    op.attributes[OPERAND_TYPES] = ArrayAttr(types)


def operand_types(op: Operation) -> tuple[Attribute, Attribute] | None:
    """Return the element types of A and B if an attribute states them, or None if the op's own types do.

    Errors: XetileError where the attribute is no pair of types of 8 bits.
    """
    found = op.attributes.get(OPERAND_TYPES)
    if found is None:
        return None
    types = found.data if isa(found, ArrayAttr[Attribute]) else ()
    if len(types) != 2 or not all(map(_has_8_bits, types)):
        fail(
            op,
            f"'{OPERAND_TYPES}' is {found}; expected the types of A and B, "
            "of i8, si8, ui8, f8E4M3FN and f8E5M2",
        )
    return types[0], types[1]


def element_type_said(op: Operation) -> Attribute | None:
    """The float of 8 bits that an atomic op's elements are; None where its own types say what they are.

    Errors: XetileError where the attribute is another type, or the elements are no i8.
    """
    found = op.attributes.get(ELEMENT_TYPE)
    if found is None:
        return None
    own = op.results[0].type
    if not isinstance(found, FLOATS_8) or not isa(own, VectorType) or own.element_type != i8:
        fail(
            op,
            f"'{ELEMENT_TYPE}' is {found}, of elements of {own}; expected f8E4M3FN or f8E5M2, of i8",
        )
    return found


def _has_8_bits(type: Attribute) -> bool:
    return isinstance(type, (IntegerType, *FLOATS_8)) and type.bitwidth == _BITS
