"""Places: a vector of integers as a function of its coordinates, and how such functions are added and moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from xdsl.ir import SSAValue

from xetile.planning.xe.register_layouts.layout_rules import Relation

Product = tuple[SSAValue, ...]
"""Scalars that are multiplied; none of them is the number 1."""

ONE: Product = ()


class Term(NamedTuple):
    """What a product is multiplied with: a number, and for each bit of the coordinates its weight."""

    number: int
    weights: tuple[int, ...]


class Swizzle(NamedTuple):
    """`uniform ^ number ^ columns * coordinates`: an exclusive or, of which the uniform part is a sum of products."""

    uniform: tuple[tuple[Product, int], ...]
    number: int
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Places:
    """A vector of integers as a function of its coordinates, counted as a layout's columns are.

    The sum of `terms`, of `swizzle`, and of a part that is not known if `unknown` is not None: `unknown` has the
    coordinate bits on which that part depends. It is 0 if all elements add the same unknown number.
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
        """The number that all elements are, or None if they differ or are not known."""
        if self.unknown is not None or self.depends or self.swizzle is not None:
            return None
        if any(self.terms.keys() - {ONE}):
            return None
        term = self.terms.get(ONE)
        return 0 if term is None else term.number

    def plus(self, weights: Sequence[int]) -> "Places":
        """These places, with further weights of coordinate bits."""
        number, own = self.terms.get(ONE, Term(0, (0,) * self.width))
        both = tuple([a + b for a, b in zip(own, weights, strict=True)])
        return replace(self, terms={**self.terms, ONE: Term(number, both)})


MOST_TERMS = 6
"""Products of which a sum is kept; of longer ones only what they depend on."""


def lowest(mask: int) -> int:
    """The lowest bit that is set in a mask."""
    return mask & -mask


def times(mask: int, factor: int) -> int:
    """The bits that may be set in a product of what has these bits and a number."""
    if mask == 0 or factor == 0:
        return 0
    if factor & (factor - 1) == 0 and factor > 0:
        return mask * factor
    least = lowest(mask) * lowest(factor)
    if mask < 0 or factor < 0:
        return -least
    return (1 << (mask.bit_length() + factor.bit_length())) - least


def unknown_places(shape: Sequence[int]) -> Places:
    """What may lie anywhere, each element for itself."""
    width = prod(shape).bit_length() - 1
    return Places(width, {}, unknown=(1 << width) - 1)


def moved(places: Places, relation: Relation) -> Places:
    """The places of the result of an op that rearranges or repeats all elements of its operand."""

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
    """`left + factor * right`; None where both are swizzled."""
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
    """A sum as an exclusive or, where that is the same."""
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
