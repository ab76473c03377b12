"""Residues: the integers that a value may be, modulo a number, and how ops on integers relate them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from xetile.targets.target import BYTE_BITS, INDEX_BITS


@dataclass(frozen=True, slots=True)
class Residue:
    """All integers that are `remainder` modulo `modulus`; only `remainder` itself if the modulus is 0."""

    modulus: int
    remainder: int = 0

    def __add__(self, other: "Residue") -> "Residue":
        return residue(gcd(self.modulus, other.modulus), self.remainder + other.remainder)

    def __neg__(self) -> "Residue":
        return residue(self.modulus, -self.remainder)

    def times(self, other: "Residue") -> "Residue":
        modulus = gcd(
            self.modulus * other.modulus,
            self.modulus * other.remainder,
            self.remainder * other.modulus,
        )
        return residue(modulus, self.remainder * other.remainder)

    def join(self, other: "Residue") -> "Residue":
        """Return a residue that contains the integers of both."""
        apart = self.remainder - other.remainder
        return residue(gcd(self.modulus, other.modulus, apart), self.remainder)

    def is_multiple(self, of: int) -> bool:
        """Return True if all of the integers are multiples of `of`."""
        return self.modulus % of == 0 and self.remainder % of == 0

    def witness(self, of: int) -> int:
        """Return one of the integers, modulo `of`, that is not a multiple, or 0 if all are."""
        return self.remainder % of or self.modulus % of


def residue(modulus: int, remainder: int = 0) -> Residue:
    """Return the residue class of a remainder, reduced to 0 to modulus - 1."""
    return Residue(modulus, remainder % modulus if modulus else remainder)


ANY = Residue(1)
ZERO = Residue(0)


def in_bytes(elements: Residue, bits: int) -> Residue:
    """Return the residue of the bytes that `elements` elements of `bits` bits occupy in memory."""
    found = elements.times(Residue(0, bits))
    if found.modulus % BYTE_BITS:
        return ANY
    return residue(found.modulus // BYTE_BITS, found.remainder // BYTE_BITS)


def joined(residues: Sequence[Residue]) -> Residue:
    """Return a residue that contains the integers of all `residues`; expects at least one."""
    return reduce(Residue.join, residues)


def _remainder(left: Residue, right: Residue) -> Residue:
    return residue(gcd(left.modulus, right.modulus, right.remainder), left.remainder)


def _shifted(left: Residue, right: Residue) -> Residue:
    if right.modulus or not 0 <= right.remainder < INDEX_BITS:
        return ANY
    return left.times(Residue(0, 1 << right.remainder))


def _divided(left: Residue, right: Residue) -> Residue:
    """Return an exact quotient, independent of rounding; `ANY` if a remainder is possible."""
    by = right.remainder
    if right.modulus or by == 0 or left.modulus % by or left.remainder % by:
        return ANY
    return residue(left.modulus // by, left.remainder // by)


def _shifted_back(left: Residue, right: Residue) -> Residue:
    if right.modulus or not 0 <= right.remainder < INDEX_BITS:
        return ANY
    return _divided(left, Residue(0, 1 << right.remainder))


def _subtracted(left: Residue, right: Residue) -> Residue:
    return left + -right


def _same(value: Residue) -> Residue:
    return value


def _known_bits(of: Residue) -> int:
    """Return how many of the lowest bits all of the integers share."""
    modulus = of.modulus
    return (modulus & -modulus).bit_length() - 1 if modulus else INDEX_BITS


def _zero_bits(of: Residue) -> int:
    """Return how many of the lowest bits are 0 in all of the integers."""
    known = _known_bits(of)
    ones = of.remainder & ((1 << known) - 1)
    return min(known, (ones & -ones).bit_length() - 1) if ones else known


def _bitwise(combine: Callable[[int, int], int]) -> Callable[[Residue, Residue], Residue]:
    def found(left: Residue, right: Residue) -> Residue:
        known = 1 << min(_known_bits(left), _known_bits(right))
        return residue(known, combine(left.remainder, right.remainder))

    return found


def _masked(left: Residue, right: Residue) -> Residue:
    """Return the residue of a bitwise and: if one operand ends in zero bits, so does the result."""
    both = _bitwise(int.__and__)(left, right)
    zeros = max(_zero_bits(left), _zero_bits(right))
    return both if both.modulus >= 1 << zeros else Residue(1 << zeros)


def of_expression(
    expression: AffineExpr, dimensions: int, values: Sequence[Residue]
) -> Residue:
    """Return the residue of an affine expression; `values` are its dimensions, then its symbols."""
    match expression:
        case AffineConstantExpr(value):
            return Residue(0, value)
        case AffineDimExpr(position):
            return values[position]
        case AffineSymExpr(position):
            return values[dimensions + position]
        case AffineBinaryOpExpr(kind, lhs, rhs):
            left, right = (of_expression(side, dimensions, values) for side in (lhs, rhs))
            return _AFFINE[kind](left, right)
        case _:
            return ANY


_AFFINE: Mapping[AffineBinaryOpKind, Callable[[Residue, Residue], Residue]] = {
    AffineBinaryOpKind.Add: Residue.__add__,
    AffineBinaryOpKind.Mul: Residue.times,
    AffineBinaryOpKind.Mod: _remainder,
    AffineBinaryOpKind.FloorDiv: _divided,
    AffineBinaryOpKind.CeilDiv: _divided,
}

_NAMES: Mapping[Callable[..., Residue], str] = {
    Residue.__add__: "arith.addi index.add",
    _subtracted: "arith.subi index.sub",
    Residue.times: "arith.muli index.mul",
    _shifted: "arith.shli index.shl",
    _shifted_back: "arith.shrui arith.shrsi index.shru index.shrs",
    _divided: "arith.divui arith.divsi arith.floordivsi arith.ceildivsi arith.ceildivui "
    "index.divu index.divs index.floordivs index.ceildivs index.ceildivu",
    _remainder: "arith.remui arith.remsi index.remu index.rems",
    Residue.join: "arith.minsi arith.minui arith.maxsi arith.maxui "
    "index.mins index.minu index.maxs index.maxu",
    _masked: "arith.andi index.and",
    _bitwise(int.__or__): "arith.ori index.or",
    _bitwise(int.__xor__): "arith.xori index.xor",
    _same: "arith.index_cast arith.index_castui arith.extsi arith.extui arith.trunci "
    "index.casts index.castu",
}

RULES: Mapping[str, Callable[..., Residue]] = {
    name: rule for rule, names in _NAMES.items() for name in names.split()
}
"""The residue of an op's result. Integers are assumed not to wrap around, as addresses do not."""

SHIFTS = frozenset((*_NAMES[_shifted].split(), *_NAMES[_shifted_back].split()))
"""Ops whose second operand counts bits: the result is known only if that is a constant."""
