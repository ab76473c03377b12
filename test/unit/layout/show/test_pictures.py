"""Pictures as SVG: well-formed, every element drawn once with its holder, large tiles as a map and a part in full."""

import re
from collections.abc import Callable
from itertools import product
from math import prod
from typing import cast
from xml.etree import ElementTree

import pytest

import xetile.layout
from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import Dpas, dpas_operand_layout
from xetile.layout.show.pages import (
    Panel,
    colours,
    draw_html,
    draw_svg,
    ink_colour,
    notebook_picture,
)
from xetile.layout.show.picture import Picture
from xetile.layout.show.plain_data import form_of
from xetile.layout.show.scene import Primitive, matrix_plan, matrix_scene, planned, scene

SVG = "{http://www.w3.org/2000/svg}"
GEMM = Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2))


def picture(layout: LinearLayout, bits: int = 8) -> Picture:
    form = form_of(layout)
    return Picture("", form.inputs, form.outputs, bits)


def cells(layout: LinearLayout, bits: int = 8) -> dict[tuple[int, int], tuple[str, str]]:
    """By row and column what the part in full shows: the ink and the text."""
    plan = planned(picture(layout, bits))
    part = plan.parts[-1]
    drawn = scene(plan)
    inks = {(p[1], p[2]): str(p[5]) for p in drawn if p[0] == "rect" and p[3] == part.wide - 1}
    texts = {(p[1], p[2]): str(p[3]) for p in drawn if p[0] == "text"}
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for i, j in product(range(part.rows), range(part.columns)):
        x, y = part.x + j * part.wide, part.y + i * part.high
        text = texts.get((x + part.wide / 2, y + 12), "")
        found[part.row + i, part.column + j] = (inks[x, y], text)
    return found


def of_kind(drawn: list[Primitive], kind: str, ink: str) -> list[Primitive]:
    return [primitive for primitive in drawn if primitive[0] == kind and primitive[-1] == ink]


@pytest.mark.parametrize("operand, shape", [("a", (8, 16)), ("b", (16, 16)), ("c", (8, 16)), ("a", (32, 64))])  # fmt: skip
def test_every_element_shows_its_register_and_lane(
    operand: str, shape: tuple[int, int]
) -> None:
    layout = dpas_operand_layout(operand, shape, ops_per_channel=2)
    drawn = cells(layout)
    assert len(drawn) == shape[0] * shape[1]
    inverse = layout.invert()
    for (row, column), (ink, text) in drawn.items():
        holder = inverse.apply({"dim0": row, "dim1": column})
        assert (ink, text) == (f"c{holder['lane']}", str(holder["register"]))


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


def test_a_large_tile_is_a_map_and_a_part_in_full() -> None:
    layout = GEMM.to_linear_layout((256, 256))
    plan = planned(picture(layout))
    overview, part = plan.parts
    assert (overview.rows, overview.columns, part.rows, part.columns) == (256, 256, 32, 32)
    drawn = scene(plan)
    assert len(of_kind(drawn, "rect", "shade")) == 64
    numbers = [
        p[3] for p in of_kind(drawn, "text", "cell") if float(p[1]) < part.x and p[2] != 34
    ]
    assert numbers[:9] == ["0", "1", "2", "3", "0", "1", "2", "3", "4"]
    assert len(draw_svg([layout])) < 100_000


def test_a_map_names_all_that_hold_a_part() -> None:
    for operand, shape, wanted in ((1, (32, 256), "0..28"), (0, (256, 32), "4-7")):
        drawn = scene(planned(picture(GEMM.operand_layout(operand, shape))))
        assert wanted in [p[3] for p in of_kind(drawn, "text", "cell")]


def test_boxes_are_as_wide_as_what_they_say() -> None:
    wide = LinearLayout.identity_1d(1 << 17, "offset", "dim0").reshape_outs(
        [("dim1", 256), ("dim0", 512)]
    )
    layouts = [GEMM.to_linear_layout((256, 256)), wide.transpose_outs(["dim0", "dim1"])]
    for layout in layouts:
        part = planned(picture(layout)).parts[-1]
        assert max(len(text) for _, text in cells(layout).values()) * 6.7 < part.wide


