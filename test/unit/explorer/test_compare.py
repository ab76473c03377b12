"""Two explorations beside each other in a browser: counts by class and line, what only one has, both assemblies."""

import copy
from collections import Counter
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Page
from support.explored import exploration as small
from support.explored_registers import EXAMPLES, classes, explored

from xetile.api import parse
from xetile.explorer import explore
from xetile.explorer.model import Kernel, as_json
from xetile.explorer.page.single_file import page as built

pytestmark = pytest.mark.browser

PLAIN = "gemm_f16_plain.mlir"
Model = dict[str, object]


@cache
def model(device: str) -> Model:
    return {**as_json(explore(parse((EXAMPLES / PLAIN).read_text()), device).model)}


def opened(page: Page, folder: Path, one: Model, other: Model, words: str = "") -> None:
    made = folder / "two.html"
    made.write_text(built([one, other]), encoding="utf-8")
    page.goto(made.as_uri() + words)
    page.wait_for_selector("#compare", state="attached")


def cells(page: Page, row: str) -> list[str]:
    return page.locator(f"#compare {row}").locator("th, td").all_inner_texts()


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def counted(kernel: Kernel) -> tuple[Counter[str], Counter[str]]:
    """Instructions by class: in the hot loop, and outside."""
    (hot,) = [loop for loop in kernel.loops if loop.is_hot]
    kinds = classes(kernel)
    first, last = hot.asm[0], hot.asm[1] + 1
    return Counter(kinds[first:last]), Counter(kinds[:first] + kinds[last:])


def lit(page: Page, side: int) -> int:
    return page.locator(f".compared section:nth-of-type({side + 1}) .lit").count()


@pytest.mark.ocloc
def test_counts_by_class_are_those_of_both_models(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, model("bmg"), model("pvc"))
    assert page.locator("#compare").is_visible()
    kernels = [explored(PLAIN, device) for device in ("bmg", "pvc")]
    steps = [next(loop.unroll for loop in kernel.loops if loop.is_hot) for kernel in kernels]
    assert steps[0] != steps[1]
    counts = [counted(kernel) for kernel in kernels]
    names = {name for part in counts for one in part for name in one}
    assert page.locator("#compare [data-class]").count() == len(names) + 1
    for name in names:
        _, *shown = cells(page, f"[data-class='{name}']")
        hot = [part[0][name] / unroll for part, unroll in zip(counts, steps, strict=True)]
        once = [part[1][name] for part in counts]
        expected = [*hot, hot[1] - hot[0], *once, once[1] - once[0]]
        assert [number(text) for text in shown] == pytest.approx(expected, abs=0.051)


@pytest.mark.ocloc
def test_a_line_of_the_source_has_its_counts_and_lights_both_assemblies(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path, model("bmg"), model("pvc"))
    line = next(
        number
        for number, text in enumerate(explored(PLAIN, "bmg").levels[0].lines)
        if "xetile.store_tile" in text
    )
    row = f"[data-source='{line},{line}']"
    title, *shown = cells(page, row)
    assert title == f"{line + 1} xetile.store_tile"
    assert shown[:3] == ["0", "0", "0"]
    page.focus(f"#compare {row}")
    assert [lit(page, 0), lit(page, 1)] == [int(shown[3]), int(shown[4])]
    assert number(shown[5]) == int(shown[4]) - int(shown[3]) > 0
    assert shown[-2:] == [str(32 * 64 * 4), "0"]
    page.keyboard.press("Enter")
    chosen = page.locator(".assembly [aria-selected]")
    assert [one.get_attribute("class") for one in chosen.all()] == ["lit", "lit"]
    page.keyboard.press("Escape")
    assert page.locator("#compare").is_hidden()
    level, op, _ = cast(list[int], page.evaluate("X.state.get().selections[0]"))
    assert (level, explored(PLAIN, "bmg").levels[0].ops[op].line) == (0, line)


