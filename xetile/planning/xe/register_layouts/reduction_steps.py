"""Which steps reduce a vector that registers and lanes hold, and what they cost.

    operand   8x16: register -> (1, 0), (2, 0), (4, 0)    lane -> (0, 1), (0, 2), (0, 4), (0, 8)

The order of reductions takes the bits of the reduced index from the highest, each where it lies: pairs of registers, or
pairs of lanes. For pairs of lanes there are two ways: a butterfly leaves the result in both lanes; a merge of two
registers, of which one lane keeps the one and the other lane the other, leaves half of the registers, and rows in
lanes. What any order gives the same bits of takes registers first.

Where the subgroup has shared memory, the operand may be turned before all steps, rows into lanes:

    8x16: register -> (0, 1), (0, 2), (0, 4), (0, 8)    lane -> (0, 0), (1, 0), (2, 0), (4, 0)
    or    register -> (0, 1), (0, 2), (0, 4)            lane -> (0, 8), (1, 0), (2, 0), (4, 0)
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf, log2
from typing import NamedTuple, TypeAlias

from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation

from xetile.dialects.fast_math import fast_math
from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.dialects.xetile.tile_type import FLOAT_TYPES
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.plans import plan
from xetile.layout.exchange.step_prices import Prices
from xetile.planning.xe.register_layouts.layout_rules import (
    LANE,
    REGISTER,
    Relation,
    repeating,
)


class Pairs(NamedTuple):
    """Registers whose numbers differ in one bit, combined: half of them are left."""

    bit: int


class Butterfly(NamedTuple):
    """Each register combined with that of the lane whose number differs in a bit; one bit after the other."""

    bits: tuple[int, ...]


class Merge(NamedTuple):
    """Of two registers whose numbers differ in `bit`, lanes without the bit `lane` of their number combine the lower.

    Those with it combine the upper; each with what the other lane holds of it.
    """

    lane: int
    bit: int


_ROUNDING = ("add", "mul")
"""The kinds of floats that depend on the order."""

Step: TypeAlias = Pairs | Butterfly | Merge


class Reduction(NamedTuple):
    """How a vector is reduced: taken in the layout `operand`, after the steps it is in the layout `result`.

    `price` (instructions) is that of the conversions before and after too. It is the least of those that are compared:
    `as_held`, between lanes where these hold it, and `turned`, rows brought to lanes before; None where that is
    impossible, or bringing them there alone is dearer.
    """

    operand: LinearLayout
    steps: tuple[Step, ...]
    result: LinearLayout
    price: float
    as_held: float
    turned: float | None = None


def is_in_order(op: Operation, element: Attribute) -> bool:
    """Return True if a reduction must keep its order because another order would give other bits."""
    if FastMathFlag.REASSOC in fast_math(op).data:
        return False
    kind = str(op.properties["kind"])
    return isinstance(element, FLOAT_TYPES) and any(name in kind for name in _ROUNDING)


@lru_cache(maxsize=4096)
def reduction(
    relation: Relation,
    source: LinearLayout,
    wanted: LinearLayout | None,
    dimensions: tuple[int, ...],
    element_bits: int,
    prices: Prices,
    *,
    in_order: bool,
) -> Reduction:
    """The cheapest way to reduce what is in a layout so that it is in another, None for a scalar's.

    `relation` is that of the operand (`layout_rules.relation_of`), `dimensions` are the reduced
    ones. Without `in_order` all orders give the same bits.
    """
    back = relation.inverted()
    goal = None if wanted is None else repeating(relation, wanted)
    bits = _reduced_bits(relation, dimensions)
    as_it_is = _with_single_bits(source, bits)
    found: Reduction | None = None
    least = [inf, inf]
    for operand in (as_it_is, *_turned(as_it_is, goal, bits, prices)):
        before = 0.0
        if operand != source:
            before = plan(source, operand, element_bits, prices).price
        for merges in _choices(operand, goal, bits):
            if found is not None and before >= found.price:
                break
            work = _Work(operand, element_bits, prices)
            for bit in bits if in_order else work.registers_first(bits):
                work.take(bit, merges)
            result = repeating(back, work.layout)
            price = before + work.price
            if wanted is not None:
                price += plan(result, wanted, element_bits, prices).price
            least[operand is not as_it_is] = min(price, least[operand is not as_it_is])
            if found is None or price < found.price:
                found = Reduction(operand, tuple(work.steps), result, price, price)
    assert found is not None
    as_held, turned = least
    return found._replace(as_held=as_held, turned=None if turned == inf else turned)


def _turned(
    operand: LinearLayout, goal: LinearLayout | None, reduced: Sequence[int], prices: Prices
) -> Iterator[LinearLayout]:
    """Layouts with the reduced bits in registers and what is kept in the lanes where it is wanted, else the highest.

    Through shared memory this takes a message for 8 registers on either side, where lanes
    exchange each register several times. Lanes that are left repeat others, or hold the
    highest reduced bits.
    """
    registers, lanes = operand.in_columns[REGISTER], operand.in_columns[LANE]
    kept = [column for column in registers if column not in reduced]
    if not prices.slice_bytes or not kept or not set(reduced) & {*lanes}:
        return
    asked = (0,) * len(lanes) if goal is None else goal.in_columns[LANE]
    placed = [
        own if own not in reduced else column if column in kept else 0
        for own, column in zip(lanes, asked, strict=True)
    ]
    if not set(kept) & {*placed}:
        free = [place for place, column in enumerate(placed) if not column]
        for place, column in zip(reversed(free), reversed(kept), strict=False):
            placed[place] = column
    in_registers = [column for column in kept if column not in placed]
    ascending = sorted(reduced)
    yield _layout(operand, (*ascending, *in_registers), tuple(placed))
    free = [place for place, column in enumerate(placed) if not column]
    for place, column in zip(reversed(free), reversed(ascending), strict=False):
        placed[place] = column
    left = [column for column in ascending if column not in placed]
    yield _layout(operand, (*left, *in_registers), tuple(placed))


def _reduced_bits(relation: Relation, dimensions: Sequence[int]) -> list[int]:
    """The columns of the reduced index in the order in which they are taken."""
    bits, start = list[int](), 0
    for dimension, extent in enumerate(relation.operand):
        width = extent.bit_length() - 1
        if dimension in dimensions:
            bits += [1 << start + bit for bit in reversed(range(width))]
        start += width
    return bits


def _with_single_bits(source: LinearLayout, reduced: Sequence[int]) -> LinearLayout:
    """The layout itself, without registers that repeat others, where each reduced bit lies in one place of its own.

    Else one in which columns of the vector go to lanes, row-major.
    """
    registers, lanes = source.in_columns[REGISTER], source.in_columns[LANE]
    kept = tuple(dict.fromkeys(column for column in registers if column))
    held = [column for column in (*kept, *lanes) if column]
    mask = sum(reduced)
    single = all(column in reduced for column in held if column & mask)
    if single and len(set(held)) == len(held) and _are_independent(held):
        return source if kept == registers else _layout(source, kept, lanes)
    rest = [1 << bit for bit in _row_major(source)]
    in_lanes = rest[: len(lanes)]
    again = [0] * (len(lanes) - len(in_lanes))
    return _layout(source, tuple(rest[len(in_lanes) :]), (*in_lanes, *again))


def _are_independent(columns: Sequence[int]) -> bool:
    seen: list[int] = []
    for column in columns:
        for other in seen:
            column = min(column, column ^ other)
        if not column:
            return False
        seen.append(column)
    return True


def _row_major(layout: LinearLayout) -> Iterator[int]:
    for _, width, place in reversed(layout.fields()):
        yield from range(place, place + width)


def _layout(
    like: LinearLayout, registers: tuple[int, ...], lanes: tuple[int, ...]
) -> LinearLayout:
    return LinearLayout.of_columns({REGISTER: registers, LANE: lanes}, like.out_widths)


def _choices(
    operand: LinearLayout, goal: LinearLayout | None, reduced: Sequence[int]
) -> Iterator[Mapping[int, int]]:
    """Which register bit (its column) each reduced lane bit may be given: none, those wanted, the highest."""
    yield {}
    if goal is None:
        return
    lanes = operand.in_columns[LANE]
    kept = [column for column in operand.in_columns[REGISTER] if column not in reduced]
    places = [lanes.index(bit) for bit in reduced if bit in lanes]
    asked = {place: goal.in_columns[LANE][place] for place in places}
    wanted = {place: column for place, column in asked.items() if column in kept}
    if wanted:
        yield wanted
    for count in range(1, min(len(places), len(kept)) + 1):
        yield dict(zip(places[:count], reversed(kept), strict=False))


class _Work:
    """The steps so far, what is left, and what they cost."""

    def __init__(self, operand: LinearLayout, element_bits: int, prices: Prices) -> None:
        self.operand = operand
        self.registers = list(operand.in_columns[REGISTER])
        self.lanes = list(operand.in_columns[LANE])
        self.prices = prices
        self.words = max(1, element_bits // REGISTER_BITS)
        self.steps: list[Step] = []
        self._price = 0.0

    @property
    def layout(self) -> LinearLayout:
        """Where elements are, the reduced bits left out."""
        return _layout(self.operand, tuple(self.registers), tuple(self.lanes))

    @property
    def price(self) -> float:
        """Instructions."""
        return self.words * (self._price + self._butterflies())

    def registers_first(self, bits: Sequence[int]) -> list[int]:
        """The reduced bits, those in registers before those in lanes."""
        return sorted(bits, key=lambda bit: bit not in self.registers)

    def take(self, bit: int, merges: Mapping[int, int]) -> None:
        """Reduce one bit of the index, by its column."""
        prices, half = self.prices, (1 << len(self.registers)) / 2
        if bit in self.registers:
            self.steps.append(Pairs(self.registers.index(bit)))
            self.registers.remove(bit)
            self._price += half * prices.combine
            return
        lane = self.lanes.index(bit)
        if lane in merges:
            column = merges[lane]
            self.steps.append(Merge(lane, self.registers.index(column)))
            self.registers.remove(column)
            self.lanes[lane] = column
            self._price += half * (2 * prices.select + _exchange(prices, lane))
            return
        self.lanes[lane] = 0
        last = self.steps[-1] if self.steps else None
        if isinstance(last, Butterfly):
            self.steps[-1] = Butterfly((*last.bits, lane))
        else:
            self.steps.append(Butterfly((lane,)))

    def _butterflies(self) -> float:
        """Return the price of exchanges with each lane in turn; compilers recognize an exchange with all lanes."""
        left = len(self.operand.in_columns[REGISTER])
        total = 0.0
        for step in self.steps:
            if not isinstance(step, Butterfly):
                left -= 1
                continue
            count = 1 << left
            one = sum(_exchange(self.prices, bit) for bit in step.bits)
            if self.prices.reduced and len(step.bits) == len(self.lanes):
                known = self.prices.reduced
                one = min(one, known[min(int(log2(count)), len(known) - 1)])
            total += count * one
        return total


def _exchange(prices: Prices, lane: int) -> float:
    """Return the price of an exchange and combination; a swap's last instruction, a move, becomes the combination."""
    return max(prices.swaps[1 << lane], 2 * prices.combine)
