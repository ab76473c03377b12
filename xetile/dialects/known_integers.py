"""Integers that a program says, as literals or through constants and plain arithmetic on them."""

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import OpResult, SSAValue

from xetile.hints import isa
from xetile.targets.target import INDEX_BITS

_CONSTANTS = ("arith.constant", "index.constant")
_CASTS = ("arith.index_cast", "arith.index_castui", "index.casts", "index.castu")
_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "arith.addi": lambda left, right: left + right,
    "arith.subi": lambda left, right: left - right,
    "arith.muli": lambda left, right: left * right,
    "index.add": lambda left, right: left + right,
    "index.sub": lambda left, right: left - right,
    "index.mul": lambda left, right: left * right,
}
_DEEPEST = 4
"""Ops behind a value that are looked at: enough for what people write, and bounded."""
_MOST = 2**31 - 1
"""The largest number that casts between index and i32 do not change. Numbers of narrower types are not folded."""


def known_integer(value: SSAValue) -> int | None:
    """Return the value of an integer or index made by `arith.constant` or `index.constant`, or None."""
    if isinstance(value, OpResult) and value.op.name in _CONSTANTS:
        number = value.op.properties.get("value")
        if isinstance(number, IntegerAttr):
            return number.value.data
    return None


def folded_integer(value: SSAValue, depth: int = _DEEPEST) -> int | None:
    """The number of an integer or index, also where casts, sums or products of constants make it.

    None where that is not known, and where the type of a step may wrap around.
    """
    found = known_integer(value)
    if found is None and depth and isinstance(value, OpResult):
        op = value.op
        if op.name not in _CASTS and op.name not in _ARITHMETIC:
            return None
        parts = [folded_integer(operand, depth - 1) for operand in op.operands]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        found = known[0] if op.name in _CASTS else _ARITHMETIC[op.name](*known)
        if not 0 <= found <= _MOST or _bits(value) < 32:
            return None
    return found


def _bits(value: SSAValue) -> int:
    type = value.type
    return type.width.data if isa(type, IntegerType) else INDEX_BITS