@pytest.mark.ocloc
def test_an_instruction_lights_those_of_its_line_on_both_sides(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path, model("bmg"), model("pvc"))
    page.locator(".assembly div", has_text="dpas").first.click()
    wanted = next(
        cells(page, f"[data-source='{source}']")
        for source in (
            row.get_attribute("data-source") for row in page.locator("[data-source]").all()
        )
        if "tile_mma" in page.locator(f"[data-source='{source}'] th").inner_text()
    )
    kernels = [explored(PLAIN, device) for device in ("bmg", "pvc")]
    steps = [next(loop.unroll for loop in kernel.loops if loop.is_hot) for kernel in kernels]
    for side in (0, 1):
        hot, once = number(wanted[1 + side]), number(wanted[4 + side])
        assert lit(page, side) == pytest.approx(
            hot * steps[side] + once, abs=0.05 * steps[side]
        )
        assert lit(page, side) >= 32 * steps[side]
    page.keyboard.press("ArrowDown")
    assert page.locator(".assembly [aria-selected]").count() >= 1


@pytest.mark.ocloc
def test_a_file_against_itself_differs_nowhere(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, model("bmg"), model("bmg"))
    assert "No class differs" in page.inner_text("#compare .answer")
    assert page.locator("#compare .differs").count() == 0
    assert "only in" not in page.inner_text("#compare")
    assert "The same ops, as often, at levels W, S, B, X, V, L" in page.inner_text("#compare")


def changed(name: str) -> Model:
    """The small exploration with another name, a line more, and a line that says something else."""
    other = copy.deepcopy(small())
    kernel = cast(list[Model], other["kernels"])[0]
    kernel["name"] = name
    level = cast(list[Model], kernel["levels"])[0]
    lines, ops = cast(list[str], level["lines"]), cast(list[list[object]], level["ops"])
    lines[3] = lines[3].replace("%a =", "%other =")
    lines.append("  %more = xetile.tile_mma %a, %a")
    ops.append([len(lines) - 1, 2, 20, 3, []])
    return other


def test_other_names_and_lines_that_only_one_has(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, small(), changed("other"))
    sources = [row.get_attribute("data-source") for row in page.locator("[data-source]").all()]
    # the line that says something else is known by its op and neighbours
    assert "3,3" in sources
    added = len(cast(list[str], level_of(changed("other"))["lines"])) - 1
    assert f",{added}" in sources
    assert cells(page, f"[data-source=',{added}']")[0] == (
        f"{added + 1} xetile.tile_mma, only in B"
    )
    assert page.locator("#compare tr", has_text="W xetile.tile_mma").count() == 1


def level_of(one: Model) -> Model:
    return cast(list[Model], cast(list[Model], one["kernels"])[0]["levels"])[0]


def test_a_side_without_assembly_says_so(page: Page, tmp_path: Path) -> None:
    other = copy.deepcopy(small())
    kernel = cast(list[Model], other["kernels"])[0]
    kernel["levels"] = [one for one in cast(list[Model], kernel["levels"]) if one["id"] != "I"]
    kernel["costs"] = None
    kernel["loops"] = []
    opened(page, tmp_path, small(), other)
    assert "B has no assembly" in page.inner_text("#compare")
    everything = cells(page, "[data-class='all']")
    assert (everything[2], everything[3], everything[5], everything[6]) == (
        "\u2013",
        "",
        "\u2013",
        "",
    )
    assert number(everything[1]) > 0


def test_the_key_opens_it_and_a_link_to_a_line_does_not(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, small(), small(), "#k=k&s=W2")
    assert page.locator("#compare").is_hidden()
    page.keyboard.press("=")
    assert page.locator("#compare").is_visible()
    before = page.evaluate("[...X.state.get().folded]")
    page.keyboard.press("1")
    assert page.evaluate("[...X.state.get().folded]") == before
    page.keyboard.press("Escape")
    page.click("#compare-button")
    assert page.locator("#compare").is_visible()


def test_a_page_of_one_has_no_comparison(page: Page, tmp_path: Path) -> None:
    made = tmp_path / "one.html"
    made.write_text(built([small()]), encoding="utf-8")
    page.goto(made.as_uri())
    page.wait_for_selector(".row")
    assert page.locator("#compare, #compare-button").count() == 0
    two = len(built([small(), small()])) - len(built([small()]))
    assert two <= 9500
