"""DPAS and 2D block encodings against what Intel's Triton computes, and the tables of its documents."""

from collections.abc import Callable, Mapping
from typing import TypedDict, cast

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import Dpas, dpas_operand_layout
from xetile.layout.intel.message_layouts import Subgroup2DBlock
from xetile.layout.text.attribute_text import parse_layout

Recorded = Callable[[str, str], list[object]]
ReadLayout = Callable[[Mapping[str, object]], LinearLayout]


class RandomCase(TypedDict):
    shape: list[int]
    opIdx: int
    repeatCount: int
    systolicDepth: int
    executionSize: int
    opsPerChan: int
    threadsPerWarp: int
    warpsPerCTA: list[int]
    repCluster: list[int]
    expected: dict[str, object]


class AttributeCase(TypedDict):
    args: tuple[list[int], str, int]
    expected: dict[str, object]


def test_random_dpas_operands(recorded: Recorded, recorded_layout: ReadLayout) -> None:
    for case in cast("list[RandomCase]", recorded("dpas", "dpas")):
        dpas = Dpas(
            case["repeatCount"],
            case["systolicDepth"],
            case["executionSize"],
            case["opsPerChan"],
            case["threadsPerWarp"],
            tuple(case["warpsPerCTA"]),
            tuple(case["repCluster"]),
        )
        layout = dpas.operand_layout(case["opIdx"], case["shape"])
        assert layout == recorded_layout(case["expected"]), case


def test_dpas_attributes(recorded: Recorded, recorded_layout: ReadLayout) -> None:
    for case in cast("list[AttributeCase]", recorded("linear_layout_cases", "dpas")):
        shape, text, operand = case["args"][:3]
        dpas = parse_layout(text)
        assert isinstance(dpas, Dpas)
        build = dpas.operand_layout if operand < 3 else dpas.scale_layout
        assert build(operand, shape) == recorded_layout(case["expected"]), case


def test_subgroup_2d_blocks(recorded: Recorded, recorded_layout: ReadLayout) -> None:
    for case in cast("list[AttributeCase]", recorded("linear_layout_cases", "subgroup2d")):
        shape, text = case["args"][:2]
        assert parse_layout(text).to_linear_layout(shape) == recorded_layout(
            case["expected"]
        ), case


GEMM = Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2))
BATCHED = Dpas(8, 8, 16, 2, 16, (2, 2, 2), (1, 4, 2))
LANES = [(0, 1), (0, 2), (0, 4), (0, 8)]

