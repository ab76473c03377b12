"""Conversions through a slice of shared memory that one subgroup has for itself.

Every stored word has its own place, so that no two lanes store to one: the places are
the source's lanes and those of its registers whose elements other lanes do not have.
A bijective linear map takes places to offsets; its inverse is a list of places, one for
each bit of the offset. The places of the low bits decide how many words one message
moves: words of neighboring lanes (block messages), or neighboring words of a lane.
Registers of both sides at the highest bits reuse the slice, in rounds.
"""

from collections.abc import Iterator, Sequence
from math import inf, nextafter
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.exchange.choices import Route
from xetile.layout.exchange.columns import WORD_BITS, Problem
from xetile.layout.exchange.gaps import with_fewest_conflicts
from xetile.layout.exchange.step_prices import Prices
from xetile.layout.exchange.steps import Access, Message, Move, Share


class _Side(NamedTuple):
    """Registers' numbers by their places, and the places of lanes."""

    registers: dict[int, int]
    columns: tuple[int, ...]
    lanes: tuple[int, ...]


class Places(NamedTuple):
    """Both sides over the places of words, whose numbers have `bits` bits."""

    stored: _Side
    loaded: _Side
    bits: int


class _Messages(NamedTuple):
    """All messages of one side."""

    price: float
    access: Access
    messages: list[Message]


def by_sharing(exchange: Problem, prices: Prices) -> Route | None:
    """Return the cheapest of these conversions, or None if each needs a larger slice."""
    if prices.slice_bytes * 8 < exchange.word_bits:
        return None
    places = places_of(exchange)
    found = _cheapest(exchange, places, prices, 0)
    for others in (1, 2):
        if found is None or not _conflicts(found):
            return found
        apart = _cheapest(exchange, places, prices, others, found.price)
        if apart is not None and _rank(apart) < _rank(found):
            found = apart
    return found


def _cheapest(
    exchange: Problem, places: Places, prices: Prices, others: int, dearest: float = inf
) -> Route | None:
    """Return the cheapest with `others` bits of lanes in different messages of the other side; None above a price."""
    picked = prices.picked * (1 << len(places.stored.columns)) if others else 0
    found: Route | None = None
    for order in dict.fromkeys(_orders(places, others)):
        route = by_order(exchange, places, order, prices, nextafter(dearest - picked, inf))
        if route is None:
            continue
        route = route._replace(price=route.price + picked)
        if found is None or _rank(route) < _rank(found):
            found, dearest = route, min(dearest, route.price)
    return found


def _rank(route: Route) -> tuple[float, int]:
    return route.price, _conflicts(route)


def _conflicts(route: Route) -> int:
    return sum(step.conflicts for step in route.steps if isinstance(step, Share))


def places_of(exchange: Problem) -> Places:
    """Return source and target over the places of words; lanes with the same elements get bits of their own."""
    elements = max((c.bit_length() for c in (*exchange.registers, *exchange.lanes)), default=0)
    lanes: list[int] = []
    for bit, column in enumerate(exchange.lanes):
        repeats = not f2.independent_of([column], lanes)
        lanes.append(column | 1 << elements + bit if repeats else column)
    kept: list[int] = []
    for bit, column in enumerate(exchange.registers):
        held = [*lanes, *(exchange.registers[k] for k in kept)]
        if _is_new(column, held, exchange.lanes):
            kept.append(bit)
    basis = [*lanes, *(exchange.registers[bit] for bit in kept)]
    bits = len(basis)
    pivots = f2.echelon(f2.labelled(basis), bits)
    wanted = _solved(pivots, bits, exchange.wanted)
    wanted_lanes = _solved(pivots, bits, exchange.wanted_lanes)
    units = [1 << bit for bit in range(bits)]
    columns = tuple(units[len(lanes) :])
    numbers = [1 << bit for bit in kept]
    stored = dict(zip(f2.span(columns), f2.span(numbers), strict=True))
    loaded: dict[int, int] = {}
    for number, place in enumerate(f2.span(wanted)):
        loaded.setdefault(place, number)
    return Places(
        _Side(stored, columns, tuple(units[: len(lanes)])),
        _Side(loaded, wanted, wanted_lanes),
        bits,
    )


