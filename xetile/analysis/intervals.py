"""Interval arithmetic: what an op of the arith dialect makes of the bounds of its operands.

Functions take pairs (low, high), both included, and give one, or None for anything. Values
are mathematical integers; that a result leaves its type is the caller's to find.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

Bounds: TypeAlias = tuple[int, int]
Function: TypeAlias = Callable[..., Bounds | None]


def _hull(*values: int) -> Bounds:
    return min(values), max(values)


def _add(a: Bounds, b: Bounds) -> Bounds:
    return a[0] + b[0], a[1] + b[1]


def _subtract(a: Bounds, b: Bounds) -> Bounds:
    return a[0] - b[1], a[1] - b[0]


def _multiply(a: Bounds, b: Bounds) -> Bounds:
    return _hull(*(x * y for x in a for y in b))


def _natural(function: Callable[[Bounds, Bounds], Bounds | None]) -> Function:
    """A function of naturals: with an operand that may be negative the result can be anything."""

    def checked(a: Bounds, b: Bounds) -> Bounds | None:
        return function(a, b) if a[0] >= 0 and b[0] >= 0 else None

    return checked


def _divide(a: Bounds, b: Bounds) -> Bounds:
    return a[0] // max(1, b[1]), a[1] // max(1, b[0])


def _divide_up(a: Bounds, b: Bounds) -> Bounds:
    return -(-a[0] // max(1, b[1])), -(-a[1] // max(1, b[0]))


def _remainder(a: Bounds, b: Bounds) -> Bounds:
    if a[1] < b[0]:
        return a
    return 0, min(a[1], max(0, b[1] - 1))


def _floor_divide(a: Bounds, b: Bounds) -> Bounds | None:
    return _hull(*(x // y for x in a for y in b)) if b[0] > 0 else None


def _ceiling_divide(a: Bounds, b: Bounds) -> Bounds | None:
    return _hull(*(-(-x // y) for x in a for y in b)) if b[0] > 0 else None


def _minimum(a: Bounds, b: Bounds) -> Bounds:
    return min(a[0], b[0]), min(a[1], b[1])


def _maximum(a: Bounds, b: Bounds) -> Bounds:
    return max(a[0], b[0]), max(a[1], b[1])


def _and(a: Bounds, b: Bounds) -> Bounds | None:
    naturals = [high for low, high in (a, b) if low >= 0]
    return (0, min(naturals)) if naturals else None


def _or(a: Bounds, b: Bounds) -> Bounds:
    return 0, 2 ** max(a[1], b[1]).bit_length() - 1


def _shift_left(a: Bounds, b: Bounds) -> Bounds | None:
    return _multiply(a, (1 << b[0], 1 << b[1])) if b[0] >= 0 and b[1] < 64 else None


def _shift_right(a: Bounds, b: Bounds) -> Bounds | None:
    return _hull(*(x >> y for x in a for y in b)) if b[0] >= 0 and b[1] < 64 else None


def _same(a: Bounds) -> Bounds:
    return a


def _same_natural(a: Bounds) -> Bounds | None:
    return a if a[0] >= 0 else None


def _select(_: Bounds, a: Bounds, b: Bounds) -> Bounds:
    return _hull(*a, *b)


_OF_ARITH: Mapping[str, Function] = {
    "arith.addi": _add,
    "arith.subi": _subtract,
    "arith.muli": _multiply,
    "arith.divui": _natural(_divide),
    "arith.divsi": _natural(_divide),
    "arith.remui": _natural(_remainder),
    "arith.remsi": _natural(_remainder),
    "arith.ceildivui": _natural(_divide_up),
    "arith.floordivsi": _floor_divide,
    "arith.ceildivsi": _ceiling_divide,
    "arith.minsi": _minimum,
    "arith.maxsi": _maximum,
    "arith.minui": _natural(_minimum),
    "arith.maxui": _natural(_maximum),
    "arith.andi": _and,
    "arith.ori": _natural(_or),
    "arith.xori": _natural(_or),
    "arith.shli": _shift_left,
    "arith.shrsi": _shift_right,
    "arith.shrui": _natural(_shift_right),
    "arith.select": _select,
    "arith.index_cast": _same,
    "arith.extsi": _same,
    "arith.trunci": _same,
    "arith.index_castui": _same_natural,
    "arith.extui": _same_natural,
}

_OF_INDEX: Mapping[str, str] = {
    "index.add": "arith.addi",
    "index.sub": "arith.subi",
    "index.mul": "arith.muli",
    **{
        f"index.{name}{sign}": f"arith.{name}{sign}i"
        for name in ("div", "rem", "min", "max", "ceildiv")
        for sign in "su"
    },
    "index.floordivs": "arith.floordivsi",
    "index.and": "arith.andi",
    "index.or": "arith.ori",
    "index.xor": "arith.xori",
    "index.shl": "arith.shli",
    "index.shrs": "arith.shrsi",
    "index.shru": "arith.shrui",
    "index.casts": "arith.index_cast",
    "index.castu": "arith.index_castui",
}

OPERATIONS: Mapping[str, Function] = {
    **_OF_ARITH,
    **{name: _OF_ARITH[of] for name, of in _OF_INDEX.items()},
}

SIGNED = frozenset(
    f"arith.{name}"
    for name in (
        "divsi",
        "remsi",
        "floordivsi",
        "ceildivsi",
        "minsi",
        "maxsi",
        "shrsi",
        "extsi",
        "index_cast",
    )
) | {"index.casts"}
"""Those to which an i1 is 0 or -1."""
