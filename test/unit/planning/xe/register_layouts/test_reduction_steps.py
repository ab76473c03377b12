"""The steps of reductions, executed on trees of elements: the order of the page, in every layout."""

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

import numpy
import pytest
from support.reductions import halved

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.step_prices import Prices
from xetile.planning.xe.register_layouts.layout_rules import Relation, replicated
from xetile.planning.xe.register_layouts.reduction_steps import (
    Butterfly,
    Merge,
    Pairs,
    Reduction,
    reduction,
)
from xetile.targets.xe.prices import XE

Tree: TypeAlias = object
LANES = 16


def both(left: Tree, right: Tree) -> Tree:
    """Two trees combined; which of them comes first is free."""
    return frozenset((left, right))


def relation_of(shape: Sequence[int], dimensions: Sequence[int]) -> Relation:
    """What `layout_rules.relation_of` says of a vector.multi_reduction."""
    kept = [d for d in range(len(shape)) if d not in dimensions]
    starts = [sum(n.bit_length() - 1 for n in shape[:d]) for d in range(len(shape))]
    bits = [starts[d] + bit for d in kept for bit in range(shape[d].bit_length() - 1)]
    return Relation(tuple(shape), tuple(shape[d] for d in kept), tuple(bits), "spread")


def layout(
    registers: Sequence[int], lanes: Sequence[int], shape: Sequence[int]
) -> LinearLayout:
    columns = {"register": tuple(registers), "lane": tuple(lanes)}
    widths = {f"dim{d}": n.bit_length() - 1 for d, n in enumerate(shape)}
    return LinearLayout.of_columns(columns, widths)


def executed(found: Reduction) -> list[list[Tree]]:
    """What each lane's registers hold after the steps."""
    held: list[list[Tree]] = [
        [
            tuple(found.operand.apply({"register": register, "lane": lane}).values())
            for register in range(found.operand.in_dim_size("register"))
        ]
        for lane in range(LANES)
    ]
    for step in found.steps:
        match step:
            case Pairs(bit):
                held = [
                    [both(x, y) for x, y in zip(*split(own, bit), strict=True)] for own in held
                ]
            case Butterfly(lanes):
                for lane in lanes:
                    held = [
                        [both(x, y) for x, y in zip(own, held[i ^ 1 << lane], strict=True)]
                        for i, own in enumerate(held)
                    ]
            case Merge(lane, bit):
                sides = [split(own, bit) for own in held]
                held = [
                    [
                        both(x, y)
                        for x, y in zip(
                            sides[i][i >> lane & 1], sides[i ^ 1 << lane][i >> lane & 1],
                            strict=True,
                        )
                    ]
                    for i in range(LANES)
                ]  # fmt: skip
    return held


def split(own: Sequence[Tree], bit: int) -> tuple[list[Tree], list[Tree]]:
    lower = [value for register, value in enumerate(own) if not register >> bit & 1]
    upper = [value for register, value in enumerate(own) if register >> bit & 1]
    return lower, upper


def expected(shape: Sequence[int], dimensions: Sequence[int], at: Sequence[int]) -> Tree:
    """The tree of one element of the result."""
    rest = iter(at)
    kept = [None if d in dimensions else next(rest) for d in range(len(shape))]

    def of(place: list[int], dimension: int) -> Tree:
        """The reduction of the dimensions up to this one, at the places of the others."""
        if dimension < 0:
            return tuple(place)
        if dimension not in dimensions:
            return of(place, dimension - 1)
        return halved(
            [
                of([*place[:dimension], i, *place[dimension + 1 :]], dimension - 1)
                for i in range(shape[dimension])
            ],
            both,
        )

    return of([0 if k is None else k for k in kept], len(shape) - 1)


UNSHARED = XE._replace(slice_bytes=0)
"""Of a subgroup without shared memory."""


def check(
    shape: Sequence[int],
    dimensions: tuple[int, ...],
    source: LinearLayout,
    wanted: LinearLayout | None,
    prices: Prices = XE,
) -> Reduction:
    relation = relation_of(shape, dimensions)
    found = reduction(relation, source, wanted, dimensions, 32, prices, in_order=True)
    held = executed(found)
    for lane, register in product(range(LANES), range(found.result.in_dim_size("register"))):
        at = tuple(found.result.apply({"register": register, "lane": lane}).values())
        assert held[lane][register] == expected(shape, dimensions, at)
    return found


def rows(shape: Sequence[int]) -> LinearLayout:
    """Columns in lanes, rows in registers; of an 8x16 row 1 is column 1, and column 1 is column 8."""
    bits = sum(n.bit_length() - 1 for n in shape)
    down = shape[0].bit_length() - 1
    across = [1 << bit for bit in range(down, bits)]
    lanes = [*across[:4], *[0] * (4 - len(across[:4]))]
    return layout([1 << bit for bit in range(down)] + across[4:], lanes, shape)


