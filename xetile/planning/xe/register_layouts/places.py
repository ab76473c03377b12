"""Places: a vector of integers as a function of its coordinates, and operations that add and move such functions.

The elements of a tile of a matrix in shared memory are places relative to the computed part of its corner. For a scalar
the known facts are the bits that may be set: the number of which it is a multiple, and its largest value.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.analysis.ranges import Ranges
from xetile.dialects.index_lists import Mixed
from xetile.dialects.known_integers import known_integer
from xetile.dialects.xegpu import MemDescType
from xetile.hints import isa
from xetile.planning.xe.register_layouts.layout_rules import Relation
from xetile.targets.target import INDEX_BITS

ANY_BITS = -1
"""All bits, unbounded. A negative mask has all bits from its lowest set bit on."""

_DEPTH = 16
_SAME = ("arith.index_cast", "arith.extui", "arith.extsi")


def possible_bits(value: SSAValue, ranges: Ranges, depth: int = 0) -> int:
    """Return the bits that may be set in an integer, as a mask; it is negative if they are unbounded."""
    number = known_integer(value)
    if number is not None:
        return number
    found = ANY_BITS if depth > _DEPTH else _of_op(value, ranges, depth + 1)
    interval = ranges.get(value)
    if interval is not None and interval.low >= 0:
        found &= (1 << interval.high.bit_length()) - 1
    return found


def union(masks: Iterable[int]) -> int:
    """Return the bits that are set in any of the masks."""
    found = 0
    for mask in masks:
        found |= mask
    return found


def possible_sum(masks: Sequence[int]) -> int:
    """Return the bits that may be set in a sum of numbers with these masks."""
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
            return masks[0] if _width(op.operands[0]) <= _width(value) else ANY_BITS
        case _:
            return ANY_BITS


def _wrapped(value: SSAValue, mask: int) -> int:
    """Return the mask of a result, which may have all higher bits if it does not fit its type and wraps around."""
    return mask if mask.bit_length() < _width(value) else -(mask & -mask)


def _shifted(op: Operation, mask: int) -> int:
    count = known_integer(op.operands[1])
    if count is None or not 0 <= count < INDEX_BITS:
        return ANY_BITS
    if op.name == "arith.shli":
        return _wrapped(op.results[0], mask << count)
    return mask >> count if mask >= 0 else ANY_BITS


def _of_counter(value: BlockArgument, ranges: Ranges, depth: int) -> int:
    """Return the mask of a loop's counter, which is a multiple of any common divisor of start and step."""
    loop = value.owner.parent_op()
    if loop is None or loop.name != "scf.for" or value.index:
        return ANY_BITS
    start, step = (possible_bits(loop.operands[i], ranges, depth) for i in (0, 2))
    both = start | step
    return -(both & -both)


def _width(value: SSAValue) -> int:
    type = value.type
    if isa(type, IntegerType):
        return type.width.data
    return INDEX_BITS if isinstance(type, IndexType) else 0


Product = tuple[SSAValue, ...]
"""Scalars that are multiplied; an empty product is the number 1."""

ONE: Product = ()


class Term(NamedTuple):
    """The factor of a product: a number, and a weight for each bit of the coordinates."""

    number: int
    weights: tuple[int, ...]


class Swizzle(NamedTuple):
    """`uniform ^ number ^ columns * coordinates`: an exclusive or whose uniform part is a sum of products."""

    uniform: tuple[tuple[Product, int], ...]
    number: int
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Places:
    """A vector of integers as a function of its coordinates, counted as in a layout's columns.

    The elements are the sum of `terms`, of `swizzle`, and of an unknown part unless `unknown` is None. `unknown` has
    the coordinate bits on which that part depends. It is 0 if all elements add the same unknown number.
    """

    width: int
    terms: Mapping[Product, Term]
    swizzle: Swizzle | None = None
    unknown: int | None = None

    @property
    def depends(self) -> int:
        """The coordinate bits on which the elements depend."""
        found = self.unknown or 0
        columns = [term.weights for term in self.terms.values()]
        if self.swizzle is not None:
            columns.append(self.swizzle.columns)
        for weights in columns:
            found |= sum(1 << bit for bit, weight in enumerate(weights) if weight)
        return found

    @property
    def number(self) -> int | None:
        """The number that all elements equal, or None if they differ or are not known."""
        if self.unknown is not None or self.depends or self.swizzle is not None:
            return None
        if any(self.terms.keys() - {ONE}):
            return None
        term = self.terms.get(ONE)
        return 0 if term is None else term.number

    def plus(self, weights: Sequence[int]) -> "Places":
        """Return these places with further weights of coordinate bits."""
        number, own = self.terms.get(ONE, Term(0, (0,) * self.width))
        both = tuple([a + b for a, b in zip(own, weights, strict=True)])
        return replace(self, terms={**self.terms, ONE: Term(number, both)})


MOST_TERMS = 6
"""The most products in a sum. A longer sum records only the coordinates on which it depends."""


