"""The steps that reduce a vector in registers and lanes, and their price.

    operand   8x16: register -> (1, 0), (2, 0), (4, 0)    lane -> (0, 1), (0, 2), (0, 4), (0, 8)

An ordered reduction takes the bits of the reduced index from the highest, each at its place: pairs of registers, or
pairs of lanes. Pairs of lanes can be reduced in two ways. A butterfly leaves the result in both lanes. A merge combines
two registers, one in each lane of a pair, which leaves half of the registers, with rows in lanes. If every order gives
the same bits, registers come first.

If the subgroup has shared memory, the operand may be converted before all steps, with rows in lanes:

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
    """The combination of registers whose numbers differ in one bit, which leaves half of them."""

    bit: int


class Butterfly(NamedTuple):
    """The combination of each register with that of the lane whose number differs in one bit, bit after bit."""

    bits: tuple[int, ...]


class Merge(NamedTuple):
    """The combination of two registers whose numbers differ in `bit`, each in one half of the lanes.

    Lanes without the bit `lane` in their number combine the lower register, and those with it the upper one, each with
    the other lane's part of it.
    """

    lane: int
    bit: int


_ROUNDING = ("add", "mul")
"""The kinds of reductions of floats that depend on the order."""

Step: TypeAlias = Pairs | Butterfly | Merge


class Reduction(NamedTuple):
    """The plan of a reduction: it takes a vector in the layout `operand`, and its steps leave the layout `result`.

    `price` (instructions) includes the conversions before and after. It is the least of the prices compared: `as_held`,
    between the lanes that hold the vector, and `turned`, with rows moved to lanes before. `turned` is None if that is
    impossible, or if the move alone costs more.
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
    """Return the cheapest way to reduce a vector from a layout to another one, or to a scalar for None.

    `relation` is that of the operand (`layout_rules.relation_of`), and `dimensions` are the reduced ones. Unless
    `in_order`, all orders give the same bits.
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
    """Yield layouts with the reduced bits in registers and kept bits in lanes: where they are wanted, else the highest.

    Through shared memory this takes a message for 8 registers on either side; lanes would exchange each register
    several times. The remaining lanes repeat others, or hold the highest reduced bits.
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
    """Return the columns of the reduced index in the order in which they are reduced."""
    bits, start = list[int](), 0
    for dimension, extent in enumerate(relation.operand):
        width = extent.bit_length() - 1
        if dimension in dimensions:
            bits += [1 << start + bit for bit in reversed(range(width))]
        start += width
    return bits


def _with_single_bits(source: LinearLayout, reduced: Sequence[int]) -> LinearLayout:
    """Return the layout without registers that repeat others, if each reduced bit has one place of its own.

    Otherwise return a layout in which the vector's elements go to lanes first, row-major.
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
    """Yield the register bits (columns) to merge into reduced lane bits: none, those wanted, the highest."""
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
    """The steps so far, the remaining layout, and the price."""

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
        """The layout of the remaining elements, without the reduced bits."""
        return _layout(self.operand, tuple(self.registers), tuple(self.lanes))

    @property
    def price(self) -> float:
        """The price in instructions."""
        return self.words * (self._price + self._butterflies())

    def registers_first(self, bits: Sequence[int]) -> list[int]:
        """Return the reduced bits, those in registers before those in lanes."""
        return sorted(bits, key=lambda bit: bit not in self.registers)

    def take(self, bit: int, merges: Mapping[int, int]) -> None:
        """Reduce one bit of the index, given by its column."""
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