@pytest.mark.parametrize(
    "shape", [(1, 16), (8, 16), (32, 16), (8, 8), (16, 32), (4, 64)], ids=str
)
@pytest.mark.parametrize("dimensions", [(0,), (1,), (0, 1)], ids=str)
def test_rows_in_registers(shape: tuple[int, int], dimensions: tuple[int, ...]) -> None:
    kept = [n for d, n in enumerate(shape) if d not in dimensions]
    wanted = replicated(kept, LANES) if dimensions == (1,) else None
    check(shape, dimensions, rows(shape), wanted)


def test_rows_are_put_into_lanes_from_the_highest_bit() -> None:
    """Eight rows: three merges by lanes 8, 4 and 2 apart, and an exchange with the neighbour."""
    wanted = layout([], [0, 1, 2, 4], [8])
    found = check((8, 16), (1,), rows((8, 16)), wanted, UNSHARED)
    assert [type(step) for step in found.steps] == [Merge, Merge, Merge, Butterfly]
    assert found.result == wanted
    lanes = [step.lane for step in found.steps if isinstance(step, Merge)]
    assert lanes == [3, 2, 1]


def test_rows_that_all_lanes_want_are_exchanged_whole() -> None:
    """Which IGC puts together itself: 40 instructions for 8 rows."""
    found = check((8, 16), (1,), rows((8, 16)), replicated([8], LANES), UNSHARED)
    assert found.steps == (Butterfly((3, 2, 1, 0)),)
    assert found.price == 40


def test_rows_go_to_lanes_through_shared_memory_where_the_subgroup_has_some() -> None:
    """A message each way for 8 registers, then pairs of registers, and whatever order the sum asks for."""
    wanted = layout([], [0, 1, 2, 4], [8])
    found = check((8, 16), (1,), rows((8, 16)), wanted)
    assert found.operand.in_columns["lane"] == (0, 1, 2, 4)
    assert found.steps == (Pairs(3), Pairs(2), Pairs(1), Pairs(0))
    assert found.result == wanted
    assert found.price < check((8, 16), (1,), rows((8, 16)), wanted, UNSHARED).price


def test_half_of_a_row_for_each_lane_where_the_order_is_free() -> None:
    """No lane repeats another's work: the highest bit of the column is the lowest of the lane."""
    found = reduction(
        relation_of((8, 16), (1,)),
        rows((8, 16)),
        layout([], [0, 1, 2, 4], [8]),
        (1,),
        32,
        XE,
        in_order=False,
    )
    assert found.operand.in_columns["lane"] == (64, 1, 2, 4)
    assert found.steps == (Pairs(2), Pairs(1), Pairs(0), Butterfly((0,)))


@pytest.mark.parametrize(("bits", "registers"), [(8, 1), (16, 1), (32, 1), (64, 2)])
def test_the_price_counts_registers(bits: int, registers: int) -> None:
    shape, dimensions = (8, 16), (1,)
    wanted = layout([], [0, 1, 2, 4], [8])
    relation = relation_of(shape, dimensions)

    def price(bits: int) -> float:
        found = reduction(
            relation, rows(shape), wanted, dimensions, bits, UNSHARED, in_order=True
        )
        return found.price

    assert price(bits) == registers * price(32) > 0


def test_what_has_rows_in_lanes_already_stays() -> None:
    source = layout([8, 16, 32, 64], [0, 1, 2, 4], [8, 16])
    assert check((8, 16), (1,), source, layout([], [0, 1, 2, 4], [8])).operand == source


def test_low_bits_in_registers_come_last() -> None:
    """Pairs of columns in a register: each register's exchange is first."""
    shape = (4, 32)
    source = layout([4, 1, 2], [8, 16, 32, 64], shape)
    found = check(shape, (1,), source, replicated([4], LANES))
    assert found.steps == (Butterfly((3, 2, 1, 0)), Pairs(0))
    free = reduction(
        relation_of(shape, (1,)), source, replicated([4], LANES), (1,), 32, XE, in_order=False
    )
    assert free.steps[0] == Pairs(0)
    assert free.price < found.price


@pytest.mark.parametrize("seed", range(60))
def test_drawn_layouts(seed: int) -> None:
    """Bits of elements anywhere in lanes and registers, some columns the sum of others, some lanes alike."""
    random = numpy.random.default_rng(seed)
    shape = tuple(int(n) for n in 2 ** random.integers(0, 5, 2))
    bits = sum(n.bit_length() - 1 for n in shape)
    columns = [1 << int(bit) for bit in random.permutation(bits)]
    if seed % 4 == 0 and bits > 1:
        columns[0] ^= columns[1]
    places = [int(i) for i in random.permutation(4)[: min(4, bits)]]
    lanes = [0] * 4
    for place in places:
        lanes[place] = columns.pop()
    source = layout(columns, lanes, shape)
    for dimensions in ((0,), (1,), (0, 1)):
        kept = [n for d, n in enumerate(shape) if d not in dimensions]
        left = sum(n.bit_length() - 1 for n in kept)
        order = [1 << int(bit) for bit in random.permutation(left)]
        goal = layout(order[2:], [*order[:2], *[0] * (4 - len(order[:2]))][::-1], kept)
        check(shape, dimensions, source, goal if kept else None)