def _is_new(column: int, held: Sequence[int], lanes: Sequence[int]) -> bool:
    """Return True if a register has elements that neither earlier registers nor lanes have."""
    return bool(f2.independent_of([column], [*held, *lanes]))


def _solved(pivots: dict[int, int], bits: int, columns: Sequence[int]) -> tuple[int, ...]:
    found = f2.solve_all(pivots, bits, columns)
    assert found is not None, "a subgroup lacks elements"
    return tuple(found)


def _orders(places: Places, others: int) -> Iterator[tuple[int, ...]]:
    """Yield bases of the places by the offset's bits; those that both sides have in registers come last.

    A place in registers of one side and in the lowest `others` bits of the other side's lanes
    comes after the rest, so that these lanes are in different messages of the first side.
    """
    ours, theirs = places.stored, places.loaded
    units = [1 << bit for bit in range(places.bits)]
    both = f2.intersection(ours.columns, theirs.columns)
    both = f2.independent_of(both, [*ours.lanes, *theirs.lanes])
    for fill in range(4):
        first, last = both[:fill], both[fill:]
        own = _behind(f2.independent_of(ours.columns, both), theirs.lanes[:others])
        new = _behind(f2.independent_of(theirs.columns, both), ours.lanes[:others])
        lanes = f2.reduced_basis(theirs.lanes) if all(theirs.lanes) else []
        independent = f2.rank(theirs.lanes) == len(theirs.lanes)
        starts = [
            [*ours.lanes, *own, *first],
            [*ours.lanes, *first, *own],
            [*first, *own[: 3 - fill]],
            [*first, *new[: 3 - fill]],
            [*first],
        ]
        if independent and lanes:
            starts += [
                [*theirs.lanes, *new, *first],
                [*theirs.lanes, *first, *new],
            ]
        for start in starts:
            kept = f2.independent_of(start, last)
            if len(kept) != len(start):
                continue
            rest = [*theirs.lanes, *ours.lanes, *units]
            middle = f2.independent_of(rest, [*kept, *last])
            yield (*kept, *middle, *last)
        if fill == len(both):
            break


def _behind(columns: Sequence[int], last: Sequence[int]) -> list[int]:
    """Return the columns, with those among `last` at the end."""
    return [*(c for c in columns if c not in last), *(c for c in columns if c in last)]


