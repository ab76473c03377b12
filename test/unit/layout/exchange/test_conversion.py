"""Conversions between register layouts: every plan is played through, and no plan could shuffle less."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.exchange.conversion import Conversion, classify, plan_conversion

identity = LinearLayout.identity_1d
Held = list[list[int]]


def register_layout(
    registers: list[int], lanes: list[int], bits: int, warps: list[int] | None = None
) -> LinearLayout:
    """A layout of 2^bits elements with these bases."""
    parts = {"register": registers, "lane": lanes, "warp": warps or []}
    return LinearLayout.from_bases(
        {name: [(column,) for column in columns] for name, columns in parts.items()},
        {"x": 1 << bits},
    )


def held_by(layout: LinearLayout) -> Held:
    """The element in each lane's registers of the first subgroup."""
    return [
        [
            layout.apply({"register": register, "lane": lane, "warp": 0})["x"]
            for register in range(layout.in_dim_size("register"))
        ]
        for lane in range(layout.in_dim_size("lane"))
    ]


def played(plan: Conversion, before: Held) -> Held:
    if plan.kind == "none":
        return before
    if plan.registers is not None:
        return [[registers[source] for source in plan.registers] for registers in before]
    assert plan.lanes is not None
    return plan.lanes.apply(before)


def from_elsewhere(source: LinearLayout, target: LinearLayout) -> int:
    """The most elements that a lane needs and does not have: no plan has fewer shuffles."""
    return max(
        len(set(new) - set(old))
        for old, new in zip(held_by(source), held_by(target), strict=True)
    )


def invertible(bits: int) -> Iterator[list[int]]:
    """All lists of independent columns."""

    def extended(columns: list[int], span: set[int]) -> Iterator[list[int]]:
        if len(columns) == bits:
            yield columns
            return
        for column in range(1, 1 << bits):
            if column not in span:
                yield from extended(
                    [*columns, column], span | {column ^ other for other in span}
                )

    return extended([], {0})


@pytest.mark.parametrize("registers", [0, 1, 2, 3])
def test_every_exchange_of_three_bits(registers: int) -> None:
    """All 168 targets of 8 elements, however the bits are divided between registers and lanes."""
    source = register_layout([1, 2, 4][:registers], [1, 2, 4][registers:], 3)
    for columns in invertible(3):
        target = register_layout(columns[:registers], columns[registers:], 3)
        plan = plan_conversion(source, target, 32)
        assert played(plan, held_by(source)) == held_by(target)
        shuffles = 0 if plan.lanes is None else plan.lanes.shuffles
        assert shuffles == from_elsewhere(source, target)


def random_columns(random: Random, bits: int, mixed: int) -> list[int]:
    """A permutation of unit vectors, some of them added to one another."""
    columns = [1 << bit for bit in random.sample(range(bits), bits)]
    for _ in range(mixed):
        a, b = random.sample(range(bits), 2)
        columns[a] ^= columns[b]
    return columns


def test_random_exchanges_of_subgroups() -> None:
    random = Random(1)
    kinds: set[str] = set()
    for _ in range(400):
        registers, lanes = random.randrange(6), random.choice((4, 5))
        bits = registers + lanes
        mixed = random.choice((0, 0, 1, 9))
        source, target = (
            register_layout(columns[:registers], columns[registers:], bits)
            for columns in (random_columns(random, bits, mixed) for _ in range(2))
        )
        plan = plan_conversion(source, target, 32)
        kinds.add(plan.kind)
        assert plan.kind == classify(source, target)
        assert played(plan, held_by(source)) == held_by(target)
        if plan.lanes is not None:
            assert plan.lanes.shuffles == from_elsewhere(source, target)
    assert kinds >= {"lanes"}


def test_random_exchanges_with_repeated_elements() -> None:
    """Zero bases and sums of bases on both sides, different numbers of registers."""
    random = Random(2)
    for _ in range(500):
        lanes = 4
        bits = random.randrange(1, 7)
        sides: list[LinearLayout] = []
        for _ in range(2):
            columns = random_columns(random, bits, random.choice((0, 2))) if bits > 1 else [1]
            zeros = random.randrange(max(0, lanes - bits), lanes + 1)
            columns += [
                random.choice((0, 0, random.randrange(1 << bits))) for _ in range(zeros)
            ]
            random.shuffle(columns)
            sides.append(register_layout(columns[lanes:], columns[:lanes], bits))
        source, target = sides
        plan = plan_conversion(source, target, 16)
        assert plan.kind != "shared"
        assert played(plan, held_by(source)) == held_by(target)
        shuffles = 0 if plan.lanes is None else plan.lanes.shuffles
        assert shuffles == from_elsewhere(source, target)


def test_exchange_of_a_register_and_a_lane_bit() -> None:
    """One mixed transposition and R registers: R / 2 shuffles and 2 R selections (Linear Layouts, Triton #7558)."""
    source = register_layout([1, 2, 4], [8, 16, 32, 64], 7)
    target = register_layout([8, 2, 4], [1, 16, 32, 64], 7)
    plan = plan_conversion(source, target, 32).lanes
    assert plan is not None
    assert (plan.shuffles, plan.selects) == (4, 16)
    assert [plan.messages(bits) for bits in (8, 16, 32, 64)] == [1, 2, 4, 8]


