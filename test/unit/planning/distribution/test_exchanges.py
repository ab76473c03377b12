"""Plans of exchanges: no conflicts, counted as layouts and addresses have them, and every element has one place."""

from dataclasses import fields
from itertools import product
from math import prod
from random import Random

import pytest

from xetile.layout.algebra.block_grids import Distribution, is_power_of_two
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.step_prices import Prices
from xetile.layout.exchange.swizzling import bank_conflicts_of_offsets
from xetile.planning.distribution.exchanges import Exchange, planned_exchange
from xetile.planning.distribution.shared_messages import (
    Memory,
    Role,
    Side,
    conflicts,
    predicted_cell,
    side,
)
from xetile.planning.planner import Cell
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

DEVICE = find("bmg")


class FourWords(XeDevice):
    """A device whose lanes move at most four words in a message."""

    @property
    def prices(self) -> Prices:
        return super().prices._replace(lane_words=4, lane_bytes=16)


WORD_BITS = 32


def legal_units(extent: int, subgroups: int) -> list[int]:
    return [
        unit
        for unit in range(1, extent + 1)
        if extent % unit == 0
        and (extent // unit % subgroups == 0 or subgroups % (extent // unit) == 0)
    ]


def random_distribution(random: Random, shape: tuple[int, ...], count: int) -> Distribution:
    rows = random.choice([n for n in range(1, count + 1) if count % n == 0])
    grid = (rows, count // rows)
    unit = [random.choice(legal_units(n, g)) for n, g in zip(shape, grid, strict=True)]
    return Distribution(shape, unit, grid)


def random_exchange(seed: int) -> tuple[Exchange, Role]:
    """Any distributions of 2 to 32 subgroups, elements of 1 to 8 bytes."""
    random = Random(seed)
    shape = random.choice(
        [(64, 64), (32, 128), (64, 16), (16, 8), (48, 96), (24, 40), (64, 1)]
    )
    count = random.choice([2, 3, 4, 6, 8, 12, 16, 32])
    turned = random.random() < 0.5
    bits = random.choice([8, 16, 32, 64])
    role: Role = random.choice(["a", "b", "rows", None])
    source = random_distribution(random, shape, count)
    target = random_distribution(random, shape[::-1] if turned else shape, count)
    made = planned_exchange(
        source, target, bits, shape, turned=turned, role=role, device=DEVICE, limit=1 << 16
    )
    return made, role


def offset_of(memory: Memory, row: int, column: int) -> int:
    """Where an element lies, by looking for it."""
    if memory.swizzle is None:
        return row * memory.strides[0] + column * memory.strides[1]
    for offset in range(prod(memory.shape)):
        place = (0, 0)
        for bit, vector in enumerate(memory.swizzle):
            if offset >> bit & 1:
                place = (place[0] ^ vector[0], place[1] ^ vector[1])
        if place == (row, column):
            return offset
    raise AssertionError(f"({row}, {column}) lies nowhere")


def in_cell(places: tuple[tuple[int, int], ...], number: int) -> tuple[int, int]:
    found = (0, 0)
    for bit, place in enumerate(places):
        if number >> bit & 1:
            found = (found[0] + place[0], found[1] + place[1])
    return found


@pytest.mark.parametrize("seed", range(100))
def test_no_exchange_has_conflicts(seed: int) -> None:
    made, _ = random_exchange(seed)
    assert (made.stored.conflicts, made.loaded.conflicts) == (0, 0), made


@pytest.mark.parametrize("seed", range(40))
def test_each_element_has_a_place(seed: int) -> None:
    made, _ = random_exchange(seed)
    memory = made.memory
    assert made.bytes * 8 == memory.elements * made.bits
    if memory.swizzle is not None:
        columns = [row << 20 | column for row, column in memory.swizzle]
        spanned = {0}
        for column in columns:
            spanned |= {c ^ column for c in spanned}
        assert spanned == {r << 20 | c for r, c in product(*map(range, memory.shape))}
        return
    places = {offset_of(memory, *place) for place in product(*map(range, memory.shape))}
    assert len(places) == prod(memory.shape)
    assert max(places) < memory.elements


@pytest.mark.parametrize("seed", range(30))
def test_conflicts_are_those_of_the_addresses(seed: int) -> None:
    """Each message of the first unit's cell, looked up element by element."""
    made, role = random_exchange(seed)
    stored = predicted_cell(pair(made.source.unit), made.bits, None, DEVICE)
    loaded = predicted_cell(pair(made.target.unit), made.bits, role, DEVICE)
    if made.turned:
        loaded = loaded.turned()
    for cell, found in ((stored, made.stored), (loaded, made.loaded)):
        assert by_addresses(cell, found, made) == found.conflicts


def pair(extents: tuple[int, ...]) -> tuple[int, int]:
    return extents[0], extents[1]


def by_addresses(cell: Cell, found: Side, made: Exchange) -> int:
    registers = range(1 << len(cell.registers))
    places = {
        (register, lane): offset_of(
            made.memory,
            *(
                sum(part)
                for part in zip(
                    in_cell(cell.registers, register), in_cell(cell.lanes, lane), strict=True
                )
            ),
        )
        for register in registers
        for lane in range(DEVICE.lanes)
    }
    if found.form == "block":
        return 0
    elements = max(1, found.vector_bits // made.bits)
    worst = 0
    first = {places[register, 0]: register for register in registers}
    for offset, register in first.items():
        if offset % elements == 0 and all(offset + n in first for n in range(elements)):
            starts = [places[register, lane] * made.bits for lane in range(DEVICE.lanes)]
            worst = max(worst, conflicts(starts, elements * made.bits, DEVICE.shared_banks))
    return worst


@pytest.mark.parametrize("seed", range(100, 160))
def test_conflicts_are_those_of_layouts(seed: int) -> None:
    """The same count as `bank_conflicts_of_offsets`, whose messages have at most 128 bits."""
    made, role = random_exchange(seed)
    memory = made.memory
    if not all(map(is_power_of_two, memory.shape)):
        return
    device = FourWords(**{field.name: getattr(DEVICE, field.name) for field in fields(DEVICE)})
    width = memory.shape[1].bit_length() - 1
    count = width + memory.shape[0].bit_length() - 1
    bases = [1 << bit for bit in range(count)]
    Random(seed).shuffle(bases)
    swizzle = tuple([(base >> width, base & (1 << width) - 1) for base in bases])
    shuffled = Memory(memory.shape, memory.strides, swizzle)
    cell = predicted_cell(pair(made.target.unit), made.bits, role, device)
    cell = cell.turned() if made.turned else cell
    found = side(cell, 1, shuffled, made.bits, device)
    if found.form == "block":
        return
    outs = {"dim0": memory.shape[0], "dim1": memory.shape[1]}
    registers = LinearLayout.from_bases(
        {"register": cell.registers, "lane": cell.lanes}, outs, require_surjective=False
    )
    offsets = LinearLayout.from_bases({"offset": swizzle}, outs)
    expected = bank_conflicts_of_offsets(
        registers, offsets, made.bits, banks=device.shared_banks
    )
    assert found.conflicts == expected


def test_rows_and_columns_of_lanes() -> None:
    """A single column has its rows in lanes, and what is reduced row by row too: then two columns side by side."""
    cell = predicted_cell((32, 1), 32, None, DEVICE)
    assert cell == Cell((8, 1), (), ((1, 0), (2, 0), (4, 0), (0, 0)))
    found = side(cell, 4, Memory((32, 4), (1, 32)), 32, DEVICE)
    assert (found.form, found.messages, found.conflicts) == ("lanes", 4, 0)
    cell = predicted_cell((32, 4), 32, "rows", DEVICE)
    assert cell == Cell((8, 4), ((0, 2),), ((1, 0), (2, 0), (4, 0), (0, 1)))
    assert side(cell, 4, Memory((32, 4), (1, 32)), 32, DEVICE).conflicts == 1
    ordered = ((1, 0), (2, 0), (4, 0), (0, 1), (0, 2), (8, 0), (16, 0))
    found = side(cell, 4, Memory((32, 4), (4, 1), ordered), 32, DEVICE)
    assert (found.form, found.words, found.messages, found.conflicts) == ("block", 2, 4, 0)


def test_operands_are_loaded_as_products_take_them() -> None:
    assert predicted_cell((32, 64), 8, "a", DEVICE).lanes == ((0, 2), (0, 4), (0, 8), (0, 16))
    assert predicted_cell((24, 8), 32, "a", DEVICE).lanes[3] == (1, 0)
    # no whole operand
    assert predicted_cell((8, 8), 8, "a", DEVICE) == predicted_cell((8, 8), 8, None, DEVICE)


def test_a_row_of_which_both_strides_are_one_is_whole() -> None:
    assert Memory((1, 48), (1, 1)).extents == (1, 48)
    assert Memory((48, 1), (1, 1)).extents == (48, 1)
    assert Memory((1, 48), (56, 1)).extents == (1, 56)
