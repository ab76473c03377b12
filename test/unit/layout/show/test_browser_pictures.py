"""The page's renderer: the layouts of Python, the scenes of Python, panels that are linked, keys, no network."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.composition import lstsq
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.moved_bases import largest_vectorisation
from xetile.layout.exchange.banks import conflicts
from xetile.layout.exchange.swizzling import bank_conflicts_of_offsets
from xetile.layout.intel.dpas_layouts import Dpas, dpas_operand_layout
from xetile.layout.nvidia.shared_layouts import swizzled_shared_layout
from xetile.layout.show.inline import page_text
from xetile.layout.show.pages import SCRIPTS, STYLE, Panel, draw_html, notebook_picture
from xetile.layout.show.picture import Picture
from xetile.layout.show.plain_data import Form, form_of
from xetile.layout.show.scene import Primitive, matrix_plan, matrix_scene, planned, scene

pytestmark = pytest.mark.browser
GEMM = Dpas(8, 8, 16, 2, 16, (8, 4), (4, 2))
A = dpas_operand_layout("a", (8, 16), ops_per_channel=2)


@pytest.fixture
def renderer(page: Page) -> Page:
    """A page with the renderer, and nothing drawn."""
    page.set_content(f"<style>{page_text(STYLE)}</style><body></body>")
    for name in (*SCRIPTS, "exchanges.js"):
        page.add_script_tag(content=page_text(name))
    return page


def opened(page: Page, folder: Path, panels: list[Panel | LinearLayout]) -> Page:
    path = folder / "page.html"
    path.write_text(draw_html(panels))
    page.goto(path.as_uri())
    page.wait_for_selector(".picture")
    return page


def data(layout: LinearLayout) -> dict[str, object]:
    return Form(
        {name: tuple(vectors) for name, vectors in layout.bases.items()}, layout.out_dims
    ).as_json()


def any_layout(dice: random.Random, ins: dict[str, int], outs: dict[str, int]) -> LinearLayout:
    sizes = list(outs.values())
    bases = {
        name: [tuple(dice.randrange(size) for size in sizes) for _ in range(bits)]
        for name, bits in ins.items()
    }
    return LinearLayout.from_bases(bases, outs, require_surjective=False)


def any_dims(dice: random.Random, names: str, most: int) -> dict[str, int]:
    return {name: dice.randint(0, most) for name in dice.sample(names, dice.randint(1, 3))}


def sized(dims: dict[str, int]) -> dict[str, int]:
    return {name: 1 << bits for name, bits in dims.items()}


def or_none(compute: Callable[[], LinearLayout | None]) -> dict[str, object] | None:
    try:
        found = compute()
    except LayoutError:
        return None
    return None if found is None else data(found)


CASE = """cases => cases.map(([a, b, c, at]) => {
  const tried = (compute) => { try { return compute(); } catch { return null; } };
  const plain = (layout) => layout && {in: layout.in, out: layout.out};
  const f2 = X.f2;
  return [f2.apply(a, at), plain(f2.inverse(a)), tried(() => f2.compose(a, b)), f2.product(a, c),
    f2.divide(f2.product(a, c), a), f2.divide(c, a), f2.lstsq(a, c), f2.rank(a), f2.isInjective(a), f2.isSurjective(a),
    f2.isInvertible(a), f2.equal(a, c), f2.equal(a, JSON.parse(JSON.stringify(a)))];
})"""


def answers(
    a: LinearLayout, b: LinearLayout, c: LinearLayout, at: dict[str, int]
) -> list[object]:
    """What the page is asked of three layouts, and of a place of the first."""
    whole = a * c
    return [
        a.apply(at),
        or_none(a.pseudoinvert),
        or_none(lambda: a.compose(b)),
        data(whole),
        or_none(lambda: whole.divide_left(a)),
        or_none(lambda: c.divide_left(a)),
        or_none(lambda: lstsq(a, c)),
        a.rank,
        a.is_injective(),
        a.is_surjective(),
        a.is_invertible(),
        a == c,
        True,
    ]


def test_layouts_are_those_of_the_algebra(renderer: Page) -> None:
    """2,000 random layouts, some of them wider than 32 bits in a dimension."""

    dice, cases, wanted = random.Random(15), list[object](), list[object]()
    for number in range(2000):
        most = 40 if number % 10 == 0 else 4
        outs = any_dims(dice, "xyz", most)
        if sum(outs.values()) > 60:
            outs = {"x": most}
        ins = any_dims(dice, "abc", 4)
        a = any_layout(dice, ins, sized(outs))
        b = any_layout(
            dice, {n: bits + dice.randint(0, 1) for n, bits in outs.items()}, {"u": 8}
        )
        c = any_layout(dice, any_dims(dice, "abc", 2), sized(any_dims(dice, "xyz", 1)))
        at = {name: dice.randrange(1 << bits) for name, bits in ins.items()}
        cases.append([data(a), data(b), data(c), at])
        wanted.append(answers(a, b, c, at))
    found = renderer.evaluate(CASE, cases)
    for case, ours, theirs in zip(cases, wanted, found, strict=True):
        assert theirs == json.loads(json.dumps(ours)), case


def test_copies_are_the_kernel(renderer: Page) -> None:
    layout = data(GEMM.operand_layout(0, (256, 32)))
    assert renderer.evaluate("layout => X.f2.inverse(layout).copies", layout) == [
        {"register": 0, "lane": 0, "warp": 1, "block": 0},
        {"register": 0, "lane": 0, "warp": 2, "block": 0},
    ]


def any_picture(dice: random.Random) -> Picture:
    rank = dice.choice([1, 2, 2, 2, 3])
    outs = {f"dim{d}": 1 << dice.randint(0, 7 if rank < 3 else 3) for d in range(rank)}
    names = dice.choice([("register", "lane"), ("register", "lane", "subgroup"), ("offset",), ("subgroup",)])  # fmt: skip
    form = form_of(any_layout(dice, {name: dice.randint(0, 5) for name in names}, outs))
    has_places = "register" in names or "offset" in names
    return Picture(
        "any <one>", form.inputs, form.outputs, dice.choice([4, 8, 16, 32]),
        tensor=dice.choice([None, ["M", "N", "K"][:rank]]),
        offset=dice.choice([None, [32] * rank]),
        view=dice.choice(["tile", "places"]) if has_places else "tile",
        base=dice.choice([None, 35]), fit=dice.choice([None, None, (600, 300), (240, 200)]),
        map_only=dice.random() < 0.3, window=dice.choice([(0, 0), (16, 8)]),
    )  # fmt: skip


def known_pictures() -> list[Picture]:
    layouts = [
        A,
        dpas_operand_layout("b", (64, 64), ops_per_channel=2),
        GEMM.to_linear_layout((256, 256)),
        GEMM.operand_layout(0, (256, 32)),
        GEMM.operand_layout(1, (32, 256)),
    ]
    forms = [form_of(layout) for layout in layouts]
    pictures = [Picture("known", form.inputs, form.outputs, 16) for form in forms]
    blocks = [((0, 0), (8, 16)), ((8, 0), (8, 16)), ((16, 0), (8, 16))]
    ragged = pictures[0]._replace(sizes=(24, 16), blocks=blocks)
    return [*pictures, ragged, pictures[0]._replace(colour="register"), *dealt_pictures()]


def dealt_pictures() -> list[Picture]:
    """Distributions of sizes that are no powers of two, one of them too large to be drawn in full."""
    found: list[Picture] = []
    for dealt in (
        Distribution((3, 8), (1, 2), (3, 2)),
        Distribution((12, 30), (2, 5), (3, 2), (0, 1)),
        Distribution((6, 12), (6, 4), (4, 3)),
        Distribution((3, 4, 6), (1, 2, 3), (3, 2, 1)),
        Distribution((192, 384), (32, 32), (3, 4)),
    ):
        outputs = {f"dim{d}": extent for d, extent in enumerate(dealt.shape)}
        held = {"register": (), "subgroup": ()}
        found.append(Picture("dealt", held, outputs, 16, dealt=dealt))
    return found


def plain(drawn: list[Primitive]) -> list[list[str | float]]:
    return [list(primitive) for primitive in drawn]


def test_scenes_of_the_page_and_of_svg_are_equal(renderer: Page) -> None:
    dice = random.Random(7)
    for picture in [*known_pictures(), *(any_picture(dice) for _ in range(150))]:
        theirs = renderer.evaluate(
            "model => [X.pictures.scene(model), X.pictures.matrixScene(model.layout)]",
            picture.as_json(),
        )
        assert theirs[0] == plain(scene(planned(picture))), picture
        assert theirs[1] == plain(matrix_scene(matrix_plan(picture._replace(tensor=None))))


def test_a_fault_in_a_scene_is_noticed(renderer: Page) -> None:
    """A renderer that numbers rows from 1 draws another scene."""
    picture = known_pictures()[0]
    faulty = page_text("scene.js").replace(
        "value + offset[d]).join", "value + offset[d] + 1).join"
    )
    assert faulty != page_text("scene.js")
    renderer.add_script_tag(content=faulty)
    theirs = renderer.evaluate("model => X.scene.scene(model)", picture.as_json())
    assert theirs != plain(scene(planned(picture)))


def any_access(dice: random.Random) -> tuple[LinearLayout, LinearLayout]:
    """Registers by lanes, and shared memory, of one tile of 1024 elements; a lane's neighbours lie side by side."""
    bits = [1 << n for n in range(10)]
    vector, rest = bits[:2], bits[2:]
    dice.shuffle(rest)
    held = {"register": [*vector, *rest[:4]], "lane": rest[4:]}
    stored = [*vector, *dice.sample(rest, 8)]
    for _ in range(dice.randint(0, 6)):
        one, other = dice.sample(range(2, 10), 2)
        stored[one] ^= stored[other]
    return (
        LinearLayout.from_bases(
            {n: [(v,) for v in vs] for n, vs in held.items()}, {"x": 1024}
        ),
        LinearLayout.from_bases({"offset": [(v,) for v in stored]}, {"x": 1024}),
    )


