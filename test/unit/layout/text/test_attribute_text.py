"""Layouts read from attributes: Triton's recorded conversions, two spellings of one, and what does not fit."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypedDict, cast

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.text.attribute_text import layout_of, parse_layout

DPAS = "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = "
OUT_OF_SCOPE = ("amd_", "tensor_memory")


class ConversionCase(TypedDict):
    fn: str
    args: list[object]
    expected: dict[str, object]


def test_recorded_conversions(
    recorded: Callable[[str, str], list[object]],
    recorded_layout: Callable[[Mapping[str, object]], LinearLayout],
) -> None:
    counts: Counter[str] = Counter()
    for case in cast("list[ConversionCase]", recorded("linear_layout_cases", "conversions")):
        # One function takes a type, which names no shape: none of its layouts is in scope.
        text = next(argument for argument in case["args"] if isinstance(argument, str))
        if any(name in text for name in OUT_OF_SCOPE):
            with pytest.raises(LayoutError, match=r"is not supported|expected an attribute"):
                parse_layout(text)
            counts["refused"] += 1
            continue
        layout = parse_layout(text).to_linear_layout(cast("list[int]", case["args"][0]))
        assert layout == recorded_layout(case["expected"]), case
        counts["met"] += 1
    assert counts == {"met": 97, "refused": 194}


@pytest.mark.parametrize(
    "text, message",
    [
        ("#ttg.blocked<{sizePerThread = [0, 2], threadsPerWarp = [4, 4], warpsPerCTA = [2, 1], order = [1, 0]}>", r"sizePerThread \[0, 2\] must hold powers of two"),
        ("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 3], warpsPerCTA = [2, 1], order = [1, 0]}>", r"threadsPerWarp \[4, 3\] must hold powers of two"),
        (f"{DPAS}0, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [1, 1], repCluster = [1, 1]}}>", r"executionSize \[0\] must hold powers of two"),
        (f"{DPAS}16, opsPerChan = 2, threadsPerWarp = 16, warpsPerCTA = [0, 1], repCluster = [1, 1]}}>", r"warpsPerCTA \[0, 1\] must hold powers of two"),
        ("#ttig.subgroup_2d_block<{warpsPerCTA = [2, 1], instrShape = [8, 0], numBlocks = 1, order = [1, 0]}>", r"instrShape \[8, 0\] must hold powers of two"),
        ("#ttig.subgroup_2d_block<{warpsPerCTA = [2, 1], instrShape = [8], numBlocks = 1, order = [1, 0]}>", r"instrShape \[8\] of a subgroup 2D block must have rank 2"),
        ("#ttig.subgroup_2d_block<{warpsPerCTA = [2, 1], instrShape = [8, 16], numBlocks = 0, order = [1, 0]}>", r"numBlocks \[0\] must hold powers of two"),
        ("#ttig.subgroup_2d_block<{warpsPerCTA = [2, 1], instrShape = [8, 16], numBlocks = 1, order = [1, 1]}>", r"order \[1, 1\] is no permutation of 0 to 1"),
        ("#xegpu.layout<sg_layout = [2, 0], lane_layout = [1, 16]>", r"sg_layout \[2, 0\] must hold powers of two"),
    ],
)  # fmt: skip
def test_counts_that_are_none(text: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        layout_of(text, (16, 16))


BLOCKED = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 4], warpsPerCTA = [2, 2], order = [1, 0]}>"


def test_a_blocked_layout_from_its_text() -> None:
    layout = layout_of(BLOCKED, (16, 16))
    assert layout.bases == {
        "register": [(0, 1), (1, 0)],
        "lane": [(0, 2), (0, 4), (2, 0), (4, 0)],
        "warp": [(0, 8), (8, 0)],
        "block": [],
    }
    swapped = layout_of(BLOCKED.replace("[1, 0]", "[0, 1]"), (16, 16))
    assert swapped.apply({"register": 3, "lane": 0, "warp": 0, "block": 0}) == {
        "dim0": 1,
        "dim1": 1,
    }
    assert swapped.bases["lane"] == [(2, 0), (4, 0), (0, 2), (0, 4)]


def test_a_workgroup_map_from_its_text() -> None:
    layout = layout_of("#xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>", (256, 256))
    assert layout.apply({"register": 0, "warp": 5}) == {"dim0": 32, "dim1": 64}


def test_a_linear_attribute_fits_itself_to_the_shape() -> None:
    text = "#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [], block = []}>"
    assert layout_of(text, (4, 2)).bases["register"] == [(0, 1)]
    assert layout_of(text, (8, 2)).bases["register"] == [(0, 1), (4, 0)]


def test_two_spellings_of_dpas_are_one() -> None:
    fields = (
        "<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, "
        "warpsPerCTA = [8, 4], repCluster = [4, 2], A = [32, 16], B = [16, 32], C = [32, 32]}>"
    )
    assert parse_layout("#ttig.dpas" + fields) == parse_layout(
        "#triton_intel_gpu.dpas" + fields
    )


@pytest.mark.parametrize(
    "text, shape, message",
    [
        (BLOCKED, (16,), r"a blocked layout of rank 2 does not fit the shape \[16\]"),
        (BLOCKED, (16, 24), r"shape \[16, 24\] must hold powers of two"),
        (BLOCKED.replace("[1, 0]", "[1, 1]"), (16, 16), r"order \[1, 1\] is no permutation of 0 to 1"),
        (f"#ttg.slice<{{dim = 2, parent = {BLOCKED}}}>", (16,), r"dim = 2 of a slice of shape \[16\] must be 0 to 1"),
        (f"#ttg.dot_op<{{opIdx = 2, parent = {BLOCKED}}}>", (16, 16), "opIdx = 2 of a dot operand must be 0 or 1"),
        ("#xegpu.layout<lane_layout = [1, 16], lane_data = [1, 2]>", (16, 16), r"lane_layout times lane_data \[1, 32\] does not fit inst_data \[16, 16\]"),
        ("#xegpu.layout<lane_layout = [16]>", (16, 16), r"lane_layout \[16\] does not have the rank"),
        ("#xegpu.layout<lane_layout = [1, 12]>", (16, 16), r"lane_layout \[1, 12\] must hold powers of two"),
        ("#xegpu.layout<lane_layout = [1, 16], order = [0, 0]>", (16, 16), r"order \[0, 0\] is no permutation"),
        ("#ttg.linear<{register = [[1]], lane = []}>", (4, 4), r"do not fit the shape \[4, 4\]"),
        ("#xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>", (64, 128, 2), "differ in rank"),
    ],
)  # fmt: skip
def test_layouts_that_do_not_fit_the_shape(
    text: str, shape: tuple[int, ...], message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        layout_of(text, shape)


MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>"


@pytest.mark.parametrize(
    "text, message",
    [
        (MMA.replace("r = 2", "r = 4"), "versionMajor = 4 of #ttg.nvidia_mma must be 2"),
        (MMA.replace("[16, 8]", "[16, 16]"), r"instrShape \[16, 16\] of version 2 must be \[16, 8\]"),
        (MMA.replace("r = 2", "r = 3"), r"instrShape \[16, 8\] of version 3 must be \[16, N, K\]"),
        (MMA.replace("[2, 1]", "[2, 1, 1]"), "of rank 3 does not fit the shape"),
        (f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}}}>", r"kWidth \[0\] must hold powers of two"),
        (
            f"#ttg.dot_op<{{opIdx = 1, parent = {MMA}, kWidth = 2}}>".replace("r = 2", "r = 3").replace("[16, 8]", "[16, 16, 16]"),
            "operand B of wgmma .* is in shared memory only",
        ),
    ],
)  # fmt: skip
def test_matrix_instructions_that_do_not_exist(text: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        layout_of(text, (32, 32))


def test_a_transposed_block_message_leaves_the_transpose() -> None:
    text = "#ttig.subgroup_2d_block<{warpsPerCTA = [1, 1], instrShape = [16, 8], numBlocks = 1, isTransposed = %s, order = [1, 0], kWidth = 2, threadsPerWarp = 16}>"
    plain = layout_of(text.replace("[16, 8]", "[8, 16]") % "false", (8, 16))
    assert layout_of(text % "true", (8, 16)) == plain
    assert layout_of(text % "false", (16, 8)) != plain
    assert plain.bases["lane"] == [(0, 1), (0, 2), (0, 4), (0, 8)]
    with pytest.raises(LayoutError, match="a transposed block message has one block"):
        layout_of(text.replace("numBlocks = 1", "numBlocks = 2") % "true", (8, 16))
