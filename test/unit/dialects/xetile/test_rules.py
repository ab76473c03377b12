"""Each rule of docs/xetile-dialect.md is broken by programs, which are refused with one message at one place."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from xetile import api
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.passes.tiles.xetile_infer_wg_map import XeTileInferWgMap

HERE = Path(__file__).parent
PAGE = HERE.parents[3] / "docs" / "xetile-dialect.md"
TABLE = HERE / "Inputs" / "wrong_programs.txt"
VERIFICATION = "Verification"
INFERENCE = "where maps are inferred"

MAPS = """#map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>
#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>
#column = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 1]>
#halves = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 64]>
#pairs = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 1]>
"""

TYPES = {
    "address": "i64",
    "number": "f32",
    "batch": "memref<4x64x64xf16>",
    "matrix": "memref<64x64xf16>",
    "dynamic": "memref<?x?xf16>",
    "pitched": "memref<64x64xf16, strided<[?, 1]>>",
    "shared": "memref<64x64xf16, 3 : i64>",
    "swizzled": "memref<4x2xf16, #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>>",
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
    "columns_blocked": "!xetile.tile<64x32xf16, #xetile.tile_att"
    "r<order = [0, 1], inner_blocks = [16, 8]>>",
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
    "quarters": "!xetile.tile<64x64xf32, #map>",
    "halves": "!xetile.tile<64x64xf32, #halves>",
    "rows": "!xetile.tile<64x64xf32, #rows>",
    "pairs": "!xetile.tile<64x1xf32, #pairs>",
    "plain": "!xetile.tile<64x64xf32>",
    "a_rows": "!xetile.tile<64x64xf16, #rows>",
    "b_any": "vector<64x64xf16>",
    "a_deep": "vector<64x96xf16>",
    "b_deep": "vector<96x64xf16>",
    "m": "index",
}
"""The types of the values that the wrong programs use."""


class Wrong(NamedTuple):
    """A wrong program's lines, and what is said of which of them at which column; line 0 is the function."""

    section: str
    rule: str
    lines: tuple[str, ...]
    line: int
    column: int
    message: str


def entries() -> Iterator[Wrong]:
    section = rule = ""
    lines: list[str] = []
    for text in TABLE.read_text().split("\n\n", 2)[2].splitlines():
        if text.startswith(("-- ", "== ")):
            assert not lines, f"no message for: {lines}"
        if text.startswith("== "):
            section = text[3:]
        elif text.startswith("-- "):
            rule = text[3:]
        elif found := re.fullmatch(r"  \^(\d+):(\d+) (.+)", text):
            yield Wrong(section, rule, tuple(lines), int(found[1]), int(found[2]), found[3])
            lines = []
        elif text:
            lines.append(text)


ENTRIES = list(entries())


def program(lines: Sequence[str]) -> tuple[str, int]:
    """The program around the lines, and the number of its lines before them."""
    before = MAPS.count("\n")
    body = "\n".join(lines)
    if body.startswith("func.func"):
        return f"{MAPS}{body}\n", before
    names = dict.fromkeys(name for name in re.findall(r"%([a-z]\w*)", body) if name in TYPES)
    arguments = ", ".join(f"%{name}: {TYPES[name]}" for name in names)
    return f"{MAPS}func.func @f({arguments}) {{\n{body}\n  func.return\n}}\n", before + 1


@pytest.mark.parametrize(
    "wrong",
    ENTRIES,
    ids=[f"{number}-{wrong.rule[:40]}" for number, wrong in enumerate(ENTRIES)],
)
def test_wrong_program(wrong: Wrong) -> None:
    text, before = program(wrong.lines)
    with pytest.raises(XetileError) as found:
        module = api.parse(text, name="wrong.mlir")
        assert wrong.section == INFERENCE
        XeTileInferWgMap().apply(context(), module)
    place = f"wrong.mlir:{before + wrong.line}:{wrong.column}"
    assert str(found.value) == f"{place}: error: {wrong.message}"


def verification() -> str:
    """The page's section on what verifiers refuse, without its last paragraph, the folds."""
    text = PAGE.read_text().split(f"\n## {VERIFICATION}", 1)[1]
    table = text.split("\n\n", 1)[1].split("\n\n", 1)[0]
    return " ".join(" ".join(table.splitlines()[2:]).split())


def test_each_quoted_rule_stands_on_the_page() -> None:
    page = " ".join(PAGE.read_text().split())
    for wrong in ENTRIES:
        where = verification() if wrong.section == VERIFICATION else page
        assert wrong.rule in where, wrong.rule


HEADINGS = {
    "check",
    "wg_map",
    "swizzle",
    "init_tile",
    "load/store/prefetch/atomic",
    "message",
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
    left = (part.strip(" -,") for part in re.split(r"[:;.|]", text))
    return [part for part in left if part and part not in HEADINGS]


def test_each_rule_of_the_section_is_broken_by_a_program() -> None:
    assert uncovered(verification()) == []
    assert uncovered(verification() + "; tiles are pretty") == ["tiles are pretty"]
