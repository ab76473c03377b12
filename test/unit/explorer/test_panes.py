"""The panes in a browser: links, selections, keys, folds, the address, contrast, speed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.explored import exploration

import xetile
from xetile.explorer.page.single_file import page as built

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("panes") / "k.html"
    made.write_text(built([exploration()]), encoding="utf-8")
    return made.as_uri()


def opened(page: Page, address: str, words: str = "p=WSLI") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#{words}")
    page.wait_for_selector(".row")


def lines(page: Page, letter: str, mark: str) -> list[int]:
    """The lines of a level that bear a mark, as far as they are drawn."""
    rows = page.locator(f"#pane-{letter} .row.{mark}[data-line]")
    return sorted(int(row.get_attribute("data-line") or -1) for row in rows.all())


def row(letter: str, line: int) -> str:
    return f"#pane-{letter} [data-line='{line}'] .text"


def state(page: Page, key: str) -> object:
    return page.evaluate("key => X.state.get()[key]", key)


def test_pointing_at_a_line_lights_up_its_kin_everywhere(page: Page, address: str) -> None:
    opened(page, address)
    page.hover(row("S", 2), position={"x": 2, "y": 5})
    assert [lines(page, letter, "hover") for letter in "WSLI"] == [[3], [2], [2], [2]]
    page.mouse.move(5, 5)
    assert [lines(page, letter, "hover") for letter in "WSLI"] == [[], [], [], []]


def test_a_click_keeps_and_a_shifted_one_adds_a_second(page: Page, address: str) -> None:
    opened(page, address)
    page.click(row("W", 2), position={"x": 2, "y": 5})
    assert state(page, "selections") == [[0, 1, None]]
    page.click(row("W", 3), position={"x": 2, "y": 5}, modifiers=["Shift"])
    assert [lines(page, letter, "first") for letter in "WSLI"] == [[2], [1], [1], [1]]
    assert [lines(page, letter, "second") for letter in "WSLI"] == [[3], [2, 4], [2], [2]]


def test_a_click_on_a_value_shows_its_holding(page: Page, address: str) -> None:
    opened(page, address)
    page.click(f"{row('W', 4)} >> text=%a >> nth=0")
    assert state(page, "selections") == [[0, 2, 1]]
    assert state(page, "holding") == 0
    assert page.locator("#pane-W .chosen").all_text_contents() == ["%a", "%a", "%a"]


def test_a_value_under_the_pointer_is_told(page: Page, address: str) -> None:
    opened(page, address)
    page.hover(f"{row('W', 3)} >> text=%a")
    page.wait_for_selector("#tip:not([hidden])")
    assert "M 32 \u00d7 K 16, 16 bits each" in page.inner_text("#tip")


def test_panes_scroll_to_the_heaviest_relative(page: Page, tmp_path: Path) -> None:
    made = tmp_path / "long.html"
    made.write_text(built([exploration(2000)]), encoding="utf-8")
    opened(page, made.as_uri())
    page.evaluate("X.main.panes.panes[2].unfoldAll()")
    page.evaluate("document.getElementById('pane-L').scrollTop = 30000")
    page.click(row("W", 3), position={"x": 2, "y": 5})
    assert lines(page, "L", "cursor") == [2]
    assert page.locator("#pane-L [data-line='2']").bounding_box() is not None
    page.click(row("W", 2), position={"x": 2, "y": 5})
    drawn = page.locator(".pane[data-level=L] .ruler").evaluate(
        "e => e.getContext('2d').getImageData(0, 0, e.width, e.height).data.some(n => n > 0)"
    )
    assert drawn
    page.focus("#pane-I")
    page.keyboard.press("n")
    assert page.inner_text("#status") == "I: relative 1 of 1"


def test_relatives_are_walked_there_and_back(page: Page, address: str) -> None:
    opened(page, address)
    page.click(row("W", 3), position={"x": 2, "y": 5})
    page.focus("#pane-S")
    page.keyboard.press("n")
    assert lines(page, "S", "cursor") == [4]
    page.keyboard.press("n")
    assert lines(page, "S", "cursor") == [2]
    page.keyboard.press("N")
    assert lines(page, "S", "cursor") == [4]


def test_digits_fold_levels_and_keys_drop_and_help(page: Page, address: str) -> None:
    opened(page, address)
    page.keyboard.press("2")
    assert not page.is_visible("#pane-S")
    page.keyboard.press("2")
    assert page.is_visible("#pane-S")
    page.click(row("S", 2), position={"x": 2, "y": 5})
    page.keyboard.press("Escape")
    assert state(page, "selections") == []
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    assert not page.is_visible("#help")


def test_search_goes_through_all_levels(page: Page, address: str) -> None:
    opened(page, address, "p=W")
    page.keyboard.press("/")
    page.keyboard.type("SEND")
    assert page.inner_text("#hits") == "1 line"
    page.keyboard.press("Enter")
    assert lines(page, "I", "cursor") == lines(page, "I", "hit") == [2]


def test_a_border_moves_by_pointer_and_keys(page: Page, address: str) -> None:
    opened(page, address)
    width = "document.querySelector('.pane').getBoundingClientRect().width"
    before = page.evaluate(width)
    place = page.locator(".border").first.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 2, place["y"] + 50)
    page.mouse.down()
    page.mouse.move(place["x"] + 102, place["y"] + 50)
    page.mouse.up()
    assert page.evaluate(width) == pytest.approx(before + 100, abs=4)
    page.locator(".border").first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(width) == pytest.approx(before + 76, abs=4)


def test_a_long_line_is_broken_while_it_is_selected(page: Page, address: str) -> None:
    opened(page, address)
    high = f"document.querySelector(\"{row('S', 4)}\").closest('.row').getBoundingClientRect()"
    assert page.evaluate(f"{high}.height") == 18
    page.click(row("S", 4), position={"x": 2, "y": 5})
    assert page.evaluate(f"{high}.height") > 18
    next_top = (
        "document.querySelector(\"#pane-S [data-line='5']\").getBoundingClientRect().top"
    )
    assert page.evaluate(next_top) >= page.evaluate(f"{high}.bottom")
    assert page.evaluate(next_top) <= page.evaluate(f"{high}.bottom") + 18


def test_steps_that_are_alike_fold_and_keep_their_counts(page: Page, address: str) -> None:
    opened(page, address)
    fold = page.locator("#pane-I [data-fold]")
    assert "K steps 2-16 as step 1" in fold.inner_text()
    assert fold.locator(".instructions").inner_text() == "2.8"  # 45 instructions in 16 steps
    assert len(page.locator("#pane-I [data-line]").all()) == 6
    fold.click()
    assert len(page.locator("#pane-I [data-line]").all()) > 20


FOLDS = "letter => X.main.panes.panes.find(pane => pane.id === letter).folds.map(f => [f.first, f.period, f.rounds])"


def test_lines_fold_by_what_they_came_of_not_by_how_they_are_written(
    page: Page, tmp_path: Path
) -> None:
    """Of 64 lines that are written alike the first 32 came of the load, the others of the product: two stretches.

    Copies of one op fold though their texts differ; lines whose parent is guessed fold by their text.
    """

    def folds(texts: list[str], parents: list[int], guessed: list[int]) -> object:
        one: Any = exploration()
        kernel = one["kernels"][0]
        level = kernel["levels"][3]
        level["lines"] = texts
        level["ops"] = [
            [n, 0, len(text), 6, [parent]]
            for n, (text, parent) in enumerate(zip(texts, parents, strict=True))
        ]
        kernel["costs"] |= {"asm": [0] * len(texts)}
        kernel |= {"loops": [], "inferred": guessed}
        made = tmp_path / "folds.html"
        made.write_text(built([one]), encoding="utf-8")
        opened(page, made.as_uri())
        return page.evaluate(FOLDS, "I")

    alike, unlike = ["mov r1 r2"] * 64, [f"mov {'r1 ' * n}" for n in range(64)]
    of_two = [2] * 32 + [3] * 32
    assert folds(alike, of_two, []) == [[0, 1, 32], [32, 1, 32]]
    assert folds(unlike, of_two, []) == [[0, 1, 32], [32, 1, 32]]
    assert folds(alike, of_two, [*range(64)]) == [[0, 1, 64]]
    assert folds(unlike, of_two, [*range(64)]) == []


def test_counts_of_every_level_sum_to_the_kernels(page: Page, address: str) -> None:
    opened(page, address)
    told = page.evaluate("X.main.panes.kernel.counts(0, 3)")
    assert (told["instructions"], told["hot"], told["waits"]) == (48, 48, 16)
    told = page.evaluate("X.main.panes.kernel.counts(0, 2)")
    assert (told["messages"], told["bytes"]) == (1, 1024)
    whole = "[0, 1, 2].map(l => X.main.panes.kernel.levels[l].ops.reduce((n, _, i) => n + X.main.panes.kernel.counts(l, i).instructions, 0))"
    assert page.evaluate(whole) == [50, 50, 50]


def test_an_instruction_of_two_parents_counts_once(page: Page, tmp_path: Path) -> None:
    one = exploration(parents=(2, 1))
    made = tmp_path / "two.html"
    made.write_text(built([one]), encoding="utf-8")
    opened(page, made.as_uri())
    assert page.evaluate("X.main.panes.kernel.counts(0, 1).instructions") == 1
    page.hover(row("I", 2), position={"x": 2, "y": 5})
    assert lines(page, "W", "hover") == [2, 3]


def test_the_gutter_and_heat_are_shown_when_asked(page: Page, address: str) -> None:
    opened(page, address)
    waits = page.locator("#pane-W [data-line='4'] .waits")
    assert not waits.is_visible()
    page.keyboard.press("g")
    assert waits.inner_text() == "1"
    heat = page.locator("#pane-W [data-line='4'] .heat")
    assert heat.evaluate("e => getComputedStyle(e).visibility") == "hidden"
    page.keyboard.press("h")
    assert heat.evaluate("e => getComputedStyle(e).visibility") == "visible"


def test_the_address_restores_what_was_seen(page: Page, address: str) -> None:
    opened(page, address, "k=second&s=S2~0_L3&e=17.49&g=3&p=SI&h=1")
    assert state(page, "selections") == [[1, 2, None], [2, 3, None]]
    assert state(page, "element") == [17, 49]
    assert state(page, "subgroup") == 3
    assert page.evaluate("[...X.state.get().folded]") == ["W", "L"]
    assert page.evaluate("document.getElementById('kernel').selectedIndex") == 1
    page.keyboard.press("1")
    expect(page).to_have_url(re.compile("#k=second&s=S2_L3&e=17.49&g=3&p=WSI&h=1$"))


def test_a_link_is_two_kilobytes_at_most(page: Page, address: str) -> None:
    opened(page, address)
    page.evaluate(
        "X.state.set({subgroup: 7, whatif: {text: 'register: ' + 'K1 '.repeat(2000)}})"
    )
    expect(page).to_have_url(re.compile("g=7"))
    assert len(page.url.partition("#")[2]) <= 2000
    page.evaluate("X.state.set({whatif: {text: 'register: K1'}})")
    expect(page).to_have_url(re.compile("l=register"))
    page.click("#link")
    page.wait_for_selector("#status:has-text('#k=')")
    assert page.url.partition("#")[2] in page.inner_text("#status")


def test_an_address_of_another_kernel_selects_nothing(page: Page, address: str) -> None:
    opened(page, address, "k=gone&s=S999~7_Q1&p=WQ")
    assert state(page, "selections") == []
    assert page.is_visible("#pane-W")


def test_what_is_missing_is_said(page: Page, address: str) -> None:
    opened(page, address)
    page.click("#notes-button")
    assert page.locator("#notes li").all_text_contents() == [
        "ocloc is not installed",
        "no layout of %a",
    ]


def test_all_of_it_by_keyboard(page: Page, address: str) -> None:
    opened(page, address)
    page.focus("#pane-W")
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    assert lines(page, "W", "cursor") == [4]
    active = page.get_attribute("#pane-W", "aria-activedescendant")
    assert page.get_attribute(f"#{active}", "data-line") == "4"
    assert lines(page, "S", "hover") == [3]
    page.keyboard.press("v")
    assert state(page, "selections") == [[0, 3, 2]]
    page.keyboard.press("v")
    assert state(page, "selections") == [[0, 2, 1]]
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "pane-S"
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert state(page, "selections") == [[1, 0, None]]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Enter")
    assert state(page, "selections") == [[1, 0, None], [1, 1, None]]
    assert page.get_attribute("#S-1", "aria-selected") == "true"
    assert page.get_attribute("#pane-S", "role") == "listbox"
    assert "S 2, arith.constant" in page.inner_text("#status")


def nodes_of(page: Page, folder: Path, filler: int) -> int:
    """Elements of a page of so many more lines, once each has been opened, scrolled, pointed at and clicked."""
    made = folder / f"{filler}.html"
    made.write_text(built([exploration(filler)]), encoding="utf-8")
    opened(page, made.as_uri())
    page.evaluate("X.main.panes.panes.forEach(pane => pane.unfoldAll())")
    for letter in "SL":
        page.evaluate(
            "letter => { document.getElementById(`pane-${letter}`).scrollTop = 2000; }", letter
        )
        page.wait_for_selector(f"#pane-{letter} .row[data-line='120']")
    page.evaluate("X.state.set({hover: [0, 0, null]})")
    page.evaluate("X.main.panes.select([1, 120, null], false)")
    page.wait_for_selector("#pane-S .row.self")
    return page.evaluate("document.querySelectorAll('*').length")


def test_nodes_of_a_page_do_not_grow_with_its_lines(page: Page, tmp_path: Path) -> None:
    few, many = (nodes_of(page, tmp_path, filler) for filler in (300, 20_000))
    assert abs(many - few) < 20
    assert many < 2500


def spread(one: Any) -> dict[str, object]:
    """The same, of whose source each of 48 more ops has one of the 48 instructions of the product."""
    source, subgroup, _, assembly = one["kernels"][0]["levels"]
    for i in range(48):
        source["ops"].append([len(source["lines"]), 2, 9, 1, []])
        source["lines"].append(f"  %{i} = arith.constant {i} : index")
        subgroup["ops"][5 + i][4] = [4 + i]
        assembly["ops"][2 + i][4] = [19 + i]
    return one


def test_costs_of_many_lines_are_listed_when_they_are_asked_for(
    page: Page, tmp_path: Path
) -> None:
    made = tmp_path / "many.html"
    made.write_text(built([spread(exploration(48))]), encoding="utf-8")
    opened(page, made.as_uri())
    rows = page.locator("#costs tr[title]")
    assert rows.count() == 40
    page.click("#costs .more")
    assert rows.count() == 50
    assert page.locator("#costs .more").count() == 0


def test_the_policy_of_the_page_allows_no_network() -> None:
    text = built([exploration()])
    assert "default-src 'none'" in text
    assert json.dumps("http://") not in text


@pytest.fixture(scope="module")
def gemm(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the GEMM of the examples."""
    source = Path("examples/gemm_f16_plain.mlir").read_text(encoding="utf-8")
    made = tmp_path_factory.mktemp("panes") / "gemm.html"
    xetile.explore(xetile.parse(source), "bmg").save(made)
    return made.as_uri()