def test_turns_are_the_conflicts_of_the_planner(renderer: Page) -> None:
    """The most turns of an access are `banks.conflicts`, and of layouts those of `bank_conflicts_of_offsets`."""
    dice, seen = random.Random(3), set[int]()
    for _ in range(60):
        access, shared = any_access(dice)
        bits, vector_bits = dice.choice([(8, 32), (16, 64), (32, 128), (32, 32)])
        options = {"access": data(access), "shared": data(shared), "bits": bits, "vectorBits": vector_bits}  # fmt: skip
        found = renderer.evaluate(
            "o => X.pictures.accesses(o).map(({starts, vectorBits}) => [starts, X.pictures.turns(starts, {...o, vectorBits}), vectorBits])",
            options,
        )
        for starts, turns, wide in found:
            assert max(turns) == conflicts([at * bits for at in starts], wide, 32)
        widest, _ = largest_vectorisation(access.invert_and_compose(shared), bits)
        if vector_bits == widest * bits:
            planned_for = bank_conflicts_of_offsets(access, shared, bits)
            assert {max(turns) for _, turns, _ in found} == {planned_for}
            seen.add(planned_for)
    assert len(seen) > 1


def test_a_slider_goes_through_accesses(renderer: Page) -> None:
    access = LinearLayout.identity_1d(16, "lane", "r") * LinearLayout.identity_1d(
        32, "register", "c"
    )
    shared = LinearLayout.identity_1d(512, "offset", "x").reshape_outs([("c", 32), ("r", 16)])
    options = {"memories": [{"title": "rows", "shared": data(shared)}], "bits": 32,
               "sides": [{"what": "load", "access": data(access), "vectorBits": 32}]}  # fmt: skip
    renderer.evaluate("o => X.pictures.banks(document.body, o)", options)
    said, told = renderer.locator(".slider output"), "of lanes 0-15: 15 more turns, lanes that"
    assert said.text_content() == f"load of 32 bits, register 0 {told} wait are numbered"
    renderer.locator(".slider input").press("ArrowRight")
    assert said.text_content() == f"load of 32 bits, register 1 {told} wait are numbered"


