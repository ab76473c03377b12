"""Each rule of docs/xetile-dialect.md is broken by programs, which are refused with one message at one place."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from xetile import api
from xetile.errors import XetileError

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "xetile-dialect.md"
TABLE = HERE / "Inputs" / "wrong_programs.txt"
VERIFICATION = "Verification"

TYPES = {
    "address": "i64",
    "number": "f32",
    "matrix": "memref<64x64xf16>",
    "dynamic": "memref<?x?xf16>",
    "pitched": "memref<64x64xf16, strided<[?, 1]>>",
    "shared": "memref<64x64xf16, 3 : i64>",
    "private": "memref<64x64xf16, #gpu.address_space<private>>",
    "columns": "memref<64x64xf16, strided<[1, 64]>>",
    "exchanged": "memref<64x64xf16, affine_map<(d0, d1) -> (d1, d0)>>",
    "every_second": "memref<64x64xf16, strided<[128, 2]>>",
    "line": "memref<64xf16>",
    "every_second_of_a_line": "memref<64xf16, strided<[2]>>",
    "indices": "vector<4x32xindex>",
    "narrow": "vector<4x16xindex>",
    "integers": "vector<4x32xi32>",
    "tile": "!xetile.tile<64x32xf16>",
    "bytes": "!xetile.tile<64x32xi8>",
    "small": "!xetile.tile<4x32xf16>",
    "blocked": "!xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>",
    "scattered": "!xetile.tile<4x32xf16, #xetile.scatter>",
    "mapped": "!xetile.tile<64x32xf16, #map>",
    "mapped_scattered": "!xetile.tile<4x32xf16, #xetile.tile_attr<"
    "wg_map = <sg_layout = [4, 4], sg_data = [4, 8]>, scattered = true>>",
    "mask": "vector<4x32xi1>",
    "short_mask": "vector<4x16xi1>",
    "four": "vector<4x32xf16>",
    "f16": "vector<64x32xf16>",
    "f32": "vector<64x32xf32>",
    "b": "vector<32x64xf16>",
    "c": "vector<64x64xf32>",
    "c_f16": "vector<64x64xf16>",
    "blocks": "vector<4x2x16x16xf16>",
    "row": "vector<1x32xf32>",
    "two": "vector<2x32xf32>",
    "odd": "vector<33x32xf32>",
    "wide": "vector<256x128xf16>",
    "tall": "vector<128x256xf16>",
    **{
        f"a_{name}": f"vector<64x32x{kind}>"
        for name, kind in {
            **{name: name for name in ("bf16", "tf32", "f64", "i8", "i32")},
            "fp8": "f8E5M2",
        }.items()
    },
    **{
        f"b_{name}": f"vector<32x64x{kind}>"
        for name, kind in {
            **{name: name for name in ("bf16", "tf32", "f32", "f64", "i8", "i32")},
            "fp8": "f8E4M3FN",
        }.items()
    },
    "m": "index",
}
"""The types of the values that the wrong programs use."""


class Wrong(NamedTuple):
    """A wrong program's line, and what is said of it where."""

    section: str
    rule: str
    line: str
    column: int
    message: str


def entries() -> Iterator[Wrong]:
    section = rule = line = ""
    for text in TABLE.read_text().split("\n== ", 1)[1].splitlines():
        if text.startswith("-- "):
            rule = text[3:]
        elif found := re.fullmatch(r"  \^(\d+) (.+)", text):
            yield Wrong(section, rule, line, int(found[1]), found[2])
            line = ""
        elif text.startswith("== ") or not section:
            section = text.removeprefix("== ")
        elif text:
            assert not line, f"no message for: {line}"
            line = text


ENTRIES = list(entries())


def program(line: str) -> tuple[str, int]:
    """The program around a line, and the number of the line in it."""
    head = "#map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>\n"
    if line.startswith("func.func"):
        return f"{head}{line}\n", 2
    names = dict.fromkeys(re.findall(r"%([a-z]\w*)", line))
    arguments = ", ".join(f"%{name}: {TYPES[name]}" for name in names)
    return f"{head}func.func @f({arguments}) {{\n{line}\n  func.return\n}}\n", 3


@pytest.mark.parametrize(
    "wrong", ENTRIES, ids=[f"{number}-{wrong.rule[:40]}" for number, wrong in enumerate(ENTRIES)]
)
def test_wrong_program(wrong: Wrong) -> None:
    text, line = program(wrong.line)
    with pytest.raises(XetileError) as found:
        api.parse(text, name="wrong.mlir")
    assert str(found.value) == f"wrong.mlir:{line}:{wrong.column}: error: {wrong.message}"


def verification() -> str:
    """The page's section on what verifiers refuse, without its last paragraph, the folds."""
    text = PAGE.read_text().split(f"\n## {VERIFICATION}", 1)[1]
    return " ".join(text.split("\n\n", 1)[1].split("\n\n", 1)[0].split())


def test_each_quoted_rule_stands_on_the_page() -> None:
    page = " ".join(PAGE.read_text().split())
    for wrong in ENTRIES:
        where = verification() if wrong.section == VERIFICATION else page
        assert wrong.rule in where, wrong.rule


HEADINGS = {
    "wg_map",
    "init_tile",
    "load/store/prefetch/atomic",
    "tile_mma",
    "accumulator",
    "Named maps",
    "transpose",
    "reduce",
    "broadcast",
    "atomics",
    "conv_layout",
    "pack/unpack",
}


def uncovered(text: str) -> list[str]:
    """What is left of the section when each rule of the table is taken out once, longest first."""
    rules = {wrong.rule for wrong in ENTRIES if wrong.section == VERIFICATION}
    for rule in sorted(rules, key=len, reverse=True):
        text = text.replace(rule, "", 1)
    left = (part.strip(" -,") for part in re.split(r"[:;.]", text))
    return [part for part in left if part and part not in HEADINGS]


def test_each_rule_of_the_section_is_broken_by_a_program() -> None:
    assert uncovered(verification()) == []
    assert uncovered(verification() + "; tiles are pretty") == ["tiles are pretty"]
