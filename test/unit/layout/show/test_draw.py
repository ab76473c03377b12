"""Pictures: one well-formed file, every element drawn once with its holder, large tiles folded."""

import re
from collections.abc import Callable
from itertools import product
from typing import cast
from xml.etree import ElementTree

import pytest

import xetile.layout
from xetile.layout.algebra.distribution import Distribution
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas import Dpas, dpas_operand_layout
from xetile.layout.intel.messages import block_load_layout
from xetile.layout.show.draw import Panel, draw_html, draw_svg, notebook_picture
from xetile.layout.text.attributes import layout_of

SVG = "{http://www.w3.org/2000/svg}"
GEMM = Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2))


def parts(svg: str, name: str) -> list[ElementTree.Element]:
    return [
        g
        for g in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if name in g.get("class", "").split()
    ]


def text_of(part: ElementTree.Element, tag: str = "text") -> str:
    found = part.find(f"{SVG}{tag}")
    assert found is not None
    assert found.text is not None
    return found.text


@pytest.mark.parametrize("operand, shape", [("a", (8, 16)), ("b", (16, 16)), ("c", (8, 16)), ("a", (32, 64))])  # fmt: skip
def test_every_element_shows_its_register_and_lane(
    operand: str, shape: tuple[int, int]
) -> None:
    layout = dpas_operand_layout(operand, shape, ops_per_channel=2)
    cells = parts(draw_svg([Panel("operand", layout)]), "cell")
    drawn = {cell.get("data-at"): cell for cell in cells}
    assert len(cells) == len(drawn) == shape[0] * shape[1]
    inverse = layout.invert()
    for row, column in product(range(shape[0]), range(shape[1])):
        holder = inverse.apply({"dim0": row, "dim1": column})
        cell = drawn[f"{row},{column}"]
        assert text_of(cell) == str(holder["register"])
        assert f"l{holder['lane']}" in cell.get("class", "").split()
        assert text_of(cell, "title") == (
            f"({row}, {column}): lane {holder['lane']}, register {holder['register']}"
        )


def test_layouts_are_drawn_without_titles() -> None:
    layout = dpas_operand_layout("a", (8, 16), ops_per_channel=2)
    assert draw_svg([layout, layout]) == draw_svg([Panel("", layout), Panel("", layout)])
    assert draw_html([layout]) == draw_html([Panel("", layout)])


@pytest.mark.parametrize("draw", [draw_svg, draw_html])
@pytest.mark.parametrize("panels", [[], LinearLayout.identity_1d(4, "lane", "dim0")])
def test_a_picture_is_of_a_list(
    draw: Callable[[list[LinearLayout]], str], panels: list[LinearLayout]
) -> None:
    with pytest.raises(LayoutError, match="a picture needs a list of layouts"):
        draw(panels)


def test_any_title_and_name_is_well_formed() -> None:
    named = LinearLayout.identity_1d(4, "lane", '<b>"&]]>')
    svg = draw_svg([Panel('<script>]]>&"\x00\n\ud800', named)])
    assert ElementTree.fromstring(svg).tag == f"{SVG}svg"


def test_replicas_are_named() -> None:
    layout = LinearLayout.from_bases(
        {"register": [(1,)], "lane": [(2,)], "warp": [(0,)]}, {"dim0": 4}
    )
    cell = parts(draw_svg([Panel("shared rows", layout)]), "cell")[3]
    assert text_of(cell, "title") == (
        "(3): subgroup 0, lane 1, register 1; also subgroup 1, lane 1, register 1"
    )