def test_subgroups_are_coloured_where_there_are_no_lanes() -> None:
    layout = Distribution((64, 64), (32, 32), (2, 2)).to_linear_layout()
    drawn = cells(layout)
    assert [drawn[at][0] for at in ((0, 0), (0, 32), (32, 0), (63, 63))] == ["c0", "c1", "c2", "c3"]  # fmt: skip
    assert "colour: subgroup" in draw_svg([layout])


def test_lines_part_what_subgroups_hold() -> None:
    """One line along each edge between elements of different subgroups, in a batch too."""
    matrix = {"register": [(0, 1), (1, 0)], "lane": [], "warp": [(0, 2)]}
    layout = LinearLayout.from_bases(matrix, {"dim0": 2, "dim1": 4})
    lines = of_kind(scene(planned(picture(layout))), "line", "border")
    assert len(lines) == 2
    batch = {"register": [(0, 0, 1), (1, 0, 0)], "lane": [], "warp": [(0, 1, 0)]}
    layout = LinearLayout.from_bases(batch, {"b": 2, "dim0": 2, "dim1": 2})
    assert len(of_kind(scene(planned(picture(layout))), "line", "border")) == 6
    assert "b,dim0 ↓  dim1 →" in draw_svg([layout])


def test_layouts_stand_side_by_side_with_their_matrices() -> None:
    layout = dpas_operand_layout("a", (8, 16), ops_per_channel=2)
    svg = draw_svg([Panel("load <16b>", layout), Panel("A & B", layout)])
    groups = [g.get("class") for g in ElementTree.fromstring(svg).iter(f"{SVG}g")]
    assert [name for name in groups if name in ("panel", "bits")] == ["panel", "bits"] * 2
    assert "load &lt;16b&gt;" in svg


def test_shared_memory_shows_offsets_and_16_byte_columns() -> None:
    swizzled = LinearLayout.from_bases(
        {"offset": [*[(0, 1 << i) for i in range(6)], (1, 8), (2, 16), (4, 32)]},
        {"dim0": 8, "dim1": 64},
    )
    drawn = cells(swizzled, 16)
    assert drawn[1, 0][1] == "72"
    for row, chunk in product(range(8), range(8)):
        assert drawn[row, 8 * chunk][0] == f"c{row ^ chunk}"
    framed = of_kind(matrix_scene(matrix_plan(picture(swizzled))), "frame", "xor")
    assert len(framed) == 3


def test_rows_of_banks_hold_each_offset_once() -> None:
    shared = LinearLayout.identity_1d(256, "offset", "dim0").reshape_outs(
        [("d1", 64), ("d0", 4)]
    )
    plan = planned(picture(shared, 16)._replace(view="places"))
    assert (plan.grid.rows, plan.grid.columns) == (4, 64)
    assert plan.grid.column_name == "bank (2 elements each)"
    assert plan.grid.text(1, 5, plan.grid.place(1, 5)) == "5,1"


def test_elements_that_nobody_holds_are_holes() -> None:
    layout = LinearLayout.from_bases(
        {"register": [(1,)], "lane": []}, {"dim0": 4}, require_surjective=False
    )
    assert [ink for ink, _ in cells(layout).values()] == ["c0", "c0", "hole", "hole"]


def test_blocks_make_up_what_is_no_power_of_two() -> None:
    form = form_of(dpas_operand_layout("a", (8, 16), ops_per_channel=2))
    blocks = [((0, 0), (8, 16)), ((8, 0), (8, 16)), ((16, 0), (8, 16))]
    drawn = planned(Picture("", form.inputs, form.outputs, sizes=(24, 16), blocks=blocks))
    assert (drawn.grid.rows, drawn.grid.columns) == (24, 16)
    assert drawn.grid.place(17, 3) == drawn.grid.place(1, 3) >= 0
    assert len(of_kind(scene(drawn), "line", "border")) == 2 * 16


