"""Where the page says that elements are, held against the interpreter: 200 elements of each kernel at level V."""

import json
import random
from importlib.resources import files

import pytest
from playwright.sync_api import Page
from support.explored_kernels import ELEMENTS, explored_case
from support.explored_places import Place, as_bits
from support.tiled.kernels import FAMILIES

from xetile.explorer.model import Model, as_json

pytestmark = pytest.mark.browser

BY_NAME = {case.name: case for cases in FAMILIES.values() for case in cases()}
SCRIPTS = (
    ("xetile.layout.show", "f2.js"),
    ("xetile.explorer", "model.js"),
    ("xetile.explorer", "tiles.js"),
)


@pytest.mark.parametrize("device", ["bmg", "pvc"])
@pytest.mark.parametrize(
    "name",
    [
        "gemm_bias_gelu",
        "gemm_f16_a_columns_b_columns",
        "gemm_i8_a_columns_b_columns",
        "softmax",
        "flash_attention",
    ],
)
def test_an_element_is_where_the_page_says(page: Page, name: str, device: str) -> None:
    one = explored_case(BY_NAME[name], device)
    page.goto("about:blank")
    for room, script in SCRIPTS:
        page.add_script_tag(content=files(room).joinpath("page", script).read_text("utf-8"))
    model = json.loads(json.dumps(as_json(Model("f", device, {}, [one.kernel]))))
    page.evaluate(
        "(one) => { window.K = X.model.read({ explorations: [one] }).explorations[0].kernels[0] }",
        model,
    )
    above, level = one.trace.level("W"), one.trace.level("V")
    assert above is not None
    assert level is not None
    tiles = {
        whole: holding.bits
        for tile, whole, holding, _ in one.units()
        if whole in one.found["W"] and any(one.parts(tile, "V"))
    }
    chosen = random.Random(11)
    count = 0
    asked = [(whole := chosen.choice(sorted(tiles)), [chosen.randrange(n) for n in one.found["W"][whole].shape[1:]]) for _ in range(ELEMENTS)]  # fmt: skip
    told = page.evaluate(
        "([level, all]) => all.map(([tile, at]) => X.tiles.place(K, [level, tile], at).filter((one) => one.level === 'V'))",
        [above, asked],
    )
    for (whole, at), places in zip(asked, told, strict=True):
        bits = tiles[whole]
        wanted = int(as_bits(one.found["W"][whole][0][tuple(at)], bits).ravel()[0])
        found = [
            Place(p["subgroup"], (level, p["value"]), p["register"], p["lane"])
            for p in places
            if p["value"] in one.found["V"] and not one.is_partial(p["value"])
        ]
        assert [p for p in found if one.bits_at(p, bits) != wanted] == [], (whole, at)
        count += bool(found)
    assert count > ELEMENTS // 2
