"""The op of arith that combines two values as a reduction of some kind does."""

from collections.abc import Callable
from typing import cast

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.fast_math import FASTMATH
from xetile.dialects.upstream import arith
from xetile.dialects.xetile.tile_type import FLOAT_TYPES


def combined(
    kind: str,
    left: SSAValue,
    right: SSAValue,
    element: Attribute,
    flags: FastMathFlagsAttr,
) -> Operation:
    """Return the op that combines two values of type `element`; an op on floats gets the flags of the reduction."""
    is_float = isinstance(element, FLOAT_TYPES)
    name = f"arith.{kind}{'' if kind.startswith(('min', 'max')) else 'f' if is_float else 'i'}"
    found = next(op for op in arith.Arith.operations if op.name == name)
    made = cast("Callable[[SSAValue, SSAValue], Operation]", found)(left, right)
    if is_float:
        made.properties[FASTMATH] = flags
    return made