def test_a_large_tile_folds_into_blocks_that_open() -> None:
    layout = GEMM.to_linear_layout((256, 256))
    svg = draw_svg([Panel("C", layout)])
    folds, cells = parts(svg, "fold"), parts(svg, "cell")
    assert (len(folds), len(cells)) == (64, 32 * 32)
    # A block opens by adding its own holder, bit by bit, to that of the block at zero.
    inverse = layout.pseudoinvert()
    for fold in folds:
        place = int(fold.get("data-place", ""))
        row, column = map(int, fold.get("data-at", "").split(","))
        for cell in cells[:: len(cells) // 7]:
            i, j = map(int, cell.get("data-at", "").split(","))
            opened = place ^ int(cell.get("data-place", ""))
            holder = inverse.apply({"dim0": row + i, "dim1": column + j})
            assert opened & 127 == holder["register"]
            assert opened >> 7 & 15 == holder["lane"]
            assert opened >> 11 == holder["warp"]
    assert text_of(folds[0]) == "subgroup 0"
    assert len(svg) < 400_000


def test_a_folded_block_names_all_that_hold_it() -> None:
    b = GEMM.operand_layout(1, (32, 256))
    folds = parts(draw_svg([Panel("B", b)]), "fold")
    assert [text_of(fold) for fold in folds[:4]] == [
        f"subgroup {n}..{n + 28}" for n in range(4)
    ]
    a = GEMM.operand_layout(0, (256, 32))
    assert text_of(parts(draw_svg([Panel("A", a)]), "fold")[1]) == "subgroup 4-7"


def test_boxes_are_as_wide_as_what_they_say() -> None:
    blocked = layout_of(
        "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 4], warpsPerCTA = [32, 1], order = [1, 0]}>",
        (256, 256),
    )
    svg = draw_svg([Panel("blocked", blocked)])
    wide = LinearLayout.identity_1d(1 << 17, "offset", "dim0").reshape_outs(
        [("dim1", 256), ("dim0", 512)]
    )
    for text in (svg, draw_svg([Panel("wide", wide.transpose_outs(["dim0", "dim1"]))])):
        for part in (*parts(text, "fold"), *parts(text, "cell")):
            box = part.find(f"{SVG}rect")
            assert box is not None
            longest = max(len(line.text or "") for line in part.iter(f"{SVG}text"))
            assert longest * 6.7 < float(box.get("width", ""))


def test_subgroups_are_coloured_where_there_are_no_lanes() -> None:
    layout = Distribution((64, 128), (32, 32), (2, 4)).to_linear_layout()
    svg = draw_svg([Panel("map", layout)])
    assert 'data-coloured="2"' in svg
    assert len(parts(svg, "key")) == 8
    assert ">subgroup</text>" in svg


def test_lines_part_what_subgroups_hold() -> None:
    """One line along each edge between elements of different subgroups, in a batch too."""
    parts_of = {
        "register": [(0, 0, 1), (1, 0, 0)],
        "lane": [(0, 1, 0)],
        "warp": [(0, 0, 2), (0, 2, 0)],
    }
    outs = {"dim0": 2, "dim1": 4, "dim2": 4}
    flat = {
        name: [basis[1:] for basis in bases if not basis[0]]
        for name, bases in parts_of.items()
    }
    matrix = LinearLayout.from_bases(flat, {"dim1": 4, "dim2": 4})
    for layout in (matrix, LinearLayout.from_bases(parts_of, outs)):
        border = re.search(r'class="border" d="([^"]*)"', draw_svg([Panel("", layout)]))
        assert border is not None
        assert (border[1].count("v"), border[1].count("h")) == (4, 4)


def test_pictures_on_one_page_keep_their_colours() -> None:
    colours = re.compile(r"\.colours(\d+) \.l1 rect\{fill:([^}]*)\}")
    narrow, wide = (
        colours.search(draw_svg([Panel("", LinearLayout.identity_1d(lanes, "lane", "dim0"))]))
        for lanes in (16, 32)
    )
    assert narrow is not None
    assert wide is not None
    assert (narrow[1], wide[1]) == ("16", "32")
    assert narrow[2] != wide[2]


def test_panels_side_by_side_have_colours_for_the_largest() -> None:
    panels = [Panel("", LinearLayout.identity_1d(lanes, "lane", "dim0")) for lanes in (16, 32)]
    assert ".colours32 .l31 rect" in draw_svg(panels)


def test_a_batch_is_folded_into_its_slices() -> None:
    layout = Dpas(8, 8, 16, 2, 16, (2, 1, 1), (1, 1, 1)).to_linear_layout((4, 16, 16))
    folds = parts(draw_svg([Panel("batch", layout)]), "fold")
    assert [fold.get("data-at") for fold in folds] == ["0,0,0", "1,0,0", "2,0,0", "3,0,0"]


def test_layouts_stand_side_by_side() -> None:
    load = block_load_layout(rows=8, columns=16, element_bits=16).sublayout(
        ["register", "lane"], ["row", "column"]
    )
    wanted = dpas_operand_layout("a", (8, 16), ops_per_channel=2)
    svg = draw_svg([Panel("load <16b>", load), Panel("A & B", wanted)])
    panels = parts(svg, "panel")
    titles = [text_of(panel) for panel in panels]
    assert titles == ["load <16b>", "A & B"]


def test_shared_memory_shows_offsets_and_16_byte_columns() -> None:
    swizzled = LinearLayout.from_bases(
        {"offset": [*[(0, 1 << i) for i in range(6)], (1, 8), (2, 16), (4, 32)]},
        {"dim0": 8, "dim1": 64},
    )
    cells = parts(draw_svg([Panel("128-byte swizzle", swizzled, element_bits=16)]), "cell")
    drawn = {cell.get("data-at"): cell for cell in cells}
    assert text_of(drawn["1,0"]) == "72"
    for row, chunk in product(range(8), range(8)):
        assert f"l{row ^ chunk}" in drawn[f"{row},{8 * chunk}"].get("class", "").split()


def test_elements_that_nobody_holds_are_holes() -> None:
    layout = LinearLayout.from_bases(
        {"register": [(1,)], "lane": []}, {"dim0": 4}, require_surjective=False
    )
    svg = draw_svg([Panel("half", layout)])
    assert len(parts(svg, "cell")) == 2
    assert svg.count('class="hole"') == 2


def test_pages_need_no_network() -> None:
    page = draw_html([Panel("A", dpas_operand_layout("a", (8, 16), ops_per_channel=2))])
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"(src|href)=|@import|url\(", page)


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(LayoutError, match=r"no view of in dims \[iteration\]"):
        draw_svg([Panel("x", LinearLayout.identity_1d(4, "iteration", "dim0"))])
    with pytest.raises(LayoutError, match="is too large to show; at most 1048576 of each"):
        draw_svg([Panel("x", LinearLayout.identity_1d(1 << 21, "register", "dim0"))])


def test_notebooks_show_the_picture() -> None:
    layout = xetile.layout.dpas_operand_layout("a", (8, 16), ops_per_channel=2)
    show = cast("Callable[[], str | None]", getattr(layout, "_repr_html" + "_"))
    picture = show()
    assert picture is not None
    assert len(parts(picture, "cell")) == 128
    assert notebook_picture(LinearLayout.identity_1d(4, "iteration", "dim0")) is None