def lowest(mask: int) -> int:
    """Return the lowest set bit of a mask."""
    return mask & -mask


def times(mask: int, factor: int) -> int:
    """Return the bits that may be set in the product of a number with this mask and a factor."""
    if mask == 0 or factor == 0:
        return 0
    if factor & (factor - 1) == 0 and factor > 0:
        return mask * factor
    least = lowest(mask) * lowest(factor)
    if mask < 0 or factor < 0:
        return -least
    return (1 << (mask.bit_length() + factor.bit_length())) - least


def unknown_places(shape: Sequence[int]) -> Places:
    """Return places of which nothing is known: each element may lie anywhere."""
    width = prod(shape).bit_length() - 1
    return Places(width, {}, unknown=(1 << width) - 1)


def moved(places: Places, relation: Relation) -> Places:
    """Return the places of the result of an op that rearranges or repeats all elements of its operand."""

    def columns(weights: Sequence[int]) -> tuple[int, ...]:
        return tuple([0 if bit is None else weights[bit] for bit in relation.bits])

    terms = {
        product: Term(term.number, columns(term.weights))
        for product, term in places.terms.items()
    }
    swizzle = places.swizzle
    if swizzle is not None:
        swizzle = swizzle._replace(columns=columns(swizzle.columns))
    unknown = places.unknown
    if unknown is not None:
        unknown = sum(
            1 << place
            for place, bit in enumerate(relation.bits)
            if bit is not None and unknown >> bit & 1
        )
    return Places(len(relation.bits), terms, swizzle, unknown)


def added(left: Places, right: Places, factor: int = 1) -> Places | None:
    """Return `left + factor * right`, or None if both are swizzled or the sum has too many products."""
    if right.swizzle is not None and (left.swizzle is not None or factor != 1):
        return None
    terms = dict(left.terms)
    for product, term in right.terms.items():
        old = terms.get(product, Term(0, (0,) * left.width))
        weights = [a + factor * b for a, b in zip(old.weights, term.weights, strict=True)]
        new = Term(old.number + factor * term.number, tuple(weights))
        terms[product] = new
    terms = {p: term for p, term in terms.items() if term.number or any(term.weights)}
    if len(terms) > MOST_TERMS:
        return None
    unknown = left.unknown
    if right.unknown is not None:
        unknown = (unknown or 0) | right.unknown
    return Places(left.width, terms, left.swizzle or right.swizzle, unknown)


def as_swizzle(places: Places) -> Swizzle | None:
    """Return a sum as an equal exclusive or, or None if there is none."""
    if places.unknown is not None:
        return None
    if places.swizzle is not None:
        return None if places.terms else places.swizzle
    linear = places.terms.get(ONE, Term(0, (0,) * places.width))
    uniform = [(p, term.number) for p, term in places.terms.items() if p != ONE]
    if any(any(term.weights) for p, term in places.terms.items() if p != ONE):
        return None
    if uniform and (any(linear.weights) or linear.number):
        return None
    if not uniform:
        seen = 0
        for weight in (linear.number, *linear.weights):
            if weight < 0 or weight & seen:
                return None
            seen |= weight
        return Swizzle((), linear.number, linear.weights)
    return Swizzle(tuple(uniform), 0, linear.weights)


class MatrixPlaces(NamedTuple):
    """The places of a tile's elements relative to the computed coordinates of its corner.

    Attributes:
        places: with the coordinates that are numbers; all unknown if the tile may cross blocks.
        multiple: a divisor of the place of the computed coordinates (elements); 0 if there are none.
    """

    places: Places
    multiple: int


def matrix_places(
    type: MemDescType, corner: Sequence[Mixed], shape: Sequence[int], ranges: Ranges
) -> MatrixPlaces:
    """Return the places of a tile of this shape at a corner (row and column)."""
    inner, outer = type.steps
    width = sum(extent.bit_length() - 1 for extent in shape)
    number, multiples, weights = 0, 0, list[int]()
    for dimension, place in enumerate(corner):
        extent, block = shape[dimension], type.block_shape[dimension]
        near, far = inner[dimension], outer[dimension]
        bits = _bits(place, ranges)
        if not _splits(bits, block, extent):
            return MatrixPlaces(unknown_places(shape), 1)
        for bit in range(extent.bit_length() - 1):
            steps, rest = divmod(1 << bit, block)
            weights.append(steps * far + rest * near)
        if isinstance(place, int):
            number += place // block * far + place % block * near
        else:
            multiples |= lowest(bits) * near | far
    return MatrixPlaces(Places(width, {ONE: Term(number, tuple(weights))}), lowest(multiples))


def _bits(place: int | SSAValue, ranges: Ranges) -> int:
    return place if isinstance(place, int) else possible_bits(place, ranges)


def _splits(bits: int, block: int, extent: int) -> bool:
    """Return True if a tile of an extent at such a place takes whole blocks or lies in one block."""
    if block % extent and extent % block:
        return False
    return extent == 1 or not bits & extent - 1
