"""Register moves and register selections, held against looking at every element."""

from itertools import product

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.exchange.registers import register_permutation, select_registers
from xetile.layout.intel.dpas_layouts import dpas_operand_layout


def element(layout: LinearLayout, register: int, lane: int) -> tuple[int, ...]:
    return tuple(layout.apply({"register": register, "lane": lane}).values())


def over(bases: dict[str, list[tuple[int, int]]], rows: int, columns: int) -> LinearLayout:
    return LinearLayout.from_bases(
        bases, {"dim0": rows, "dim1": columns}, require_surjective=False
    )


LANES = [(0, 1), (0, 2), (0, 4), (0, 8)]


def test_permutation_holds_the_same_element_in_the_same_lane() -> None:
    source = over({"register": [(1, 0), (2, 0), (0, 16), (4, 0)], "lane": LANES}, 8, 32)
    target = over({"register": [(0, 16), (4, 0), (1, 0), (2, 0)], "lane": LANES}, 8, 32)
    permutation = register_permutation(source, target)
    assert permutation is not None
    assert sorted(permutation) == list(range(16))
    for register, lane in product(range(16), range(16)):
        assert element(target, register, lane) == element(source, permutation[register], lane)


def test_permutation_may_mix_bits() -> None:
    source = over({"register": [(1, 0), (2, 0)], "lane": LANES}, 4, 16)
    target = over({"register": [(3, 0), (2, 0)], "lane": LANES}, 4, 16)
    assert register_permutation(source, target) == (0, 3, 2, 1)


def test_replicas_are_taken_from_the_first_register() -> None:
    source = over({"register": [(1, 0), (0, 0)], "lane": LANES}, 2, 16)
    target = over({"register": [(1, 0)], "lane": LANES}, 2, 16)
    assert register_permutation(source, target) == (0, 1)
    assert register_permutation(target, source) == (0, 1, 0, 1)


def test_a_moving_lane_is_no_permutation() -> None:
    source = over({"register": [(0, 1)], "lane": [(0, 2), (0, 4), (0, 8), (1, 0)]}, 2, 16)
    target = over({"register": [(1, 0)], "lane": LANES}, 2, 16)
    assert register_permutation(source, target) is None


def test_an_element_that_is_not_there_is_no_permutation() -> None:
    source = over({"register": [(0, 0)], "lane": LANES}, 2, 16)
    target = over({"register": [(1, 0)], "lane": LANES}, 2, 16)
    assert register_permutation(source, target) is None


def test_out_dim_order_does_not_matter() -> None:
    source = over({"register": [(1, 0), (2, 0)], "lane": LANES}, 4, 16)
    assert register_permutation(source.transpose_outs(["dim1", "dim0"]), source) == (
        0,
        1,
        2,
        3,
    )


def test_different_elements_are_refused() -> None:
    with pytest.raises(LayoutError, match="different elements"):
        register_permutation(
            over({"register": [(1, 0)], "lane": LANES}, 2, 16),
            over({"register": [(1, 0)], "lane": LANES}, 4, 16),
        )


@pytest.mark.parametrize(
    "operand, shape, block",
    [("a", (32, 32), (8, 16)), ("b", (32, 64), (16, 16)), ("c", (32, 64), (8, 16))],
)
def test_instructions_are_selected_from_a_tile(
    operand: str, shape: tuple[int, int], block: tuple[int, int]
) -> None:
    tile = dpas_operand_layout(operand, shape, ops_per_channel=2)
    instruction = dpas_operand_layout(operand, block, ops_per_channel=2)
    seen: list[int] = []
    for row in range(0, shape[0], block[0]):
        for column in range(0, shape[1], block[1]):
            selected = select_registers(tile, (row, column), block)
            assert selected is not None
            registers, layout = selected
            assert layout == instruction
            for register, lane in product(range(len(registers)), range(16)):
                at = element(layout, register, lane)
                assert element(tile, registers[register], lane) == (
                    row + at[0],
                    column + at[1],
                )
            seen += registers
    assert sorted(seen) == list(range(tile.in_dims["register"]))


def test_a_slice_inside_of_the_lanes_is_not_held_by_registers() -> None:
    tile = dpas_operand_layout("a", (8, 16), ops_per_channel=2)
    assert select_registers(tile, (0, 8), (8, 8)) is None


def test_selection_from_mixed_bits() -> None:
    layout = over({"register": [(1, 0), (3, 0), (4, 0)], "lane": LANES}, 8, 16)
    selected = select_registers(layout, (2, 0), (2, 16))
    assert selected is not None
    registers, part = selected
    for register, lane in product(range(2), range(16)):
        row, column = element(part, register, lane)
        assert element(layout, registers[register], lane) == (row + 2, column)


@pytest.mark.parametrize(
    "offsets, sizes, message",
    [
        ((0, 0), (3, 16), "powers of two"),
        ((4, 0), (8, 16), "divide their offsets"),
        ((32, 0), (8, 16), "inside"),
        ((0,), (8,), "2 entries"),
    ],
)
def test_slices_that_do_not_exist(
    offsets: tuple[int, ...], sizes: tuple[int, ...], message: str
) -> None:
    tile = dpas_operand_layout("a", (32, 32), ops_per_channel=2)
    with pytest.raises(LayoutError, match=message):
        select_registers(tile, offsets, sizes)