LAID = """({shared, gap}) => {
  const model = {layout: {in: {offset: Object.values(shared.in).flat()}, out: shared.out}, gap, bits: 32, view: "places"};
  const grid = X.scene.gridOf(model);
  return [...Array(grid.rows).keys()].map((row) => [...Array(grid.columns).keys()].map((column) => (
    grid.place(row, column) < 0 ? null : [grid.element(row, column), grid.cells(grid.element(row, column))])));
}"""


def test_gaps_are_holes_in_rows_of_banks(renderer: Page) -> None:
    """Rows of 16 words that begin 20 words behind one another, 32 banks in a row."""
    shared = LinearLayout.identity_1d(16, "offset", "c") * LinearLayout.identity_1d(
        4, "offset", "r"
    )
    shared = shared.transpose_outs(["r", "c"])
    rows = renderer.evaluate(LAID, {"shared": data(shared), "gap": [16, 20]})
    for place in range(len(rows) * 32):
        row, column = divmod(place, 20)
        is_there = row < 4 and column < 16
        wanted = [[row, column], [list(divmod(place, 32))]] if is_there else None
        assert rows[place // 32][place % 32] == wanted


def test_rows_stand_beside_swizzles_and_rounds_have_arcs(renderer: Page) -> None:
    """A column of rows without swizzles meets in one bank, what is swizzled does not."""
    shared = swizzled_shared_layout((8, 32), vec=4, per_phase=1, max_phase=8, order=(1, 0))
    column = LinearLayout.identity_1d(8, "lane", "dim0") * LinearLayout.identity_1d(
        4, "register", "dim1"
    )
    options = {
        "memories": [
            {"title": "if in rows", "shared": renderer.evaluate("X.pictures.inRows", data(shared))},
            {"title": "swizzled", "shared": data(shared)},
        ],
        "sides": [{"what": "load", "access": data(column), "vectorBits": 128}], "bits": 32,
    }  # fmt: skip
    renderer.evaluate("o => X.pictures.banks(document.body, o)", options)
    assert renderer.locator(".picture").count() == 3
    assert renderer.locator(".slider output").text_content() == (
        "load of 128 bits, registers 0-3 of lanes 0-7: if in rows 7 more turns, lanes that wait are numbered; "
        "swizzled no conflicts"
    )
    scene_of = "o => X.pictures.roundsScene(o).filter((one) => one[0] === 'arc').length"
    rounds = [{"xor": xor, "registers": [0, 1], "selects": 2} for xor in (0, 1, 8)]
    assert renderer.evaluate(scene_of, {"rounds": rounds}) == 16
    renderer.evaluate("o => X.pictures.rounds(document.body, o)", {"rounds": rounds})
    assert renderer.locator(".said").last.text_content() == "3 rounds, 6 selections"


def pixels_of(page: Page) -> str:
    """What the outlines of the second panel look like."""
    return page.evaluate("document.querySelectorAll('.over')[2].toDataURL()")


def test_what_is_pointed_at_is_outlined_in_all_panels(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, [Panel("one", A, 16), Panel("two", A, 16)])
    before = pixels_of(page)
    box = page.locator(".over").nth(0).bounding_box()
    assert box is not None
    x, y = box["x"] + 28 + 26 * 5 + 13, box["y"] + 70 + 16 * 3 + 8
    page.mouse.move(x, y)
    said = page.locator(".said")
    assert said.nth(0).text_content() == "dim0 3, dim1 5: lane 5, register 3"
    assert said.nth(2).text_content() == "dim0 3, dim1 5: lane 5, register 3"
    assert pixels_of(page) != before
    page.mouse.move(x, y + 16)
    page.mouse.down()
    page.mouse.up()
    page.mouse.move(2, 2)
    assert said.nth(2).text_content() == "dim0 4, dim1 5: lane 5, register 4"


def test_what_is_pointed_at_in_a_distribution_is_told_with_all_that_hold_it(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path, [Panel("dealt", Distribution((6, 12), (6, 4), (4, 3)))])
    page.keyboard.press("Tab")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    told = page.locator(".said").nth(0).text_content()
    assert told == (
        "dim0 1, dim1 2: subgroup 0, register 6; also subgroup 3, register 6 and 2 more"
    )
    assert page.locator(".said").count() == 1
    page.keyboard.press("t")
    assert page.locator("td").nth(12 + 5).text_content() == "1:5"


def test_a_rectangle_is_dragged(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, [Panel("one", A, 16)])
    box = page.locator(".over").nth(0).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 30, box["y"] + 75)
    page.mouse.down()
    page.mouse.move(box["x"] + 28 + 26 * 3 + 5, box["y"] + 70 + 16 + 5)
    page.mouse.up()
    assert (
        page.locator(".said").nth(0).text_content()
        == "dim0 0-1, dim1 0-3: lane 0-3, register 0-1"
    )