def by_order(
    exchange: Problem,
    places: Places,
    order: Sequence[int],
    prices: Prices,
    dearest: float = inf,
) -> Route | None:
    """Return the conversion with these places for the offset's bits, lowest first.

    None if a slice is too small, or if it costs more than `dearest` without bank conflicts, which are slow to count.
    """
    bits = places.bits
    pivots = f2.echelon(f2.labelled(order), bits)
    stored, loaded = (_moved(side, pivots, bits) for side in (places.stored, places.loaded))
    slice_bits = (prices.slice_bytes * 8 // exchange.word_bits).bit_length() - 1
    if bits > slice_bits and not _has_rounds(stored, loaded, slice_bits):
        return None
    slice_bits = min(bits, slice_bits)
    store = _messages(stored, exchange.word_bits, slice_bits, prices)
    load = _messages(loaded, exchange.word_bits, slice_bits, prices)
    price = prices.shared_setup + store.price + load.price
    if price > dearest:
        return None
    rounds: dict[int, tuple[list[Message], list[Message]]] = {}
    for position, messages in enumerate((store.messages, load.messages)):
        for message in messages:
            number, offset = divmod(message.offset, 1 << slice_bits)
            of_round = rounds.setdefault(number, ([], []))
            of_round[position].append(message._replace(offset=offset))
    ordered = tuple(
        [
            (tuple(stores), tuple(loads))
            for _, (stores, loads) in sorted(rounds.items())
            if loads
        ]
    )
    share = Share(store.access, load.access, ordered, 1 << slice_bits)
    lanes = 1 << len(exchange.lanes)
    share = with_fewest_conflicts(share, exchange.word_bits, prices, lanes)
    at = [r for _, loads in ordered for message in loads for r in message.registers]
    place = {number: index for index, number in enumerate(at)}
    registers = [
        place[places.loaded.registers[loaded_at]]
        for loaded_at in f2.span(places.loaded.columns)
    ]
    price += share.conflicts * prices.conflict
    if registers == list(range(len(at))):
        return Route(price, (share,))
    return Route(price, (share, Move(tuple(registers))))


def _moved(side: _Side, pivots: dict[int, int], bits: int) -> _Side:
    """Return the side over offsets."""
    at = _solved(pivots, bits, list(side.registers))
    return _Side(
        dict(zip(at, side.registers.values(), strict=True)),
        _solved(pivots, bits, side.columns),
        _solved(pivots, bits, side.lanes),
    )


def _has_rounds(stored: _Side, loaded: _Side, slice_bits: int) -> bool:
    """Return True if the lanes of both sides stay within a slice, and each side has whole rounds in registers."""
    if any(lane >> slice_bits for lane in (*stored.lanes, *loaded.lanes)):
        return False
    sides = [[f2.rank(c >> slice_bits for c in side.columns)] for side in (stored, loaded)]
    return sides[0] == sides[1]


def _messages(side: _Side, word_bits: int, slice_bits: int, prices: Prices) -> _Messages:
    """Return as few messages as the low bits of the offsets allow."""
    count = len(side.columns)
    pivots = f2.echelon(f2.labelled(side.columns), count)
    free = [f2.solve(pivots, count, 1 << bit) is not None for bit in range(slice_bits)]
    alone = [
        is_free and not any(lane >> bit & 1 for lane in side.lanes)
        for bit, is_free in enumerate(free)
    ]
    lane_bits = len(side.lanes)
    most = min(prices.lane_words, prices.lane_bytes * 8 // word_bits)
    narrow = prices.narrow_word if word_bits < WORD_BITS else 0.0
    best = min(
        (
            _priced(_grouped(side, "lanes", 0, bits), prices.lane_message, narrow)
            for bits in range(_run(alone, most) + 1)
        ),
        key=lambda found: found.price,
    )
    in_order = side.lanes == tuple([1 << bit for bit in range(lane_bits)])
    apart = all(column & (1 << lane_bits) - 1 == 0 for column in side.columns)
    if not (in_order and apart and word_bits in prices.block_bits):
        return best
    as_block = _grouped(side, "block", lane_bits, _run(free[lane_bits:], prices.block_words))
    block = _priced(as_block, prices.block_message, 0.0)
    return block if block.price <= best.price else best


def _run(free: Sequence[bool], most: int) -> int:
    """Return the number of low bits that only registers have, for at most `most` words."""
    bits = 0
    while bits < len(free) and free[bits] and 2 << bits <= most:
        bits += 1
    return bits


def _grouped(side: _Side, form: str, low: int, bits: int) -> _Messages:
    mask = (1 << bits) - 1 << low
    groups = sorted({offset & ~mask for offset in side.registers})
    messages = [
        Message(
            tuple([side.registers[start | word << low] for word in range(1 << bits)]), start
        )
        for start in groups
    ]
    access = Access("block", ()) if form == "block" else Access("lanes", side.lanes)
    return _Messages(0.0, access, messages)


def _priced(found: _Messages, message: float, word: float) -> _Messages:
    """Return the messages with their price, and that of words in messages of several words."""
    words = sum(len(m.registers) for m in found.messages if len(m.registers) > 1)
    return found._replace(price=message * len(found.messages) + word * words)
