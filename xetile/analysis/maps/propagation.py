"""Propagation of `wg_map`s over a function, along links and rules, until nothing is new.

Maps go forward, from operands to results, as far as they can before one goes backward. So
contradicting maps mostly meet at a user, and the error is reported there. What is merely
usual (K is one unit) is assumed last. Every value gets its map once, so the work grows
with the links.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from enum import IntEnum
from heapq import heappop, heappush
from math import prod
from typing import NamedTuple, NoReturn, cast

from xdsl.dialects.builtin import ShapedType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from xetile.analysis.maps.map_words import a_conversion, name_of
from xetile.dialects.xetile import WorkgroupMapAttr
from xetile.dialects.xetile.tile_type import verify_distribution
from xetile.errors import XetileError, fail, position, with_origin


class Strength(IntEnum):
    """The order in which maps spread."""

    FORWARD = 0
    """To the values computed from a value."""
    BACKWARD = 1
    """To the values that a value is computed from."""
    LIKELY = 2
    """To a value that gets no map otherwise, from a neighbor; contradicts nothing."""
    ASSUMED = 3
    """To a value that gets no map from a neighbor either; contradicts nothing."""


class Evidence(NamedTuple):
    """A map, the written map that it follows from, and the op where that one is written."""

    map: WorkgroupMapAttr
    written: WorkgroupMapAttr
    at: Operation

    def derive(self, map: WorkgroupMapAttr) -> "Evidence":
        """Return evidence for another map that follows from the same written one."""
        return Evidence(map, self.written, self.at)


class Link(NamedTuple):
    """Another value with the same map, the op that links them, and the direction of the link."""

    value: SSAValue
    by: Operation
    strength: Strength


class Total(NamedTuple):
    """The number of subgroups of the workgroup, and its source."""

    subgroups: int
    source: str


class Disputed(NamedTuple):
    """A value with the map that an op needs for it, and the map that it has everywhere else.

    `operand` is the number of the operand that needs it, or None for all operands that are this value.
    """

    value: SSAValue
    needed: WorkgroupMapAttr
    elsewhere: WorkgroupMapAttr
    operand: int | None = None


class Disagreement(XetileError):
    """An op that needs two maps of one value, or joins two values of different maps.

    A tile_conv_layout of one of `values` resolves it.
    """

    def __init__(
        self,
        by: Operation,
        message: str,
        values: Sequence["Disputed"],
    ) -> None:
        super().__init__(with_origin(by, message), position(by))
        self.at = by
        self.by = by
        self.values = values


class _Offer(NamedTuple):
    """A map offered to a value. Offers are sorted by strength, then by their order."""

    strength: Strength
    number: int
    value: SSAValue
    evidence: Evidence
    by: Operation
    like: SSAValue | None


class Propagation:
    """The maps of a function's values, as far as they are known."""

    def __init__(
        self,
        links: Mapping[SSAValue, Sequence[Link]],
        rules: Mapping[SSAValue, Sequence[tuple[Operation, "Rule"]]],
        total: Total | None,
        sg_layout: tuple[int, int] | None = None,
    ) -> None:
        """Start from `links` and `rules`, which derive maps from a value's map; `total` may be unknown.

        `sg_layout` is the kernel's layout for values without a map, or None.
        """
        self.total = total
        self.sg_layout = sg_layout
        self._links = links
        self._rules = rules
        self._known: dict[SSAValue, Evidence] = {}
        self._offers: list[_Offer] = []
        self._count = 0

    def get(self, value: SSAValue) -> Evidence | None:
        """Return the evidence for a value's map, or None."""
        return self._known.get(value)

    def takes_map(self, value: SSAValue) -> bool:
        """Return True if a value can get a map."""
        return True

    def is_alone(self, value: SSAValue, but_for: "Container[Rule]" = ()) -> bool:
        """Return True if no link and no rule other than `but_for` relates the value's map to another value's."""
        rules = self._rules.get(value, ())
        return not self._links.get(value) and all(rule in but_for for _, rule in rules)

    def offer(
        self,
        value: SSAValue,
        evidence: Evidence,
        by: Operation,
        strength: Strength,
        *,
        like: SSAValue | None = None,
    ) -> None:
        """Offer `value` a map on behalf of the op `by`; `like` is the value that shares the map, if any."""
        if not self.takes_map(value):
            return
        offer = _Offer(strength, self._count, value, evidence, by, like)
        known = self._known.get(value)
        if known is None:
            heappush(self._offers, offer)
            self._count += 1
        elif strength < Strength.LIKELY and known.map != evidence.map:
            _contradiction(known, offer)

    def run(self) -> None:
        """Spread all offered maps.

        Raise XetileError at the op where two maps contradict each other, a map does not
        distribute a value evenly, or the number of subgroups differs.
        """
        while self._offers:
            offer = heappop(self._offers)
            if offer.value in self._known:
                self.offer(
                    offer.value, offer.evidence, offer.by, offer.strength, like=offer.like
                )
            else:
                self._accept(offer)

    def _accept(self, offer: _Offer) -> None:
        value, evidence = offer.value, offer.evidence
        self._check(offer)
        self._known[value] = evidence
        for link in self._links.get(value, ()):
            self.offer(link.value, evidence, link.by, link.strength, like=value)
        for op, rule in self._rules.get(value, ()):
            rule(self, op)

    def _check(self, offer: _Offer) -> None:
        map = offer.evidence.map
        try:
            verify_distribution("wg_map", map, shape_of(offer.value))
        except VerifyException as error:
            fail(offer.by, str(error))
        count = prod(map.sg_layout)
        if self.total is None:
            place = where(offer.evidence.at)
            self.total = Total(
                count, f"sg_layout {list(map.sg_layout)} of '{offer.evidence.at.name}'{place}"
            )
        if count != self.total.subgroups:
            fail(
                offer.by,
                f"sg_layout {list(map.sg_layout)} has {count} subgroups, the workgroup has "
                f"{self.total.subgroups} ({self.total.source})",
            )


Rule = Callable[[Propagation, Operation], None]
"""Reads the known maps of an op's values and offers the maps that follow from them."""


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """Return the shape of a vector or tile (elements)."""
    return tuple(cast(ShapedType, value.type).get_shape())


def where(op: Operation) -> str:
    """Return ` at file:line:column`, or an empty string if no place is known."""
    place = position(op)
    if place is None:
        return ""
    return f" at {place.filename.data}:{place.line.data}:{place.column.data}"


def origin(evidence: Evidence, by: Operation) -> str:
    """Return where a map comes from, for a message at `by`."""
    source = "" if evidence.map == evidence.written else f"from {evidence.written.body}, "
    if evidence.at is by:
        return f"({source}written here)"
    return f"({source}'{evidence.at.name}'{where(evidence.at)})"


def _contradiction(known: Evidence, offer: _Offer) -> NoReturn:
    by, wanted = offer.by, offer.evidence
    has = f"{name_of(offer.value)} has wg_map {known.map.body} {origin(known, by)}"
    if offer.like is None:
        other = f"'{by.name}' needs {wanted.map.body} {origin(wanted, by)}"
    else:
        other = f"{name_of(offer.like)} {wanted.map.body} {origin(wanted, by)}, '{by.name}' joins them"
    values = [Disputed(offer.value, wanted.map, known.map)]
    if offer.like is not None:
        values.append(Disputed(offer.like, known.map, wanted.map))
    message = f"{has}, {other}; make the maps agree, or put {a_conversion(by)} between"
    raise Disagreement(by, message, values)
