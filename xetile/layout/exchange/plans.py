"""The cheapest conversion from one register layout to another, as steps that can be emitted."""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, nextafter
from typing import Literal, NamedTuple, TypeVar

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.choices import by_choices
from xetile.layout.exchange.columns import LANE, REGISTER, Problem, check_pair, problem
from xetile.layout.exchange.sharing import by_sharing
from xetile.layout.exchange.step_prices import Prices
from xetile.layout.exchange.steps import Held, Move, Select, Share, Shuffle, Step

Value = TypeVar("Value")

PlanKind = Literal[
    "none",
    "registers",
    "uniform shuffles",
    "lane-dependent shuffles",
    "subgroup shared memory",
    "workgroup shared memory",
]


class Compared(NamedTuple):
    """The prices between which a plan was chosen.

    `shuffled` is None if shuffles are more expensive than shared memory, so that the search stopped; `shared` is None
    if no slice of it is large enough.
    """

    shuffled: float | None
    shared: float | None


class Plan(NamedTuple):
    """A conversion of a value's layout, and its price in instructions.

    The steps apply to registers of words of `word_bits`, each with 2^own neighboring elements,
    the lowest bits of registers' numbers on both sides. If elements come from other subgroups,
    there are no steps, and no prices were compared.
    """

    kind: PlanKind
    price: float
    steps: tuple[Step, ...]
    word_bits: int
    own: int
    compared: Compared | None = None

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory that each subgroup needs."""
        words = [step.words for step in self.steps if isinstance(step, Share)]
        return max(words, default=0) * self.word_bits // 8

    @property
    def conflicts(self) -> int:
        """Additional cycles, because lanes access different words of a bank of shared memory."""
        return sum(step.conflicts for step in self.steps if isinstance(step, Share))

    def apply(self, held: Sequence[Sequence[Value]]) -> Held[Value]:
        """Return the elements of each lane afterwards; `held[lane][register]` are those before."""
        size = 1 << self.own
        words: Held[tuple[Value, ...]] = [
            [tuple(own[i : i + size]) for i in range(0, len(own), size)] for own in held
        ]
        for step in self.steps:
            words = step.apply(words)
        return [[element for word in own for element in word] for own in words]


@lru_cache(maxsize=8192)
def plan(
    source: LinearLayout, target: LinearLayout, element_bits: int, prices: Prices
) -> Plan:
    """Return the cheapest conversion between (register, lane[, warp]) layouts of one value.

    Lanes and registers may repeat elements, on both sides. Errors: LayoutError if the
    layouts are of different values or hardware, or the source lacks elements.
    """
    check_pair(source, target)
    exchange = problem(source, target, element_bits)
    others = [name for name in source.in_dim_names if name not in (REGISTER, LANE)]
    ordered = target.transpose_outs(source.out_dim_names)
    same = all(source.in_columns[n] == ordered.in_columns[n] for n in others)
    if not same or not exchange.is_possible:
        price = _between_subgroups(exchange, prices)
        return Plan("workgroup shared memory", price, (), exchange.word_bits, exchange.own)
    shared = by_sharing(exchange, prices)
    dearest = inf if shared is None else nextafter(shared.price, inf)
    shuffled = by_choices(exchange, prices, dearest)
    route = shuffled or shared
    assert route is not None
    compared = Compared(*(None if way is None else way.price for way in (shuffled, shared)))
    return Plan(
        _kind(route.steps),
        route.price,
        route.steps,
        exchange.word_bits,
        exchange.own,
        compared,
    )


def _kind(steps: Sequence[Step]) -> PlanKind:
    if not steps:
        return "none"
    if any(isinstance(step, Share) for step in steps):
        return "subgroup shared memory"
    if any(isinstance(step, Select) for step in steps):
        return "lane-dependent shuffles"
    if any(isinstance(step, Shuffle) for step in steps):
        return "uniform shuffles"
    assert all(isinstance(step, Move) for step in steps)
    return "registers"


def _between_subgroups(exchange: Problem, prices: Prices) -> float:
    """Return the price of one message per word on both sides, and of two barriers."""
    words = (1 << len(exchange.registers)) + (1 << len(exchange.wanted))
    return prices.shared_setup + 2 * prices.barrier + words * prices.lane_message