@pytest.mark.ocloc
def test_steps_of_a_real_kernel_fold(page: Page, gemm: str) -> None:
    opened(page, gemm)
    told = "id => X.main.panes.panes.find(p => p.id === id).folds.map(f => X.main.panes.panes.find(p => p.id === id).foldText(f)).join()"
    assert "K steps 2-16 as step 1" in page.evaluate(told, "L")
    assert "more K steps like these" in page.evaluate(told, "I")


@pytest.mark.ocloc
def test_assembly_of_a_real_kernel_has_no_wide_blanks(page: Page, gemm: str) -> None:
    opened(page, gemm)
    texts = page.locator("#pane-I [data-line] .text").all_text_contents()
    assert texts
    assert not any("   " in text for text in texts)


@pytest.mark.ocloc
def test_bytes_of_a_load_are_those_of_one_step(page: Page, gemm: str) -> None:
    opened(page, gemm)
    page.keyboard.press("g")
    bytes_of = (
        "() => X.main.panes.kernel.costs.bytes.filter(one => one[0] === 0).map(one => one[2])"
    )
    assert 2048 in page.evaluate(bytes_of)
    shown = page.locator("#pane-W .bytes").all_text_contents()
    assert "2k" in shown
    assert "4.1k" in shown


@pytest.mark.ocloc
def test_a_second_selection_is_brought_into_view(page: Page, gemm: str) -> None:
    opened(page, gemm)
    page.evaluate(
        "X.state.set({selections: [[0, 3, null], [X.main.panes.kernel.levelOf('I'), 600, null]]})"
    )
    assert page.locator("#pane-I .row.second.self").is_visible()


