"""Which bits of a scalar may be set: the multiples that it is one of, and how large it may be."""

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.analysis.ranges import Ranges
from xetile.dialects.known_integers import known_integer
from xetile.hints import isa
from xetile.targets.target import INDEX_BITS

ANY_BITS = -1
"""All bits without end; a negative mask is one without end above its lowest bit."""

_DEPTH = 16
_SAME = ("arith.index_cast", "arith.extui", "arith.extsi")


def possible_bits(value: SSAValue, ranges: Ranges, depth: int = 0) -> int:
    """The bits that may be set in an integer, as a mask; negative where they have no end."""
    number = known_integer(value)
    if number is not None:
        return number
    found = ANY_BITS if depth > _DEPTH else _of_op(value, ranges, depth + 1)
    interval = ranges.get(value)
    if interval is not None and interval.low >= 0:
        found &= (1 << interval.high.bit_length()) - 1
    return found


def union(masks: Iterable[int]) -> int:
    """The bits that are set in any of some masks."""
    found = 0
    for mask in masks:
        found |= mask
    return found


def possible_sum(masks: Sequence[int]) -> int:
    """The bits that may be set in a sum of what has these bits."""
    total = 0
    for mask in sorted(masks, key=lambda mask: (mask < 0, mask)):
        if total & mask == 0:
            total |= mask
            continue
        both = total | mask
        least = both & -both
        most = max(total, mask).bit_length() + 1
        total = -least if total < 0 or mask < 0 else (1 << most) - least
    return total


def _of_op(value: SSAValue, ranges: Ranges, depth: int) -> int:
    if isinstance(value, BlockArgument):
        return _of_counter(value, ranges, depth)
    op = value.owner
    assert isinstance(op, Operation)
    masks = [possible_bits(operand, ranges, depth) for operand in op.operands[:2]]
    match op.name:
        case "arith.addi":
            return _wrapped(value, possible_sum(masks))
        case "arith.subi":
            both = masks[0] | masks[1]
            return -(both & -both)
        case "arith.muli":
            least = (masks[0] & -masks[0]) * (masks[1] & -masks[1])
            if min(masks) < 0:
                return -least
            most = sum(mask.bit_length() for mask in masks)
            return _wrapped(value, (1 << most) - least if least else 0)
        case "arith.andi":
            return masks[0] & masks[1]
        case "arith.ori" | "arith.xori":
            return masks[0] | masks[1]
        case "arith.shli" | "arith.shrui":
            return _shifted(op, masks[0])
        case name if name in _SAME:
            return masks[0] if _bits(op.operands[0]) <= _bits(value) else ANY_BITS
        case _:
            return ANY_BITS


def _wrapped(value: SSAValue, mask: int) -> int:
    """A result that does not fit its type wraps around, and may then have all higher bits."""
    return mask if mask.bit_length() < _bits(value) else -(mask & -mask)


def _shifted(op: Operation, mask: int) -> int:
    count = known_integer(op.operands[1])
    if count is None or not 0 <= count < INDEX_BITS:
        return ANY_BITS
    if op.name == "arith.shli":
        return _wrapped(op.results[0], mask << count)
    return mask >> count if mask >= 0 else ANY_BITS


def _of_counter(value: BlockArgument, ranges: Ranges, depth: int) -> int:
    """A loop's counter is a multiple of what its start and its step are."""
    loop = value.owner.parent_op()
    if loop is None or loop.name != "scf.for" or value.index:
        return ANY_BITS
    start, step = (possible_bits(loop.operands[i], ranges, depth) for i in (0, 2))
    both = start | step
    return -(both & -both)


def _bits(value: SSAValue) -> int:
    type = value.type
    if isa(type, IntegerType):
        return type.width.data
    return INDEX_BITS if isinstance(type, IndexType) else 0
