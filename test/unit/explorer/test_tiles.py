"""Who holds an element, as the page works it out: a small model by hand, of which every place is known."""

from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.message_layouts import BlockConfiguration, message_layout

pytestmark = pytest.mark.browser

SCRIPTS = (
    ("xetile.layout.show", "f2.js"),
    ("xetile.explorer", "model.js"),
    ("xetile.explorer", "tiles.js"),
)
PACKED = message_layout(BlockConfiguration(32, 16, 2, packed=True), 16)
ROWS, COLUMNS, WORDS = 32, 64, 2


def bases(layout: LinearLayout, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "in": {name: [list(v) for v in vectors] for name, vectors in layout.bases.items()},
        "out": dict(zip(names, layout.out_dim_sizes, strict=True)),
    }


def holding(sizes: list[int], **more: object) -> dict[str, Any]:
    plain = {"tensor": ["K", "N"], "sizes": sizes, "bits": 16, "place": "registers"}
    empty = dict.fromkeys(("layout", "blocks", "offset", "tile", "base", "step"))
    return {**plain, **empty, **more}


def level(
    letter: str, of: int | None, lines: list[str], parents: list[list[int]], values: object
) -> dict[str, Any]:
    ops = [[line, 0, 9, 0, parents[line]] for line in range(len(lines))]
    return {"id": letter, "title": letter, "of": of, "passes": [], "lines": lines, "numbers": None,
            "ops": ops, "values": values, "uses": []}  # fmt: skip


def model() -> dict[str, Any]:
    """B of 32x256, of which four subgroups hold 32x64 each, twice; loaded by two packed messages to r196 and r164."""
    subgroups = {"in": {"subgroup": [[0, 64], [0, 128], [0, 0]]}, "out": {"K": 32, "N": 256}}
    part = bases(PACKED, ("K", "N"))
    holdings = [
        holding([32, 256], layout=subgroups, place="memory"),
        holding([ROWS, COLUMNS]),
        holding([32, 32], layout=part, offset=[0, 0], tile=[1, 0], base={"register": 196}),
        holding([32, 32], layout=part, offset=[0, 32], tile=[1, 0], base={"register": 164}),
    ]
    loads = ["%v = load -> vector<32xi32>", "%w = load -> vector<32xi32>"]
    kernel = {
        "name": "k", "names": ["load"], "subgroups": 8, "sg_layout": [2, 4], "lanes": 16, "register_bytes": 64,
        "levels": [
            level("W", None, ["%b = load"], [[]], [[0, 0, 0, 0, 2, 0]]),
            level("S", 0, ["%b = load"], [[0]], [[0, 0, 0, 0, 2, 1]]),
            level("V", 1, loads, [[0], [0]], [[0, 0, 0, 0, 2, 2], [1, 0, 1, 0, 2, 3]]),
        ],
        "holdings": holdings, "moves": [], "dpas": [], "loops": [], "costs": None, "notes": [],
    }  # fmt: skip
    return {"explorations": [{"file": "f", "device": "bmg", "kernels": [kernel], "notes": []}]}


@pytest.fixture
def tiles(page: Page) -> Page:
    """A page that has the model as `K`."""
    page.goto("about:blank")
    for room, name in SCRIPTS:
        page.add_script_tag(content=files(room).joinpath("page", name).read_text("utf-8"))
    page.evaluate(
        "(root) => { window.K = X.model.read(root).explorations[0].kernels[0] }", model()
    )
    return page


def test_every_element_of_a_tile_is_where_the_message_leaves_it(tiles: Page) -> None:
    asked = [[row, column] for row in range(ROWS) for column in range(0, COLUMNS, 3)]
    told = tiles.evaluate("(all) => all.map((one) => X.tiles.place(K, [1, 0], one))", asked)
    for (row, column), places in zip(asked, told, strict=True):
        (one,) = places
        held = {"register": one["register"], "lane": one["lane"]}
        assert one["value"] == column // 32
        assert list(PACKED.apply(held).values()) == [row, column % 32]
        # 16 lanes of 32-bit words fill a register
        assert one["file"] == (164 if column >= 32 else 196) + one["register"] // WORDS


def test_an_element_of_the_workgroup_is_in_all_subgroups_that_share_it(tiles: Page) -> None:
    places = tiles.evaluate("() => X.tiles.place(K, [0, 0], [5, 101])")
    assert [(p["subgroup"], p["level"], p["value"], p["lane"], p["file"]) for p in places] == [
        (1, "V", 1, 5, 166),
        (5, "V", 1, 5, 166),
    ]


def test_nobody_holds_what_lies_outside(tiles: Page) -> None:
    assert tiles.evaluate("() => X.tiles.place(K, [1, 0], [32, 0])") == []