def test_all_of_it_by_keyboard(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, [Panel("one", A, 16)])
    said = page.locator(".said")
    page.keyboard.press("Tab")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert said.nth(0).text_content() == "dim0 1, dim1 1: lane 1, register 1"
    assert said.nth(0).get_attribute("aria-live") == "polite"
    page.keyboard.press("t")
    assert page.locator("td").nth(17).text_content() == "1:1"
    assert (
        page.locator("caption").text_content()
        == "lane:register of each dim0 (rows), dim1 (columns)"
    )
    page.keyboard.press("t")
    assert page.locator("table").count() == 0
    page.keyboard.press("Escape")
    assert said.nth(0).text_content() == ""
    page.keyboard.press("Tab")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert said.nth(1).text_content() == "lane 1 changes dim1 by 1"


def test_a_large_tile_opens_where_it_is_clicked(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, [Panel("C", GEMM.to_linear_layout((256, 256)), 32)])
    box = page.locator(".over").nth(0).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 35 + 2 * 200, box["y"] + 70 + 2 * 100)
    page.keyboard.press("t")
    assert page.locator("th").nth(1).text_content() == "192"
    said = page.locator(".said").nth(0).text_content() or ""
    assert said.startswith("dim0 100, dim1 200: subgroup ")


def test_a_notebook_shows_it_in_a_sandbox(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    shown = notebook_picture(A)
    assert shown is not None
    path.write_text(shown)
    page.goto(path.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator(".picture").nth(1).wait_for()
    assert inside.locator("canvas").count() == 4


def test_a_dark_page_has_other_colours(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, [Panel("one", A, 16)])
    ground = "document.querySelector('.ground').toDataURL()"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"before => {ground} !== before", arg=light)