# encoding, operand, shape -> registers, warps
TABLES: list[
    tuple[Dpas, int, tuple[int, ...], list[tuple[int, ...]], list[tuple[int, ...]]]
] = [
    (
        GEMM,
        0,
        (256, 32),
        [(1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (0, 16)],
        [(0, 0), (0, 0), (32, 0), (64, 0), (128, 0)],
    ),
    (
        GEMM,
        1,
        (32, 256),
        [(1, 0), (2, 0), (4, 0), (8, 0), (0, 16), (16, 0), (0, 128)],
        [(0, 32), (0, 64), (0, 0), (0, 0), (0, 0)],
    ),
    (
        GEMM,
        2,
        (256, 256),
        [(1, 0), (2, 0), (4, 0), (0, 16), (8, 0), (16, 0), (0, 128)],
        [(0, 32), (0, 64), (32, 0), (64, 0), (128, 0)],
    ),
    (
        BATCHED,
        1,
        (2, 64, 64),
        [(0, 1, 0), (0, 2, 0), (0, 4, 0), (0, 8, 0), (0, 0, 16), (0, 16, 0), (0, 32, 0)],
        [(0, 0, 32), (0, 0, 0), (1, 0, 0)],
    ),
]


@pytest.mark.parametrize("dpas, operand, shape, registers, warps", TABLES)
def test_tables(
    dpas: Dpas,
    operand: int,
    shape: tuple[int, ...],
    registers: list[tuple[int, ...]],
    warps: list[tuple[int, ...]],
) -> None:
    layout = dpas.operand_layout(operand, shape)
    lanes = [vector if len(shape) == 2 else (0, *vector) for vector in LANES]
    assert layout.bases == {"register": registers, "lane": lanes, "warp": warps, "block": []}
    assert dict(layout.out_dims) == {f"dim{d}": extent for d, extent in enumerate(shape)}


@pytest.mark.parametrize("operand", [0, 1, 2])
def test_one_subgroup_holds_what_its_operand_layout_says(operand: int) -> None:
    for ops in (1, 2, 4):
        dpas = Dpas(8, 8, 16, ops, 16, (1, 1), (1, 1))
        rows, columns = dpas.instruction_shapes[operand]
        shape = (2 * rows, 4 * columns)
        whole = dpas.operand_layout(operand, shape)
        alone = dpas_operand_layout("abc"[operand], shape, ops_per_channel=ops)
        assert whole.sublayout(["register", "lane"], ["dim0", "dim1"]) == alone


@pytest.mark.parametrize(
    "dpas, shape, message",
    [
        (GEMM, (2, 256, 256), r"shape \[2, 256, 256\], warpsPerCTA \[8, 4\] .* same rank"),
        (
            GEMM._replace(systolic_depth=4),
            (64, 64),
            "systolicDepth = 4 of DPAS must be one of 8",
        ),
        (
            GEMM._replace(threads_per_warp=8),
            (64, 64),
            "threadsPerWarp = 8 of DPAS must be at least",
        ),
        (
            GEMM._replace(repeat_count=3),
            (64, 64),
            "repeatCount = 3: the rows of operand C are no power",
        ),
        (
            GEMM._replace(repeat_count=9),
            (64, 64),
            "repeatCount = 9 of DPAS must be one of 1, 2, 3",
        ),
        (
            GEMM._replace(ops_per_channel=3),
            (64, 64),
            "opsPerChan = 3 of DPAS must be one of 1, 2, 4",
        ),
    ],
)
def test_encodings_that_do_not_exist(dpas: Dpas, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        dpas.to_linear_layout(shape)


def test_operands_that_do_not_exist() -> None:
    small = GEMM._replace(repeat_count=1, ops_per_channel=1)
    with pytest.raises(
        LayoutError, match="has 8 register words, fewer than threadsPerWarp = 16"
    ):
        small.operand_layout(0, (64, 64))
    assert small.operand_layout(1, (64, 64)).is_surjective()
    with pytest.raises(
        LayoutError, match=r"operand 5 of DPAS must be 0 \(A\), 1 \(B\) or 2 \(C\)"
    ):
        GEMM.operand_layout(5, (64, 64))


def test_rows_are_not_folded_and_lanes_beyond_the_rows_count_on() -> None:
    narrow = Dpas(8, 8, 8, 2, 8, (1, 1), (1, 1)).operand_layout(0, (8, 16))
    assert narrow.bases["lane"] == [(0, 1), (0, 2), (0, 4), (0, 8)]
    many = Dpas(8, 8, 8, 2, 128, (1, 1), (1, 1)).operand_layout(1, (32, 8))
    assert many.bases["lane"][3:] == [(2, 0), (4, 0), (8, 0), (16, 0)]
    assert many.bases["register"] == [(1, 0), (0, 0)]


def test_scales_need_eight_rows() -> None:
    with pytest.raises(LayoutError, match="block-scaled DPAS takes repeatCount = 8"):
        GEMM._replace(repeat_count=4).scale_layout(3, (128, 2))


def test_a_2d_block_has_two_dimensions() -> None:
    with pytest.raises(LayoutError, match="rank 2 and 16 lanes"):
        Subgroup2DBlock((1, 1), (8, 16), 1, (1, 0), 2).to_linear_layout((8,))