@pytest.mark.parametrize(
    "dealt",
    [
        Distribution((3, 8), (1, 2), (3, 2)),
        Distribution((12, 30), (2, 5), (3, 2)),
        Distribution((12, 30), (2, 5), (3, 2), (0, 1)),
        Distribution((6, 12), (6, 4), (4, 3)),
        Distribution((24,), (4,), (3,)),
        Distribution((3, 4, 6), (1, 2, 3), (3, 2, 1)),
    ],
)
def test_distributions_of_any_sizes_are_drawn_unit_by_unit(dealt: Distribution) -> None:
    outputs = {f"dim{d}": extent for d, extent in enumerate(dealt.shape)}
    picture = Picture("", {"register": (), "subgroup": ()}, outputs, dealt=dealt)
    held: dict[int, set[int]] = {}
    grid = planned(picture).grid
    assert (grid.rows, grid.columns) == (prod(dealt.shape[:-1]), dealt.shape[-1])
    for row, column in product(range(grid.rows), range(grid.columns)):
        at = (*reversed(leading(row, dealt.shape[:-1])), column)
        place = grid.place(row, column)
        unit = [value // extent for value, extent in zip(at, dealt.unit, strict=True)]
        same = [grid.held.field(one, "subgroup") for one in grid.held.same(place)]
        assert same == dealt.owners(unit)
        register = grid.held.field(place, "register")
        offset = dealt.offsets(same[0])[register // prod(dealt.unit)]
        inside = [value - start for value, start in zip(at, offset, strict=True)]
        number = 0
        for value, extent in zip(inside, dealt.unit, strict=True):
            assert 0 <= value < extent
            number = number * extent + value
        assert number == register % prod(dealt.unit)
        held.setdefault(same[0], set()).add(register)
    registers = dealt.local_units * prod(dealt.unit)
    assert all(found == set(range(registers)) for found in held.values())


def leading(row: int, shape: tuple[int, ...]) -> list[int]:
    """Coordinates of a row, innermost first."""
    found: list[int] = []
    for extent in reversed(shape):
        row, value = divmod(row, extent)
        found.append(value)
    return found


def test_a_distribution_has_no_matrix_of_bits() -> None:
    svg = draw_svg([Panel("of three", Distribution((96, 64), (32, 32), (3, 2)))])
    groups = [g.get("class") for g in ElementTree.fromstring(svg).iter(f"{SVG}g")]
    assert (groups.count("panel"), groups.count("bits")) == (1, 0)
    assert "colour: subgroup" in svg
    dealt = Distribution((64, 64), (32, 32), (2, 2))
    assert draw_svg([dealt]) == draw_svg([dealt.to_linear_layout()])
    with pytest.raises(LayoutError, match="a distribution of 3145728 places is too large"):
        draw_svg([Distribution((3072, 1024), (32, 32), (3, 2))])


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(LayoutError, match=r"no view of in dims \[iteration\]"):
        draw_svg([Panel("x", LinearLayout.identity_1d(4, "iteration", "dim0"))])
    with pytest.raises(LayoutError, match="is too large to show; at most 1048576 of each"):
        draw_svg([Panel("x", LinearLayout.identity_1d(1 << 21, "register", "dim0"))])


def test_notebooks_show_the_picture_in_32_kilobytes() -> None:
    layout = xetile.layout.dpas_operand_layout("a", (64, 64), ops_per_channel=2)
    show = cast("Callable[[], str | None]", getattr(layout, "_repr_html" + "_"))
    shown = show()
    assert shown is not None
    assert shown.startswith('<iframe sandbox="allow-scripts"')
    assert len(shown) <= 32_000
    assert notebook_picture(LinearLayout.identity_1d(4, "iteration", "dim0")) is None


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_on_every_colour(dark: bool) -> None:
    known = colours(dark=dark)
    for ink in (*(f"c{key}" for key in range(18)), "hole", "shade", "paper"):
        assert contrast(known["cell"], ink_colour(ink, known)) >= 4.5, ink
    for ink in ("note", "axis", "title"):
        assert contrast(known[ink], known["paper"]) >= 4.5, ink
    assert contrast(known["bit-one"], known["bit"]) >= 4.5


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.1 defines it."""
    channels = [int(part, 16) / 255 for part in re.findall("..", colour.lstrip("#"))]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