@pytest.mark.parametrize(
    "fault",
    [
        "k.levels[1].ops.forEach(op => { op[0] += 1; })",
        "k.levels[1].ops.forEach(op => { op[4] = op[4].map(p => Math.max(0, p - 1)); }); k.indices = k.levels.map(() => ({}))",
        "k.childrenIn = () => () => []",
    ],
    ids=["line off by one", "parents one too early", "no children"],
)
def test_faults_in_links_are_seen_in_the_panes(page: Page, address: str, fault: str) -> None:
    """What the test of pointing expects is no longer so, once a fault is planted."""
    opened(page, address)
    page.evaluate(
        f"() => {{ const k = X.main.panes.kernel; {fault}; k.below = k.levels.map((_, i) => k.levels.flatMap((one, j) => (one.of === i ? [j] : []))); }}"
    )
    page.evaluate("X.state.set({hover: [0, 2, null]})")
    assert [lines(page, letter, "hover") for letter in "WSLI"] != [[3], [2, 4], [2], [2]]


def test_without_a_fault_the_panes_show_the_links(page: Page, address: str) -> None:
    opened(page, address)
    page.evaluate("X.state.set({hover: [0, 2, null]})")
    assert [lines(page, letter, "hover") for letter in "WSLI"] == [[3], [2, 4], [2], [2]]
