"""The op of arith that combines two values as a kind of reduction does."""

from collections.abc import Callable, Mapping
from typing import cast

from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.xetile.types import FLOAT_TYPES

_FLOATS: Mapping[str, str] = {"add": "addf", "mul": "mulf"}
_INTEGERS: Mapping[str, str] = {
    "add": "addi",
    "mul": "muli",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
}
"""arith's names of kinds; all others are called alike."""


def combined(kind: str, left: SSAValue, right: SSAValue, element: Attribute) -> Operation:
    """Two values, of such elements, combined."""
    names = _FLOATS if isinstance(element, FLOAT_TYPES) else _INTEGERS
    name = f"arith.{names.get(kind, kind)}"
    found = next(op for op in arith.Arith.operations if op.name == name)
    return cast("Callable[[SSAValue, SSAValue], Operation]", found)(left, right)
