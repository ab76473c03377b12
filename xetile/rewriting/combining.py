"""The op of arith that combines two values as a kind of reduction does."""

from collections.abc import Callable
from typing import cast

from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.xetile.types import FLOAT_TYPES


def combined(kind: str, left: SSAValue, right: SSAValue, element: Attribute) -> Operation:
    """Two values, of such elements, combined."""
    ending = "f" if isinstance(element, FLOAT_TYPES) else "i"
    name = f"arith.{kind}{'' if kind.startswith(('min', 'max')) else ending}"
    found = next(op for op in arith.Arith.operations if op.name == name)
    return cast("Callable[[SSAValue, SSAValue], Operation]", found)(left, right)
