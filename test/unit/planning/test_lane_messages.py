"""Which registers go together, from which alignment, and at which price."""

import pytest

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.planning.element_places import PlaceAnalysis
from xetile.planning.lane_messages import LanePlan, access, lane_messages
from xetile.planning.places import ONE, Places, Swizzle, Term
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
