"""Swizzled shared memory: Triton's recorded results, and conflicts counted by playing accesses through."""

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import cast

import pytest

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.exchange.banks import conflicts as conflicts_of_lanes
from xetile.layout.exchange.swizzling import (
    bank_conflicts,
    bank_conflicts_of_offsets,
    optimal_swizzling,
)
from xetile.layout.nvidia.shared_layouts import swizzled_shared_layout

FUNCTIONS: dict[str, Callable[..., object]] = {
    "optimalSwizzlingLdSt": lambda *args: optimal_swizzling(*args[:-1], banks=args[-1]),
    "bankConflictsLdSt": lambda *args: list(bank_conflicts(*args[:-1], banks=args[-1])),
    "bankConflictsMemDesc": lambda *args: bank_conflicts_of_offsets(
        *args[:-1], banks=args[-1]
    ),
}


def test_recorded_swizzling(
    recorded: Callable[[str, str], list[object]],
    recorded_layout: Callable[[Mapping[str, object]], LinearLayout],
) -> None:
    def read(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return recorded_layout(cast("Mapping[str, object]", value))

    ran: Counter[str] = Counter()
    for case in cast("list[dict[str, object]]", recorded("linear_layout_cases", "swizzling")):
        name = cast("str", case["fn"])
        arguments = [read(argument) for argument in cast("list[object]", case["args"])]
        assert FUNCTIONS[name](*arguments) == read(case["expected"]), case["test"]
        ran[name] += 1
    assert ran == {
        "optimalSwizzlingLdSt": 9,
        "bankConflictsLdSt": 9,
        "bankConflictsMemDesc": 19,
    }


def random_registers(random: Random, bits: int, registers: int, lanes: int) -> LinearLayout:
    """A tensor of 2^bits elements dealt out to registers, lanes and warps, bit by bit, in random order."""
    units = random.sample(range(bits), bits)
    bases = [(1 << bit, 0) if bit < bits // 2 else (0, 1 << bit - bits // 2) for bit in units]
    parts = {
        "register": bases[:registers],
        "lane": bases[registers : registers + lanes],
        "warp": bases[registers + lanes :],
        "block": [],
    }
    return LinearLayout.from_bases(
        parts, {"dim0": 1 << bits // 2, "dim1": 1 << bits - bits // 2}
    )


def played_conflicts(
    registers: LinearLayout, shared: LinearLayout, element_bits: int, banks: int
) -> int:
    """The most rows that lanes served together ask of one bank for, less one."""
    offset_of = shared.flatten_ins().invert()
    vector = shared.in_dim_size_log2("vector")
    row = vector + shared.in_dim_size_log2("bank")
    together = banks * 32 // (element_bits << vector)
    rows: dict[int, set[int]] = {}
    for lane in range(min(together, registers.in_dim_size("lane"))):
        at = registers.apply({"register": 0, "lane": lane, "warp": 0, "block": 0})
        offset = offset_of.apply(at)["vector"]
        rows.setdefault(offset >> vector & (1 << row - vector) - 1, set()).add(offset >> row)
    return max(map(len, rows.values())) - 1


@pytest.mark.parametrize("banks, lanes", [(32, 5), (16, 4)])
def test_random_conversions_are_free_of_conflicts(banks: int, lanes: int) -> None:
    random = Random(banks)
    for _ in range(300):
        bits = random.randrange(11, 15)
        registers = random.randrange(2, bits - lanes)
        element_bits = random.choice((8, 16, 32, 64))
        source, target = (random_registers(random, bits, registers, lanes) for _ in range(2))
        shared = optimal_swizzling(source, target, element_bits, banks=banks)
        assert shared.is_invertible()
        assert element_bits << shared.in_dim_size_log2("vector") >= 32
        counted = bank_conflicts(source, target, shared, element_bits, banks=banks)
        assert counted.store == played_conflicts(source, shared, element_bits, banks)
        assert counted.load == played_conflicts(target, shared, element_bits, banks)
        assert counted == (0, 0)


def test_repetitions_are_registers_of_both_sides() -> None:
    source = LinearLayout.from_bases(
        {
            "register": [(1,), (2,), (4,), (1024,)],
            "lane": [(8 << i,) for i in range(5)],
            "warp": [(256,), (512,)],
        },
        ["x"],
    )
    target = LinearLayout.from_bases(
        {
            "register": [(1,), (2,), (4,), (1024,)],
            "lane": [(512 >> i,) for i in range(5)],
            "warp": [(16,), (8,)],
        },
        ["x"],
    )
    shared = optimal_swizzling(source, target, 16)
    assert shared.bases["reps"] == [(1024,)]
    assert shared.bases["vector"] == [(1,), (2,), (4,)]


def test_bases_need_not_be_units() -> None:
    """Sums of coordinates as bases: the result is still a layout of the whole tensor, without conflicts."""
    source = LinearLayout.from_bases(
        {
            "register": [(3,), (2,), (4,)],
            "lane": [(8 << i,) for i in range(5)],
            "warp": [(256,)],
        },
        ["x"],
    )
    target = LinearLayout.from_bases(
        {
            "register": [(257,), (128,), (64,)],
            "lane": [(32 | 1,), (16,), (8,), (4,), (2,)],
            "warp": [(1,)],
        },
        ["x"],
    )
    shared = optimal_swizzling(source, target, 32)
    assert shared.is_invertible()
    assert bank_conflicts(source, target, shared, 32) == (0, 0)


@pytest.mark.parametrize("element_bits, vector", [(32, []), (16, [64]), (8, [64, 32])])
def test_a_bank_is_filled_with_warps_of_both_sides_first(
    element_bits: int, vector: list[int]
) -> None:
    """No register is shared: which lanes share a bank is left to bases that no lane of either side has."""
    source = LinearLayout.from_bases(
        {"lane": [(1 << i,) for i in range(5)], "warp": [(32,), (64,)]}, ["x"]
    )
    target = LinearLayout.from_bases(
        {"lane": [(2 << i,) for i in range(5)], "warp": [(64,), (1,)]}, ["x"]
    )
    shared = optimal_swizzling(source, target, element_bits)
    assert [basis for (basis,) in shared.bases["vector"]] == vector


def test_fewer_elements_than_banks() -> None:
    small = LinearLayout.from_bases(
        {"register": [(1,)], "lane": [(2,), (4,), (0,), (0,), (0,)]}, ["x"]
    )
    other = LinearLayout.from_bases(
        {"register": [(4,)], "lane": [(1,), (2,), (0,), (0,), (0,)]}, ["x"]
    )
    shared = optimal_swizzling(small, other, 32)
    assert shared.is_invertible()
    assert bank_conflicts(small, other, shared, 32) == (0, 0)


def words_asked_of_one_bank(registers: LinearLayout, offsets: LinearLayout, bits: int) -> int:
    """The most words that 32 lanes ask of one bank for, each one element, less one."""
    words: dict[int, set[int]] = {}
    for lane in range(32):
        at = registers.apply({"register": 0, "lane": lane, "warp": 0, "block": 0})
        word = offsets.apply(at)["offset"] * bits // 32
        words.setdefault(word % 32, set()).add(word)
    return max(map(len, words.values())) - 1


@pytest.mark.parametrize("element_bits", [8, 16, 32])
def test_conflicts_in_any_shared_layout(element_bits: int) -> None:
    """Single elements, of which several share a word of a bank: lanes that ask for one word do not conflict."""
    random = Random(element_bits)
    counts: set[int] = set()
    for _ in range(200):
        lanes, shared = random_registers(random, 10, 0, 5), random_registers(random, 10, 10, 0)
        mixed = shared.bases["register"]
        for _ in range(4):
            a, b = random.sample(range(10), 2)
            mixed[a] = (mixed[a][0] ^ mixed[b][0], mixed[a][1] ^ mixed[b][1])
        offsets = LinearLayout.from_bases({"offset": mixed, "block": []}, shared.out_dims)
        counted = bank_conflicts_of_offsets(lanes, offsets, element_bits)
        assert counted == words_asked_of_one_bank(lanes, offsets.invert(), element_bits)
        counts.add(counted)
    assert len(counts) > 3


def test_conflicts_of_what_is_no_pair() -> None:
    registers = random_registers(Random(1), 10, 2, 5)
    shared = swizzled_shared_layout((32, 32), 4, 1, 8, (1, 0))
    with pytest.raises(LayoutError, match=r"no in-dim 'vector'.*bank_conflicts_of_offsets"):
        bank_conflicts(registers, registers, shared, 32)
    with pytest.raises(LayoutError, match="no in-dim 'register'"):
        bank_conflicts_of_offsets(shared, registers, 32)
    with pytest.raises(LayoutError, match="no in-dim 'offset'"):
        bank_conflicts_of_offsets(registers, registers, 32)
    for bits, banks in ((0, 32), (12, 32), (32, 0), (32, 31)):
        with pytest.raises(LayoutError, match="must be powers of two"):
            bank_conflicts_of_offsets(registers, shared, bits, banks=banks)


def test_refused() -> None:
    whole = random_registers(Random(1), 11, 2, 5)
    with pytest.raises(LayoutError, match="layouts of different tensors"):
        optimal_swizzling(whole, random_registers(Random(1), 12, 2, 5), 16)
    part = whole.resize_in_dim("register", 1)
    with pytest.raises(LayoutError, match="the target layout does not hold every element"):
        optimal_swizzling(whole, part, 16)
    split = LinearLayout.identity_1d(2, "block", "x") * LinearLayout.identity_1d(
        2, "register", "x"
    )
    other = LinearLayout.identity_1d(2, "register", "x") * LinearLayout.identity_1d(
        2, "block", "x"
    )
    with pytest.raises(LayoutError, match="blocks hold different elements"):
        optimal_swizzling(split, other, 16)


def test_conflicts_of_an_exchange_count_words_and_not_parts_of_them() -> None:
    random = Random(16)
    met: Counter[tuple[int, int]] = Counter()
    for _ in range(400):
        element_bits = random.choice((8, 16, 32))
        bits = random.randrange(7, 11)
        source, target = (random_registers(random, bits, bits - 5, 5) for _ in range(2))
        shared = optimal_swizzling(source, target, element_bits)
        offsets = shared.flatten_ins().rename_in_dim("vector", "offset")
        # As many elements of a lane at once as a vector has.
        vector = shared.in_dim_size_log2("vector")
        found = bank_conflicts(source, target, shared, element_bits)
        for side, conflicts in zip((source, target), found, strict=True):
            lanes = side.invert_and_compose(offsets).in_columns["lane"]
            starts = [at >> vector << vector for at in f2.span(lanes)]
            access = element_bits << vector
            assert conflicts == conflicts_of_lanes(
                [at * element_bits for at in starts], access, 32
            )
            met[access, conflicts] += 1
    assert met[16, 1] > 3
    assert met[8, 1] > 0
