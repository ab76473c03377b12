"""Plans of conversions: each brings every element where it belongs, and costs what is measured."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from support.layouts import held_by, layout_of_columns, random_layout

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.exchange.plans import plan
from xetile.layout.exchange.steps import Select, Share, Shuffle
from xetile.targets.xe.device import LANES, SHARED_BLOCK_ALIGNMENT
from xetile.targets.xe.prices import XE

COLUMNS = [1, 2, 4, 8]
ROWS = [16, 32, 64, 128]
NOTHING = [0, 0, 0, 0]


def check(source: LinearLayout, target: LinearLayout, bits: int = 32) -> None:
    found = plan(source, target, bits, XE)
    assert found.apply(held_by(source)) == held_by(target)


def test_the_same_layout_costs_nothing() -> None:
    layout = layout_of_columns(ROWS, COLUMNS)
    assert plan(layout, layout, 32, XE).kind == "none"
    assert plan(layout, layout, 32, XE).price == 0


def test_registers_in_another_order_move_within_lanes() -> None:
    found = plan(
        layout_of_columns(ROWS, COLUMNS), layout_of_columns(ROWS[::-1], COLUMNS), 32, XE
    )
    assert (found.kind, found.price) == ("registers", 0)


def test_a_replicated_source_is_taken_where_it_is() -> None:
    found = plan(
        layout_of_columns([1, 2, 4], NOTHING), layout_of_columns([4, 2, 1], NOTHING), 32, XE
    )
    assert found.kind == "registers"


def test_rows_in_lanes_are_broadcast_one_by_one() -> None:
    source, target = layout_of_columns([], [1, 2, 4, 0]), layout_of_columns([1, 2, 4], NOTHING)
    found = plan(source, target, 32, XE)
    assert found.kind == "uniform shuffles"
    assert found.price == 8 * XE.broadcast
    assert found.steps == (Shuffle((0,) * 8, tuple(range(8)), (0, 0, 0, 0)),)
    check(source, target)


def test_rows_that_all_lanes_have_go_to_lanes_by_choices_alone() -> None:
    source, target = layout_of_columns([1, 2, 4], NOTHING), layout_of_columns([], [1, 2, 4, 0])
    found = plan(source, target, 32, XE)
    assert [type(step) for step in found.steps] == [Select] * 3
    assert sum(len(step.even) for step in found.steps if isinstance(step, Select)) == 7
    check(source, target)


def test_a_transpose_goes_through_shared_memory_in_wide_messages() -> None:
    source, target = layout_of_columns(ROWS, COLUMNS), layout_of_columns(COLUMNS, ROWS)
    found = plan(source, target, 32, XE)
    assert found.kind == "subgroup shared memory"
    (share,) = found.steps
    assert isinstance(share, Share)
    assert share.messages == (2, 2)
    assert (share.store.form, share.load.form) == ("block", "sums")
    assert (share.conflicts, found.shared_bytes) == (0, 1088)
    assert [message.registers[:2] for message in share.rounds[0][0]] == [(0, 2), (1, 3)]
    assert found.price == 16 + 16 * XE.picked
    check(source, target)


def test_rows_that_go_to_distant_lanes_stay_in_order() -> None:
    """Block messages of rows 0 to 7 and 8 to 15, half of the banks behind each other."""
    source, target = (
        layout_of_columns(ROWS, COLUMNS),
        layout_of_columns(COLUMNS, [128, 16, 32, 64]),
    )
    found = plan(source, target, 32, XE)
    (share,) = found.steps
    assert isinstance(share, Share)
    assert [(message.registers, message.offset) for message in share.rounds[0][0]] == [
        (tuple(range(8)), 0),
        (tuple(range(8, 16)), 136),
    ]
    assert share.load.lanes == (136, 16, 32, 64)
    assert (share.conflicts, found.price) == (0, 16)
    check(source, target)


def test_conflicts_that_no_gap_avoids_have_a_price() -> None:
    """Eight rows are one message, whose neighbours are 16 words apart; half of the lanes repeat the others."""
    source = layout_of_columns([16, 32, 64], COLUMNS)
    found = plan(source, layout_of_columns(COLUMNS, [16, 32, 64, 0]), 32, XE)
    apart = plan(source, layout_of_columns(COLUMNS, [0, 16, 32, 64]), 32, XE)
    (share,) = found.steps
    assert isinstance(share, Share)
    assert share.conflicts == 16
    assert (apart.price, found.price) == (14, 14 + 16 * XE.conflict)


def test_large_values_go_through_a_slice_in_rounds() -> None:
    more = [256, 512, 1024]
    source, target = (
        layout_of_columns([*ROWS, *more], COLUMNS),
        layout_of_columns([*COLUMNS, *more], ROWS),
    )
    found = plan(source, target, 32, XE)
    (share,) = found.steps
    assert isinstance(share, Share)
    assert (len(share.rounds), found.shared_bytes) == (4, XE.slice_bytes + 128)
    assert plan(source, target, 32, XE.among(64, 1 << 16)).shared_bytes == 1024
    check(source, target)


def test_pairs_of_narrow_elements_travel_in_one_word() -> None:
    source, target = (
        layout_of_columns([1, 32], [2, 4, 8, 16]),
        layout_of_columns([1, 32], [2, 4, 16, 8]),
    )
    narrow, wide = plan(source, target, 16, XE), plan(source, target, 32, XE)
    assert (narrow.word_bits, narrow.own, wide.own) == (32, 1, 0)
    assert narrow.price == 2 * XE.permutation + XE.permutation_setup
    check(source, target, 16)


def test_words_whose_halves_change_places_are_taken_apart() -> None:
    source, target = (
        layout_of_columns([1, 32], [2, 4, 8, 16]),
        layout_of_columns([1, 32], [3, 4, 8, 16]),
    )
    assert plan(source, target, 16, XE).word_bits == 16
    check(source, target, 16)


def test_elements_of_other_subgroups_go_through_the_workgroups_memory() -> None:
    dims = {"dim0": 2, "dim1": 16}
    lanes = [(0, 1), (0, 2), (0, 4), (0, 8)]
    held = LinearLayout.from_bases({"register": [], "lane": lanes, "warp": [(1, 0)]}, dims)
    wanted = LinearLayout.from_bases(
        {"register": [(1, 0)], "lane": lanes, "warp": [(0, 0)]}, dims
    )
    assert plan(held, wanted, 32, XE).kind == "workgroup shared memory"


def test_layouts_of_different_values_are_refused() -> None:
    with pytest.raises(LayoutError, match="different tensors"):
        plan(layout_of_columns([], COLUMNS), layout_of_columns([16], COLUMNS), 32, XE)


@pytest.mark.parametrize("banks", [16, 32])
@pytest.mark.parametrize("seed", range(100))
def test_conflicts_are_those_of_the_addresses(seed: int, banks: int) -> None:
    random = Random(seed)
    bits = random.randint(4, 9)
    source, target = (random_layout(random, bits) for _ in range(2))
    found = plan(source, target, random.choice([8, 16, 32, 64]), XE._replace(banks=banks))
    for share in found.steps:
        if isinstance(share, Share):
            assert share.conflicts == counted(share, found.word_bits, banks)
            assert 8 * found.shared_bytes <= 8 * XE.slice_room
    assert found.apply(held_by(source)) == held_by(target)


def counted(share: Share, word_bits: int, banks: int) -> int:
    """Additional cycles by the addresses of each message; checks that they are aligned and in the slice."""
    total, size = 0, word_bits // 8
    for stores, loads in share.rounds:
        for access, messages in ((share.store, stores), (share.load, loads)):
            for message in messages:
                count = len(message.registers)
                places = [
                    [access.address(message, lane, LANES, word) for word in range(count)]
                    for lane in range(LANES)
                ]
                assert all(0 <= place < share.words for own in places for place in own)
                if access.form == "block":
                    assert message.offset * size % SHARED_BLOCK_ALIGNMENT == 0
                    continue
                assert all(own[0] % count == 0 for own in places)
                total += waits(places, size, banks)
    return total


def waits(places: Sequence[Sequence[int]], size: int, banks: int) -> int:
    """Of one message: lanes that fill the banks together are served at once, the slowest bank decides."""
    together = min(LANES, max(1, 4 * banks // max(4, len(places[0]) * size)))
    total = 0
    for first in range(0, LANES, together):
        words = {
            (place * size + byte) // 4
            for own in places[first : first + together]
            for place in own
            for byte in range(size)
        }
        total += max(Counter(word % banks for word in words).values()) - 1
    return total


@pytest.mark.parametrize("seed", range(200))
def test_random_layouts(seed: int) -> None:
    random = Random(seed)
    bits = random.randint(0, 8)
    check(
        random_layout(random, bits),
        random_layout(random, bits),
        random.choice([8, 16, 32, 64]),
    )