def test_two_mixed_transpositions() -> None:
    source = register_layout([1, 2, 4], [8, 16, 32, 64], 7)
    target = register_layout([8, 16, 4], [1, 2, 32, 64], 7)
    plan = plan_conversion(source, target, 16).lanes
    assert plan is not None
    assert (plan.shuffles, plan.selects) == (6, 32)
    assert [plan.messages(bits) for bits in (8, 16, 32)] == [3, 3, 6]


def test_lanes_that_change_places_need_every_register() -> None:
    source = register_layout([1, 2], [4, 8, 16], 5)
    swapped = plan_conversion(source, register_layout([1, 2], [8, 4, 16], 5), 32).lanes
    assert swapped is not None
    assert (swapped.shuffles, swapped.selects, swapped.messages(16)) == (4, 0, 2)
    cycle = plan_conversion(source, register_layout([4, 2], [8, 1, 16], 5), 32).lanes
    assert cycle is not None
    assert cycle.shuffles == 4


def test_kinds() -> None:
    source = register_layout([1, 2], [4, 8], 6, [16, 32])
    assert plan_conversion(source, source, 16) == Conversion("none")
    moved = plan_conversion(source, register_layout([2, 1], [4, 8], 6, [16, 32]), 16)
    assert moved == Conversion("registers", registers=(0, 2, 1, 3))
    assert classify(source, register_layout([4, 2], [1, 8], 6, [16, 32])) == "lanes"
    assert classify(source, register_layout([1, 2], [4, 8], 6, [32, 16])) == "shared"
    assert classify(source, register_layout([16, 2], [4, 8], 6, [1, 32])) == "shared"


def test_copies_in_registers() -> None:
    source = register_layout([1, 2], [4, 8], 4)
    fewer = register_layout([1, 2], [4, 8], 4)
    more = register_layout([0, 2, 1, 3], [4, 8], 4)
    assert plan_conversion(fewer, more, 32).registers == tuple(
        more.apply({"register": r, "lane": 0, "warp": 0})["x"] for r in range(16)
    )
    assert plan_conversion(more, source, 32).registers == (0, 4, 2, 6)


def test_a_lane_with_its_own_copy_asks_no_other() -> None:
    """Every lane of the source holds both halves; the target's lanes take one each from their own registers."""
    source = register_layout([1], [0, 2], 2)
    target = register_layout([], [1, 2], 2)
    plan = plan_conversion(source, target, 32).lanes
    assert plan is not None
    assert plan.shuffles == 0
    assert plan.apply(held_by(source)) == held_by(target)


def test_through_shared_memory() -> None:
    source = register_layout([1, 2, 4], [8 << i for i in range(5)], 10, [256, 512])
    target = register_layout([128, 256, 512], [4 << i for i in range(5)], 10, [1, 2])
    plan = plan_conversion(source, target, 16)
    assert (plan.kind, plan.registers, plan.lanes) == ("shared", None, None)
    shared = plan.shared
    assert shared is not None
    assert shared.conflicts == (0, 0)
    assert shared.bytes == 1024 * 2
    assert shared.vector * 16 >= 32
    assert shared.layout.is_invertible()
    repeated = register_layout([1, 2, 4, 1024], [8 << i for i in range(5)], 11, [256, 512])
    other = register_layout([1, 2, 4, 1024], [512 >> i for i in range(5)], 11, [16, 8])
    twice = plan_conversion(repeated, other, 16).shared
    assert twice is not None
    assert (twice.repetitions, twice.bytes) == (2, 2048)


def test_refused() -> None:
    source = register_layout([1], [2], 2)
    for target, message in (
        (register_layout([1, 4], [2], 3), "layouts of different tensors"),
        (register_layout([1], [2, 0], 2), "layouts of different hardware"),
        (
            identity(2, "register", "x") * identity(2, "warp", "x"),
            "the target layout needs in-dims 'register' and 'lane'",
        ),
        (source.resize_in_dim("register", 1), "the target layout does not hold every element"),
    ):
        with pytest.raises(LayoutError, match=message):
            plan_conversion(source, target, 16)
    parts = [("register", "lane", "block"), ("block", "lane", "register")]
    ours, theirs = (
        identity(2, a, "x") * identity(2, b, "x") * identity(2, c, "x") for a, b, c in parts
    )
    assert classify(ours, theirs) == "workgroups"
    with pytest.raises(LayoutError, match="workgroups hold different elements"):
        plan_conversion(ours, theirs, 16)


def test_dims_in_another_order_are_the_same_tensor() -> None:
    source = identity(4, "register", "dim0") * identity(4, "lane", "dim1")
    assert plan_conversion(source, source.transpose_outs(["dim1", "dim0"]), 16).kind == "none"
    for lane, register in product(range(4), range(4)):
        assert source.apply({"register": register, "lane": lane}) == {
            "dim0": register,
            "dim1": lane,
        }
