"""DPAS operands: the published tables, and laws that hold for every tile."""

from itertools import product

import pytest

from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.intel.dpas_layouts import (
    DpasInstruction,
    dpas_operand_layout,
    dpas_register_word,
)

Basis = list[tuple[int, int]]
ROWS_8: Basis = [(1, 0), (2, 0), (4, 0)]
LANES_16: Basis = [(0, 1), (0, 2), (0, 4), (0, 8)]

# operand, elements per channel, lanes -> registers, lanes
INSTRUCTIONS: list[tuple[str, int, int, Basis, Basis]] = [
    ("a", 2, 16, ROWS_8, LANES_16),
    ("a", 4, 16, [(0, 1), *ROWS_8], [(0, 2), (0, 4), (0, 8), (0, 16)]),
    ("a", 1, 16, [(2, 0), (4, 0)], [(0, 1), (0, 2), (0, 4), (1, 0)]),
    ("b", 2, 16, [*ROWS_8, (8, 0)], LANES_16),
    ("b", 4, 16, [*ROWS_8, (8, 0), (16, 0)], LANES_16),
    ("b", 1, 16, ROWS_8, LANES_16),
    ("c", 2, 16, ROWS_8, LANES_16),
    ("a", 2, 32, [(2, 0), (4, 0)], [*LANES_16, (1, 0)]),
    ("a", 4, 32, [(0, 1), (2, 0), (4, 0)], [(0, 2), (0, 4), (0, 8), (0, 16), (1, 0)]),
    ("a", 1, 32, [(4, 0)], [(0, 1), (0, 2), (0, 4), (1, 0), (2, 0)]),
    ("b", 2, 32, [(1, 0), (4, 0), (8, 0)], [*LANES_16, (2, 0)]),
    ("b", 4, 32, [(1, 0), (2, 0), (8, 0), (16, 0)], [*LANES_16, (4, 0)]),
    ("b", 1, 32, [(2, 0), (4, 0)], [*LANES_16, (1, 0)]),
    ("c", 2, 32, [(2, 0), (4, 0)], [*LANES_16, (1, 0)]),
]


@pytest.mark.parametrize("operand, ops, lanes, registers, in_lanes", INSTRUCTIONS)
def test_instruction_tables(
    operand: str, ops: int, lanes: int, registers: Basis, in_lanes: Basis
) -> None:
    layout = DpasInstruction(8, ops, lanes=lanes).layout(operand)
    assert [tuple(v) for v in layout.bases["register"]] == registers
    assert [tuple(v) for v in layout.bases["lane"]] == in_lanes
    assert list(layout.in_dim_names) == ["register", "lane"]
    assert list(layout.out_dim_names) == ["dim0", "dim1"]


def test_repetitions_of_a_and_b_run_along_k_first_and_of_c_along_n() -> None:
    a = dpas_operand_layout("a", (32, 32), ops_per_channel=2)
    assert [tuple(v) for v in a.bases["register"][3:]] == [(0, 16), (8, 0), (16, 0)]
    b = dpas_operand_layout("b", (32, 64), ops_per_channel=2)
    assert [tuple(v) for v in b.bases["register"][4:]] == [(16, 0), (0, 16), (0, 32)]
    c = dpas_operand_layout("c", (32, 64), ops_per_channel=2)
    assert [tuple(v) for v in c.bases["register"][3:]] == [(0, 16), (0, 32), (8, 0), (16, 0)]


@pytest.mark.parametrize("operand", ["a", "b", "c"])
def test_every_tile_is_held_exactly_once(operand: str) -> None:
    for ops, repeat_count, down, across in product((1, 2, 4, 8), (1, 2, 4, 8), (1, 4), (1, 2)):
        step = DpasInstruction(repeat_count, ops).shape(operand)
        shape = (step[0] * down, step[1] * across)
        layout = dpas_operand_layout(
            operand, shape, repeat_count=repeat_count, ops_per_channel=ops
        )
        assert dict(layout.out_dims) == {"dim0": shape[0], "dim1": shape[1]}
        assert layout.is_surjective()
        # One row of tf32 has 8 elements for 16 lanes: the upper lanes hold it again.
        assert layout.is_invertible() or (operand, ops, repeat_count) == ("a", 1, 1)


def test_register_words_are_neighbours() -> None:
    for operand, ops in product("abc", (1, 2, 4)):
        layout = dpas_operand_layout(
            operand,
            DpasInstruction(8, ops).shape(operand),
            ops_per_channel=ops,
        )
        step = (1, 0) if operand == "b" else (0, 1)
        for i in range(dpas_register_word(operand, ops_per_channel=ops)):
            assert tuple(layout.apply({"register": i, "lane": 0}).values()) == (
                step[0] * i,
                step[1] * i,
            )


@pytest.mark.parametrize(
    "operand, shape, keywords, message",
    [
        ("d", (8, 16), {}, "operand 'd' of DPAS must be one of a, b, c"),
        ("a", (24, 16), {}, r"shape \[24, 16\] is not made of DPAS operands of \[8, 16\]"),
        ("a", (4, 16), {}, r"shape \[4, 16\] is not made of DPAS operands of \[8, 16\]"),
        ("a", (8,), {}, r"shape \[8\] of DPAS must be rows and columns"),
        (
            "a",
            (8, 16),
            {"repeat_count": 3},
            "repeat_count = 3 of DPAS must be one of 1, 2, 4, 8",
        ),
        ("b", (16, 16), {"systolic_depth": 4}, "systolic_depth = 4 of DPAS must be one of 8"),
        ("c", (8, 16), {"lanes": 8}, "8 lanes are fewer than DPAS's execution_size = 16"),
    ],
)
def test_what_no_dpas_takes_is_refused(
    operand: str, shape: tuple[int, ...], keywords: dict[str, int], message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        dpas_operand_layout(operand, shape, ops_per_channel=2, **keywords)
