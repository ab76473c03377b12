"""Which registers go together, from which alignment, and at which price."""

from collections.abc import Sequence

import pytest

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.planning.xe.register_layouts.element_places import PlaceAnalysis
from xetile.planning.xe.register_layouts.lane_messages import (
    LaneMessage,
    LanePlan,
    access,
    lane_messages,
)
from xetile.planning.xe.register_layouts.places import ONE, Places, Swizzle, Term
from xetile.targets.xe.devices import DEVICES

BMG = next(device for device in DEVICES if device.name == "bmg")
ROWS = LinearLayout.of_columns(
    {"register": (16, 32, 64), "lane": (1, 2, 4, 8)}, {"dim0": 4, "dim1": 3}
)
"""16x8: rows in lanes."""
COLUMNS = LinearLayout.of_columns(
    {"register": (1, 2, 4), "lane": (8, 16, 32, 64)}, {"dim0": 3, "dim1": 4}
)
"""8x16: columns in lanes."""


def plan(
    places: Places,
    layout: LinearLayout,
    *,
    bits: int = 32,
    alignment: int = 4,
    is_shared: bool = False,
    masked: int | None = None,
) -> LanePlan:
    known = access(
        PlaceAnalysis({}),
        places,
        bits,
        alignment=alignment,
        is_shared=is_shared,
        masked=masked,
    )
    return lane_messages(known, layout, BMG.prices, BMG.shared_banks)


def linear(*weights: int) -> Places:
    return Places(len(weights), {ONE: Term(0, weights)})


ROW_MAJOR_16X8 = linear(8, 16, 32, 64, 1, 2, 4)
ROW_MAJOR_8X16 = linear(16, 32, 64, 1, 2, 4, 8)


def test_neighbours_of_a_lane_are_one_message():
    (message,) = plan(ROW_MAJOR_16X8, ROWS).messages
    assert (message.form, message.registers, message.word_bits) == (
        "lanes",
        tuple(range(8)),
        32,
    )


def test_columns_of_global_memory_are_messages_of_one_word():
    found = plan(ROW_MAJOR_8X16, COLUMNS).messages
    assert [message.registers for message in found] == [(n,) for n in range(8)]


def test_columns_of_shared_memory_are_a_block():
    (message,) = plan(ROW_MAJOR_8X16, COLUMNS, alignment=64, is_shared=True).messages
    assert (message.form, message.registers) == ("block", tuple(range(8)))
    assert (
        plan(ROW_MAJOR_8X16, COLUMNS, alignment=8, is_shared=True).messages[0].form == "lanes"
    )


@pytest.mark.parametrize(("alignment", "words"), [(2, 8), (4, 1), (64, 1)])
def test_narrow_neighbours_share_words_where_these_are_aligned(alignment: int, words: int):
    found = plan(ROW_MAJOR_16X8, ROWS, bits=16, alignment=alignment).messages
    assert len(found) == words


def test_masks_part_what_they_tell_apart():
    by_row = plan(ROW_MAJOR_16X8, ROWS, masked=0b1111)
    assert [message.masked for message in by_row.messages] == [0]
    by_pair = plan(ROW_MAJOR_16X8, ROWS, masked=0b1100000)
    assert [message.registers for message in by_pair.messages] == [
        (0, 1),
        (2, 3),
        (4, 5),
        (6, 7),
    ]
    assert [message.masked for message in by_pair.messages] == [0, 2, 4, 6]


def test_what_is_unknown_has_an_address_of_its_own():
    chunks = Places(7, {ONE: Term(0, (0, 0, 0, 0, 1, 2, 4))}, None, 0b1111)
    assert len(plan(chunks, ROWS).messages) == 1
    assert len(plan(Places(7, {}, None, 127), ROWS).messages) == 8


def test_repeated_elements_are_moved_once():
    repeated = LinearLayout.of_columns(
        {"register": (16, 0), "lane": (1, 2, 4, 8)}, {"dim0": 4, "dim1": 1}
    )
    found = plan(linear(2, 4, 8, 16, 1), repeated)
    assert [message.registers for message in found.messages] == [(0, 1)]
    assert found.places == (0, 1, 0, 1)


def test_conflicts_are_counted_and_cost():
    far = linear(32, 64, 128, 256, 1, 2, 4)
    (message,) = plan(far, ROWS, alignment=64, is_shared=True).messages
    assert message.conflicts > 0
    swizzled = Places(7, {}, Swizzle((), 0, (16, 32, 64, 1, 2, 4, 8)))
    blocks = plan(swizzled, COLUMNS, alignment=64, is_shared=True)
    assert [message.conflicts for message in blocks.messages] == [0]
    assert blocks.price < plan(far, ROWS, alignment=64, is_shared=True).price


