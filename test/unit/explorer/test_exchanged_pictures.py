"""Values that go through shared memory, or between lanes: their pictures, and that these show what the passes counted."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.tiled.across import kernels_across
from support.tiled.case import module_of

from xetile.api import parse
from xetile.explorer import explore
from xetile.explorer.model import Kernel, Model, as_json
from xetile.explorer.page.single_file import page as built

EXAMPLES = Path(__file__).parents[3] / "examples"
CASES = {case.name: case for case in kernels_across()}
KERNELS = ["transposed_f32_in_rows_of_16", "softmax_f32_along_1_split", "sums_along_0", "gemm_int8_weights"]  # fmt: skip

SELECT = """([level, name, subgroup]) => {
  const K = X.main.panes.kernel;
  const at = K.levelOf(level);
  const value = K.levels[at].values.findIndex((_, v) => K.nameOf(at, v) === name);
  X.state.set({ selections: [[at, K.levels[at].values[value][0], value]] });
  X.state.set({ subgroup, element: null });
}"""
MOST_TURNS = """() => X.main.panes.kernel.moves.filter((move) => move.shared).map(({ shared }) => {
  const { places, gap, bits } = shared;
  const most = ({ layout, bits: vectorBits, owners }) => Math.max(...[0, 1, 3].flatMap((subgroup) => (
    X.pictures.accesses({ shared: places, gap, access: layout, bits, vectorBits, origin: owners && X.f2.apply(owners, { subgroup }) })
      .map((one) => (one.vectorBits === vectorBits ? Math.max(...X.pictures.turns(one.starts, { ...shared, ...one })) : -1)))));
  return [most(shared.store), most(shared.load), shared.conflicts];
})"""


@cache
def model(name: str) -> Model:
    module = module_of([CASES[name]]) if name in CASES else parse(EXAMPLES / f"{name}.mlir")
    return explore(module, "bmg", assembly=False).model


def kernel(name: str) -> Kernel:
    return model(name).kernels[0]


def opened(page: Page, folder: Path, name: str, fault: Any = None) -> Page:
    data = json.loads(json.dumps(as_json(model(name))))
    if fault is not None:
        fault(data["kernels"][0])
    file = folder / "page.html"
    file.write_text(built([data]), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_selector("#way .told")
    return page


def captions(page: Page) -> list[str]:
    return page.locator("#way figcaption:not(.drawn)").all_text_contents()


@pytest.mark.parametrize("name", [*CASES, "gemm_int8_weights", "softmax", "layer_norm"])
def test_every_exchange_through_shared_memory_says_how_it_lies(name: str) -> None:
    shared = [move for move in kernel(name).moves if move.kind == "shared"]
    assert all(move.shared is not None for move in shared)
    at_w = [move for move in shared if kernel(name).levels[move.op[0]].id == "W"]
    wanted = {"softmax": 2, "layer": 2, "transposed": 1 + name.endswith("16"), "sums": 1}
    is_split = name in CASES or name == "gemm_int8_weights"
    count = wanted.get(name.partition("_")[0], int(name == "gemm_int8_weights"))
    assert len(at_w) == (count if is_split else 0)


@pytest.mark.browser
@pytest.mark.parametrize("name", [*KERNELS, "layer_norm"])
def test_turns_of_lanes_are_those_that_the_passes_counted(
    page: Page, tmp_path: Path, name: str
) -> None:
    found = opened(page, tmp_path, name).evaluate(MOST_TURNS)
    assert found
    for store, load, conflicts in found:
        planned = conflicts.get("all", 0), conflicts.get("store", 0), conflicts.get("load", 0)
        assert (0, store, load) == planned


def _moved(one: dict[str, Any]) -> None:
    """The gaps are left out."""
    for move in one["moves"]:
        if move["shared"]:
            move["shared"]["gap"] = None


@pytest.mark.browser
def test_gaps_that_are_left_out_are_conflicts(page: Page, tmp_path: Path) -> None:
    found = opened(page, tmp_path, "transposed_f32_in_rows_of_16", _moved).evaluate(MOST_TURNS)
    assert any(load > conflicts["load"] for _, load, conflicts in found)


@pytest.mark.browser
@pytest.mark.parametrize("level", ["W", "S"])
def test_an_exchange_is_shown_as_banks_before_and_after(
    page: Page, tmp_path: Path, level: str
) -> None:
    opened(page, tmp_path, "transposed_f32_in_rows_of_16")
    page.evaluate(SELECT, [level, "%turned", 1])
    assert "through shared memory, planned: 144 instructions" in captions(page)
    expect(page.locator("#way .reason").first).to_contain_text(
        "conflicts as planned: store 0, load 0; 1 buffer of 18432 bytes, rows of 72"
    )
    stage = page.locator("#way .stage", has=page.locator(".slider")).first
    assert stage.locator(".picture").count() == 3
    said, slider = stage.locator(".slider output"), stage.locator(".slider input")
    expect(said).to_have_text(
        "store of 32 bits, register 0 of lanes 0-15: if in rows no conflicts; with gaps no conflicts"
    )
    slider.press("End")
    expect(said).to_have_text(
        "load of 256 bits, registers 0-7 of lanes 0-15, 2 lanes at once: if in rows 1 more turn, lanes that wait are numbered; "
        "with gaps no conflicts"
    )


@pytest.mark.browser
def test_lanes_that_wait_are_numbered_in_cells_with_room_for_it(
    page: Page, tmp_path: Path
) -> None:
    """Turns are told by numbers, so that none hangs on red: an access of 18 rows of banks has room for them."""
    opened(page, tmp_path, "transposed_f32_in_rows_of_16")
    page.evaluate(
        "() => { const usual = CanvasRenderingContext2D.prototype.fillText; window.written = [];"
        " CanvasRenderingContext2D.prototype.fillText = function (words, ...rest) {"
        " if (this.font.includes('bold 10px')) written.push(words); usual.call(this, words, ...rest); }; }"
    )
    page.evaluate(SELECT, ["W", "%turned", 1])
    page.evaluate("written.length = 0")
    stage = page.locator("#way .stage", has=page.locator(".slider")).first
    stage.locator(".slider input").press("End")
    written = page.evaluate("written")
    assert {number: written.count(number) for number in "23"} == {"2": 8, "3": 0}


@pytest.mark.browser
def test_prices_are_side_by_side_as_they_were_compared(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "layer_norm")
    page.evaluate(SELECT, ["W", "%sum", 1])
    assert captions(page) == [
        "through shared memory, planned: shared memory 14 instructions, shuffles more than 14",
        "reduced, planned: rows brought to lanes first 29 instructions, exchanges between lanes 43",
    ]
    page.evaluate(SELECT, ["W", "%mean", 1])
    assert "copied, planned: shuffles 8 instructions, shared memory 12" in captions(page)


@pytest.mark.browser
def test_tables_of_banks_come_and_go(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "transposed_f32_in_rows_of_16")
    page.evaluate(SELECT, ["W", "%moved", 0])
    page.locator(".pane-body").first.press("t")
    stage = page.locator("#way .stage", has=page.locator(".slider")).first
    expect(stage.locator("table")).to_have_count(2)
    page.locator(".pane-body").first.press("t")
    expect(stage.locator("table")).to_have_count(0)


@pytest.mark.browser
@pytest.mark.ocloc
def test_what_was_planned_is_told_apart_from_what_came_of_it(
    page: Page, tmp_path: Path
) -> None:
    """The mean is copied to all lanes by operands of instructions; SPIR-V has the costs of its op of level L."""
    file = tmp_path / "page.html"
    file.write_text(explore(parse(EXAMPLES / "layer_norm.mlir"), "bmg", assembly=True).html())
    page.goto(file.as_uri())
    page.wait_for_selector("#way .told")
    page.evaluate(SELECT, ["W", "%mean", 1])
    assert any("; found: no instruction of its own" in words for words in captions(page))
    page.evaluate(
        "() => { const K = X.main.panes.kernel, P = K.levelOf('P');"
        " const op = K.levels[P].ops.findIndex((_, i) => K.parents(P, i).some((at) => K.counts(...at).instructions));"
        " X.main.panes.select([P, op, null], false); }"
    )
    said = page.locator("#status").text_content() or ""
    assert re.search(
        r"its LLVM op: (per|once).* instruction.*lines elsewhere: .*instructions \d", said
    ), said
