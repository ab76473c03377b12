"""Texts that spell no layout: where reading stopped, and what was expected there."""

import pytest

from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.text.attribute_text import parse_layout
from xetile.layout.text.grammar import read_attribute

BLOCKED = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 4], warpsPerCTA = [2, 2], order = [1, 0]}>"


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
        ("#ttg.dot_op<{opIdx = 0, parent = #xegpu.layout<lane_layout = [1]>}>", "must be #ttg.blocked, #ttg.nvidia_mma or #ttig.dpas"),
        ("#ttg.dot_op<{opIdx = 0, x = 1, parent = #xegpu.layout<lane_layout = [1]>}>", "has no field 'x'"),
        ("#ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = 16, transposed = 1}>", "'transposed' must be true or false"),
        ("#xegpu.layout<[1, 2]>", "#xegpu.layout: expected fields as 'name = value'"),
    ],
)  # fmt: skip
def test_texts_that_spell_no_layout(text: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        parse_layout(text)


def nested(depth: int) -> str:
    return "#a<" + "[" * depth + "]" * depth + ">"


def test_values_stand_inside_of_one_another_up_to_a_depth() -> None:
    for text in (nested(64), f"#b<{nested(63)}, {nested(63)}>"):
        assert read_attribute(text).values
    for text in (nested(65), f"#b<{nested(64)}>"):
        with pytest.raises(LayoutError, match="at most 64 values inside of one another"):
            read_attribute(text)


def test_numbers_have_up_to_18_characters() -> None:
    read = read_attribute(f"#a<{'9' * 18}, -{'9' * 17} : i64>").values
    assert read == [10**18 - 1, 1 - 10**17]
    for number in ("1" * 19, "-" + "1" * 18):
        with pytest.raises(LayoutError, match="of at most 18 digits at character 3, found"):
            read_attribute(f"#a<{number}>")