def coordinate(columns: Sequence[int], number: int) -> int:
    found = 0
    for bit, column in enumerate(columns):
        if number >> bit & 1:
            found ^= column
    return found


def address(places: Places, at: int) -> int:
    """Where an element lies, of places without scalars."""
    number, weights = places.terms.get(ONE, Term(0, (0,) * places.width))
    total = number + sum(weight for bit, weight in enumerate(weights) if at >> bit & 1)
    if places.swizzle is not None:
        total += places.swizzle.number ^ coordinate(places.swizzle.columns, at)
    return total


def addresses(message: LaneMessage, lanes: int) -> list[int]:
    """Of the first element of each lane."""
    found = [message.offset] * lanes
    for product, number, own in message.part.steps:
        assert product == ONE
        found = [at + number + more for at, more in zip(found, own, strict=True)]
    if (twist := message.part.twist) is not None:
        found = [at + (twist.number ^ own) for at, own in zip(found, twist.lanes, strict=True)]
    return found


LANES = (1, 2, 4, 8)
SHARING: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((16, 32, 64), LANES),
    ((17, 32, 64), LANES),
    ((17, 34, 64), LANES),
    ((19, 40, 64), LANES),
    ((16, 32, 64), (17, 2, 36, 8)),
    ((17, 32, 65), (1, 18, 4, 8)),
    ((1, 2, 4), (8, 24, 32, 96)),
]
"""Columns of registers and of lanes; from the second on both set some bits of the coordinates."""


@pytest.mark.parametrize("columns", SHARING)
@pytest.mark.parametrize(
    "places",
    [
        linear(8, 16, 32, 64, 1, 2, 4),
        linear(1, 2, 4, 8, 16, 32, 64),
        linear(3, -5, 7, 100, 1, 2, 4),
        Places(7, {ONE: Term(12, (8, 16, 32, 64, 1, 2, 4))}),
        Places(7, {}, Swizzle((), 0, (9, 18, 36, 64, 1, 2, 4))),
        Places(7, {}, Swizzle((), 5, (16, 32, 64, 9, 1, 2, 4))),
        Places(
            7,
            {ONE: Term(3, (0, 0, 0, 0, 0, 0, 1000))},
            Swizzle((), 5, (9, 18, 36, 64, 1, 2, 0)),
        ),
    ],
)
def test_each_element_is_where_its_message_says(
    columns: tuple[tuple[int, ...], tuple[int, ...]], places: Places
) -> None:
    registers, lanes = columns
    layout = LinearLayout.of_columns(
        {"register": registers, "lane": lanes}, {"dim0": 4, "dim1": 3}
    )
    found = plan(places, layout)
    moved = [register for message in found.messages for register in message.registers]
    assert sorted(moved) == list(range(8))
    for message in found.messages:
        assert message.form == "lanes"
        for lane, first in enumerate(addresses(message, 16)):
            for place, register in enumerate(message.registers):
                at = coordinate(registers, register) ^ coordinate(lanes, lane)
                assert first + place == address(places, at), (message, lane, register)


@pytest.mark.parametrize("bits", [8, 16])
def test_elements_at_unknown_places_are_words_of_their_own(bits: int) -> None:
    """Neighbours may begin at an odd address, however the base is aligned."""
    chunks = Places(7, {ONE: Term(0, (0, 0, 0, 0, 1, 2, 4))}, None, 0b1111)
    for message in plan(chunks, ROWS, bits=bits, alignment=64).messages:
        assert (message.word_bits, message.alignment) == (bits, bits // 8)


@pytest.mark.parametrize(
    "places, alignment",
    [
        (Places(7, {ONE: Term(0, (8, 16, 32, 64, 1, 2, 4))}), 64),
        (Places(7, {ONE: Term(4, (8, 16, 32, 64, 1, 2, 4))}), 8),
        (Places(7, {ONE: Term(0, (12, 24, 48, 96, 1, 2, 4))}), 64),
        (Places(7, {ONE: Term(1, (8, 16, 32, 64, 1, 2, 4))}), 2),
        (Places(7, {}, Swizzle((), 0, (24, 16, 32, 64, 1, 2, 4))), 16),
    ],
)
def test_the_alignment_of_a_message_divides_the_addresses(
    places: Places, alignment: int
) -> None:
    first = plan(places, ROWS, bits=16, alignment=64).messages[0]
    for message in plan(places, ROWS, bits=16, alignment=64).messages:
        starts = [2 * at for at in addresses(message, 16)]
        assert all(start % message.alignment == 0 for start in starts), message
    assert first.alignment <= alignment
