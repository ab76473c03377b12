"""Conversions by shuffles in which all lanes offer one register, with lane-dependent selects before and after.

Afterwards lane l has in register r the element T(r) ^ T(l). If it reads from lane M l ^
c, for some linear M, it gets S(s) ^ S(M l) ^ S(c) of the source: a shuffle with a constant
register s suffices if T(l) = S(M l). Otherwise the rest, T(l) ^ S(M l), is linear in the
lane's bits: the offering lane selects the part in source registers before the shuffle, the
receiving lane selects the other part between several received values. Each independent part
is one stage of selects between two registers.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.exchange.columns import Problem, stages
from xetile.layout.exchange.step_prices import Prices
from xetile.layout.exchange.steps import Move, Select, Shuffle, Step

_FEW_REGISTER_BITS = 3


class Route(NamedTuple):
    """Steps and their price."""

    price: float
    steps: tuple[Step, ...]


class Ways(NamedTuple):
    """The lanes to read from, and the selects before (registers' numbers) and after (elements) the shuffle."""

    columns: tuple[int, ...]
    before: list[tuple[int, int]]
    after: list[tuple[int, int]]


def by_choices(exchange: Problem, prices: Prices, dearest: float) -> Route | None:
    """Return the cheapest of these conversions, or None if each costs `dearest` or more."""
    best: Route | None = None
    seen: list[Ways] = []
    for ways in _ways(exchange):
        if ways in seen:
            continue
        seen.append(ways)
        found = by_ways(exchange, ways, prices, dearest)
        if found is not None:
            best, dearest = found, found.price
        if dearest <= 0:
            break
    return best


def _ways(exchange: Problem) -> Iterator[Ways]:
    for columns in _readings(exchange):
        moved = [f2.multiply(exchange.lanes, column) for column in columns]
        rest = [a ^ b for a, b in zip(exchange.wanted_lanes, moved, strict=True)]
        for before in (
            _divided(rest, exchange.registers, exchange.wanted),
            _divided(rest, exchange.registers, ()),
            _reusing(rest, exchange.registers, dearly=False),
            _reusing(rest, exchange.registers, dearly=True),
            [0 for _ in rest],
        ):
            held = [f2.multiply(exchange.registers, number) for number in before]
            after = [a ^ b for a, b in zip(rest, held, strict=True)]
            offered = offered_for(columns, before)
            if offered is not None:
                yield Ways(columns, stages(offered), stages(after))


def _readings(exchange: Problem) -> Iterator[tuple[int, ...]]:
    """Yield candidates for M: the own lane, one lane for all, and lanes that have the wanted lanes' elements.

    Also sums with registers of both sides, and, if registers are few, mixtures of all of these.
    """
    own = [1 << bit for bit in range(len(exchange.lanes))]
    held = [
        bit if at == wanted else column
        for bit, at, wanted, column in zip(
            own,
            exchange.lanes,
            exchange.wanted_lanes,
            _solutions(exchange.lanes, exchange),
            strict=True,
        )
    ]
    both = [*exchange.lanes, *exchange.registers, *exchange.wanted]
    lanes = (1 << len(own)) - 1
    sums = [None if c is None else c & lanes for c in _solutions(both, exchange)]
    yield tuple(own)
    yield (0,) * len(own)
    yield tuple([0 if column is None else column for column in held])
    yield tuple(
        [bit if column is None else column for bit, column in zip(own, held, strict=True)]
    )
    yield tuple([0 if column is None else column for column in sums])
    if len(exchange.wanted) <= _FEW_REGISTER_BITS:
        options = [
            dict.fromkeys(option for option in (bit, 0, a, b) if option is not None)
            for bit, a, b in zip(own, held, sums, strict=True)
        ]
        yield from product(*options)


def _solutions(columns: Sequence[int], exchange: Problem) -> list[int | None]:
    """Return each wanted lane's element as a sum of columns, or None if it is none."""
    pivots = f2.echelon(f2.labelled(columns), len(columns))
    return [f2.solve(pivots, len(columns), column) for column in exchange.wanted_lanes]


def _divided(rest: Sequence[int], ours: Sequence[int], theirs: Sequence[int]) -> list[int]:
    """Return the selects before the shuffle, as source registers' numbers: the part in `ours` (with `theirs`)."""
    both = [*ours, *theirs]
    pivots = f2.echelon(f2.labelled(both), len(both))
    found = [f2.solve(pivots, len(both), column) for column in rest]
    return [0 if number is None else number & (1 << len(ours)) - 1 for number in found]


def _reusing(rest: Sequence[int], ours: Sequence[int], *, dearly: bool) -> list[int]:
    """Return selects before the shuffle that leave fewer stages: sums of `ours` and of the rests of earlier bits.

    If `dearly`, the first part that `ours` could supply alone is left to later stages too.
    """
    left: list[int] = []
    before: list[int] = []
    for column in rest:
        both = [*left, *ours]
        pivots = f2.echelon(f2.labelled(both), len(both))
        found = f2.solve(pivots, len(both), column)
        if found is None or (dearly and column and not left):
            before.append(0)
            left.append(column)
        else:
            before.append(found >> len(left))
    return before


def offered_for(columns: Sequence[int], before: Sequence[int]) -> list[int] | None:
    """Return the selects by the offering lane's bits, or None if it cannot determine the reading lane."""
    width = len(columns)
    pivots = f2.echelon(f2.labelled(columns), width)
    lanes = [f2.solve(pivots, width, 1 << bit) for bit in range(width)]
    offered = [0 if lane is None else f2.multiply(before, lane) for lane in lanes]
    again = [f2.multiply(offered, column) for column in columns]
    return offered if again == list(before) else None


def by_ways(exchange: Problem, ways: Ways, prices: Prices, dearest: float) -> Route | None:
    """Return the conversion of these ways, or None if there is none or it costs `dearest` or more."""
    targets = _span(exchange.wanted)
    needs = _needed(targets, [vector for _, vector in ways.after])
    units = -(-exchange.word_bits // 32)
    choices = sum(map(len, needs[1:])) * prices.select * units
    if choices >= dearest:
        return None
    found = _shuffle(exchange, ways, needs[0], prices)
    if found is None:
        return None
    price, shuffle = found
    offered = _needed(dict.fromkeys(shuffle.registers), [v for _, v in ways.before])
    choices += sum(map(len, offered[1:])) * prices.select * units
    if ways.before or ways.after:
        choices += prices.select_setup
    price = price * units + choices
    if _moves_lanes(shuffle) and not _is_known(shuffle.columns):
        price += prices.permutation_setup
    if price >= dearest:
        return None
    steps = [
        Move(tuple(offered[0])),
        *_selects(offered, ways.before),
        _renumbered(shuffle, offered[-1]),
        *_selects(needs, ways.after),
        Move(tuple(_places(needs[-1], targets))),
    ]
    return Route(price, joined(steps, 1 << len(exchange.registers)))


def _span(columns: Sequence[int]) -> list[int]:
    """Return the sums of columns, indexed by the columns' bits."""
    sums = [0]
    for column in columns:
        sums += [found ^ column for found in sums]
    return sums


def _needed(last: Iterable[int], vectors: Sequence[int]) -> list[list[int]]:
    """Return the values before each stage of selects, and at the end, each once and in order."""
    needs = [list(dict.fromkeys(last))]
    for vector in reversed(vectors):
        later = needs[0]
        needs.insert(0, list(dict.fromkeys([*later, *(value ^ vector for value in later)])))
    return needs


def _selects(
    needs: Sequence[Sequence[int]], choices: Sequence[tuple[int, int]]
) -> Iterator[Select]:
    for before, after, (mask, vector) in zip(needs, needs[1:], choices, strict=False):
        even = _places(before, after)
        odd = _places(before, [value ^ vector for value in after])
        yield Select(mask, tuple(even), tuple(odd))


def _places(values: Sequence[int], wanted: Iterable[int]) -> list[int]:
    at = {value: place for place, value in enumerate(values)}
    return [at[value] for value in wanted]


def _shuffle(
    exchange: Problem, ways: Ways, values: Sequence[int], prices: Prices
) -> tuple[float, Shuffle] | None:
    """Return one shuffle for each of these elements, from the cheapest lane that has it."""
    count = len(exchange.registers)
    pivots = f2.echelon(f2.labelled(exchange.registers), count)
    costs = _costs(ways.columns, prices)
    order = sorted(range(len(costs)), key=lambda lane: costs[lane])
    held = [(f2.multiply(exchange.lanes, lane), lane) for lane in order]
    known: dict[int, int] = {}
    numbers = dict(ways.before)
    registers: list[int] = []
    lanes: list[int] = []
    price = 0.0
    for value in values:
        kind = _reduced(pivots, count, value)
        if kind not in known:
            lane = next((n for at, n in held if _reduced(pivots, count, at) == kind), None)
            if lane is None:
                return None
            known[kind] = lane
        lane = known[kind]
        at = f2.solve(pivots, count, value ^ f2.multiply(exchange.lanes, lane))
        assert at is not None
        chosen = [v for mask, v in numbers.items() if (mask & lane).bit_count() & 1]
        for vector in chosen:
            at ^= vector
        registers.append(at)
        lanes.append(lane)
        price += costs[lane]
    return price, Shuffle(tuple(registers), tuple(lanes), ways.columns)


def _reduced(pivots: dict[int, int], width: int, value: int) -> int:
    """Return the rest of an element after reduction by the registers' columns."""
    value <<= width
    for length in sorted(pivots, reverse=True):
        if value >> length - 1 & 1:
            value ^= pivots[length]
    return value >> width


def _costs(columns: Sequence[int], prices: Prices) -> list[float]:
    """Return the price of a register by the number that is added to the lane read from."""
    lanes = 1 << len(columns)
    if not any(columns):
        return [prices.broadcast] * lanes
    if _is_own(columns):
        return [prices.move, *(prices.swaps[lane] for lane in range(1, lanes))]
    return [prices.permutation] * lanes


def _is_own(columns: Sequence[int]) -> bool:
    return list(columns) == [1 << bit for bit in range(len(columns))]


def _is_known(columns: Sequence[int]) -> bool:
    return not any(columns) or _is_own(columns)


def _moves_lanes(shuffle: Shuffle) -> bool:
    return any(shuffle.lanes) or not _is_own(shuffle.columns)


def _renumbered(shuffle: Shuffle, offered: Sequence[int]) -> Step:
    places = tuple(_places(offered, shuffle.registers))
    return shuffle._replace(registers=places) if _moves_lanes(shuffle) else Move(places)


def joined(steps: Sequence[Step], count: int) -> tuple[Step, ...]:
    """Fold moves into the next step, and drop those that change nothing of `count` registers."""
    kept: list[Step] = []
    moved: tuple[int, ...] | None = None
    for step in steps:
        if isinstance(step, Move):
            moved = _through(moved, step.registers)
            continue
        match step:
            case Shuffle(registers):
                step = step._replace(registers=_through(moved, registers))
                count = len(registers)
            case Select(_, even, odd):
                step = step._replace(even=_through(moved, even), odd=_through(moved, odd))
                count = len(even)
            case _:
                count = sum(len(m.registers) for _, loads in step.rounds for m in loads)
        moved = None
        kept.append(step)
    if moved is not None and moved != tuple(range(count)):
        kept.append(Move(moved))
    return tuple(kept)


def _through(moved: tuple[int, ...] | None, registers: Sequence[int]) -> tuple[int, ...]:
    return tuple(registers) if moved is None else tuple([moved[r] for r in registers])
