"""Encodings: recorded conversions of Triton's, laws of XeGPU's layouts, and the attributes' texts."""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from typing import TypedDict, cast

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.xegpu import XegpuLayout
from xetile.layout.text.attributes import layout_of, parse_layout
from xetile.layout.triton.encodings import Blocked, DotOperand, Slice

DPAS = "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = "
OUT_OF_SCOPE = ("nvidia_mma", "amd_", "tensor_memory")


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
    assert counts == {"met": 57, "refused": 234}


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


def test_a_shape_larger_than_the_layout_repeats_in_registers() -> None:
    small, large = layout_of(BLOCKED, (16, 16)), layout_of(BLOCKED, (32, 64))
    # The fastest dimension of the order repeats first.
    assert large.bases["register"] == [*small.bases["register"], (0, 16), (0, 32), (16, 0)]
    assert large.is_surjective()


def test_a_slice_holds_what_the_parent_holds_along_the_other_dimension() -> None:
    parent = Blocked((2, 2), (4, 4), (2, 2), (1, 0))
    whole = parent.to_linear_layout((16, 1))
    part = Slice(1, parent).to_linear_layout((16,))
    for lane, warp in product(range(16), range(4)):
        inputs = {"register": 0, "lane": lane, "warp": warp, "block": 0}
        assert part.apply(inputs) == {"dim0": whole.apply(inputs)["dim0"]}


def test_a_dot_operand_holds_all_of_k_in_every_thread() -> None:
    parent = Blocked((2, 4), (8, 4), (2, 4), (1, 0))
    for operand, shape in ((0, (32, 16)), (1, (16, 64))):
        layout = DotOperand(operand, parent).to_linear_layout(shape)
        k = "dim1" if operand == 0 else "dim0"
        assert layout.sublayout_is_zero(["lane", "warp"], [k])
        assert layout.is_surjective()


def wrapped(
    layout: XegpuLayout, shape: tuple[int, int]
) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """For each element its (subgroup, lane), by dealing units out one by one."""
    held: dict[tuple[int, int], set[tuple[int, int]]] = {}
    unit = [lanes * data for lanes, data in zip(layout.lane_layout, layout.lane_data, strict=True)]
    order = layout.order or (1, 0)

    def linear(coordinates: list[int], sizes: tuple[int, ...]) -> int:
        number, step = 0, 1
        for d in order:
            number += coordinates[d] * step
            step *= sizes[d]
        return number

    for at in product(range(shape[0]), range(shape[1])):
        lane = [at[d] % unit[d] // layout.lane_data[d] for d in range(2)]
        subgroups = [at[d] // layout.sg_data[d] % layout.sg_layout[d] for d in range(2)]
        replicas = product(
            *(
                range(
                    s,
                    layout.sg_layout[d],
                    max(1, min(layout.sg_layout[d], shape[d] // layout.sg_data[d])),
                )
                for d, s in enumerate(subgroups)
            )
        )
        held[at] = {
            (linear(list(subgroup), layout.sg_layout), linear(lane, layout.lane_layout))
            for subgroup in replicas
        }
    return held


@pytest.mark.parametrize(
    "layout, shape",
    [
        (XegpuLayout((1, 16), (1, 1), (2, 2), (16, 32), (8, 16)), (32, 64)),
        (XegpuLayout((1, 16), (2, 1), (2, 2), (16, 16)), (64, 64)),
        (XegpuLayout((2, 8), (1, 2), (4, 2), (16, 32)), (32, 64)),
        (XegpuLayout((16, 1), (1, 2), (2, 4), (16, 16), order=(0, 1)), (32, 64)),
    ],
)
def test_xegpu_layouts_deal_their_units_out(layout: XegpuLayout, shape: tuple[int, int]) -> None:
    linear = layout.to_linear_layout(shape)
    sizes = linear.in_dims
    held: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for register, lane, warp in product(*(range(sizes[n]) for n in ("register", "lane", "warp"))):
        at = linear.apply({"register": register, "lane": lane, "warp": warp})
        held.setdefault((at["dim0"], at["dim1"]), set()).add((warp, lane))
    assert held == wrapped(layout, shape)


def test_a_lane_counts_its_elements_row_by_row() -> None:
    linear = layout_of("#xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>", (4, 32))
    rows = [tuple(linear.apply({"register": r, "lane": 3, "warp": 0}).values()) for r in range(8)]
    assert rows == list(product(range(4), (3, 19)))


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
    assert parse_layout("#ttig.dpas" + fields) == parse_layout("#triton_intel_gpu.dpas" + fields)


@pytest.mark.parametrize(
    "text, message",
    [
        ("ttg.blocked<{}>", "expected an attribute such as .* at character 0, found 'ttg.blocked<{}>'"),
        ("#ttg.blocked", "#ttg.blocked lacks 'sizePerThread'"),
        ("#ttg.blocked<{sizePerThread = 2}>", "#ttg.blocked: 'sizePerThread' must be a list of integers"),
        ("#ttg.blocked<{sizePerThread = [1, true]}>", "'sizePerThread' must be a list of integers"),
        ("#ttg.blocked<{sizePerThread = [2}>", r"expected ',' or '\]' at character 32"),
        ("#ttg.blocked<{a = 1, a = 2}>", "expected 'a' only once"),
        (BLOCKED[:-2], "expected ',' or '}' at character"),
        (BLOCKED + " x", "expected the end at character"),
        (BLOCKED.replace("order", "ordre"), "#ttg.blocked lacks 'order'"),
        (BLOCKED.replace("}>", ", more = 1}>"), "#ttg.blocked has no field 'more'"),
        ("#ttg.amd_mfma<{version = 3}>", "layout #ttg.amd_mfma is not supported; supported are #ttg.blocked, "),
        ("#ttg.dot_op<{opIdx = 0, parent = 3}>", "'parent' must be a layout attribute"),
        ("#ttg.dot_op<{opIdx = 0, parent = #xegpu.layout<lane_layout = [1]>}>", "must be #ttg.blocked or #ttig.dpas"),
        ("#ttg.dot_op<{opIdx = 0, x = 1, parent = #xegpu.layout<lane_layout = [1]>}>", "has no field 'x'"),
        ("#ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = 16, transposed = 1}>", "'transposed' must be true or false"),
        ("#xegpu.layout<[1, 2]>", "#xegpu.layout: expected fields as 'name = value'"),
    ],
)  # fmt: skip
def test_texts_that_spell_no_layout(text: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        parse_layout(text)


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
def test_layouts_that_do_not_fit_the_shape(text: str, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        layout_of(text, shape)
