"""A layout is typed in the page: what it says of it, what it refuses, and that nothing looks compiled any more."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from xetile.explorer.serving import command as explore

EXAMPLE = Path(__file__).parents[3] / "examples/gemm_f16_plain.mlir"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("typed") / "gemm.html"
    assert explore.main([str(EXAMPLE), "--device", "bmg", "-o", str(out)]) == 0
    return out


def opened(page: Page, file: Path, address: str = "") -> Page:
    page.goto(f"{file.as_uri()}{address}")
    page.wait_for_selector("#layout")
    return page


READ = "([text, known, sizes]) => { try { return X.type.read(text, known, sizes); } catch (error) { return [error.at, error.message]; } }"
K = {"in": {"register": [[1], [2]]}, "out": {"K": 4}}


def read(page: Page, text: str, sizes: dict[str, int] | None = None) -> Any:
    return page.evaluate(READ, [text, {"k": K}, sizes or {}])


def test_notation(page: Page, file: Path) -> None:
    opened(page, file)
    n8 = {
        "in": {"register": [[1, 0], [2, 8]], "lane": [[0, 0], [0, 1]]},
        "out": {"K": 4, "N": 16},
    }
    assert read(page, "register: K1 K2^N8; lane: 0 N1") == n8
    assert read(page, "register: K1 K2^N8 lane: 0 N1 -> K4 N16") == n8
    own = read(page, "lane: N1", {"M": 8, "N": 16})
    assert own == {"in": {"lane": [[0, 1]]}, "out": {"M": 8, "N": 16}}
    assert read(page, "register: dim0=1 dim1=2")["out"] == {"dim0": 2, "dim1": 4}
    assert read(page, "k * {lane: N1}") == {
        "in": {"register": [[1, 0], [2, 0]], "lane": [[0, 1]]},
        "out": {"K": 4, "N": 2},
    }
    assert read(page, "inv({lane: K2 K1})") == {"in": {"K": [[2], [1]]}, "out": {"lane": 4}}
    assert read(page, "k \\ {lane: K2 K1}") == {
        "in": {"lane": [[2], [1]]},
        "out": {"register": 4},
    }
    assert read(page, "inv(k) . {lane: K2 K1}") == {
        "in": {"lane": [[2], [1]]},
        "out": {"register": 4},
    }
    for layout in (n8, own, K):
        assert read(page, page.evaluate("X.type.print", layout)) == layout


MISTAKES = [
    ("register: K1 8", 13, "expected . or * or \\ or the end, found '8'"),
    ("register: K1^", 13, "expected a dimension and a number, such as K8, found the end"),
    ("register: K1 -> K3", 16, "K = 3 is no power of two"),
    ("register: K8 -> K8", 10, "K8 is outside: K has 8"),
    ("register: M1 -> K8", 10, "there is no dimension 'M'; there are K"),
    ("lane: K1 lane: K2", 9, "'lane' is there twice"),
    ("k . foo", 4, "there is no layout 'foo'; known are k"),
    ("(k", 2, "expected ')', found the end"),
    ("k . {lane: N1}", 2, "cannot compose: [N] must be [register], none larger"),
    ("inv({lane: K1 -> K4})", 0, "there is no such layout: some element has no place"),
    ("", 0, "expected a layout, such as register: K1 K2, found the end"),
]  # fmt: skip
"""What is typed, the column of its mistake, and what is said of it."""


def test_mistakes_have_their_column(page: Page, file: Path) -> None:
    opened(page, file)
    for text, place, message in MISTAKES:
        assert read(page, text) == [place, message]


def select_b(page: Page) -> None:
    """Select the first value at X that a matrix instruction takes."""
    page.evaluate("""() => {
        const kernel = window.K = (() => { const root = X.main.panes.kernel; return root; })();
        const level = kernel.levelOf("X");
        const value = kernel.levels[level].values.findIndex(([, , , , , id]) => id !== null && kernel.holdings[id].layout
            && String(kernel.holdings[id].tensor) === "K,N");
        X.state.set({selections: [[level, kernel.levels[level].values[value][0], value]], holding: kernel.holdingOf(level, value)});
    }""")


def test_what_is_typed_is_not_compiled(page: Page, file: Path) -> None:
    opened(page, file)
    select_b(page)
    page.click("text=take the selected")
    assert page.locator(".uncompiled").inner_text() == "not compiled"
    facts = page.locator("#type li").all_inner_texts()
    assert facts[:2] == ["rank 10 of 10: every element has a place", "no copies"]
    assert page.locator("#pane-I .first").count() == 0
    before = page.input_value("#layout")
    assert "register: " in before
    page.fill("#layout", "register: K1")
    assert page.evaluate("X.state.get().whatif.text") == "register: K1"
    page.fill("#layout", "register: K1 ^")
    assert "^ expected" in page.locator("#type .wrong").inner_text()
    page.keyboard.press("Escape")
    page.fill("#layout", "")
    assert page.evaluate("X.state.get().whatif") is None
    assert page.locator("#type li").count() == 0


@pytest.mark.ocloc
def test_lanes_that_differ_are_hatched(page: Page, file: Path) -> None:
    opened(page, file)
    select_b(page)
    page.click("text=take the selected")
    assert any(
        "nothing is shuffled" in fact for fact in page.locator("#type li").all_inner_texts()
    )
    wrong = page.input_value("#layout").replace("lane: N1 N2", "lane: N2 N1")
    page.fill("#layout", wrong)
    facts = page.locator("#type li").all_inner_texts()
    assert "512 of 1024 elements (hatched) are in another lane than DPAS takes B" in facts
    assert "2 of 4 lane vectors are others" in facts


def test_the_address_restores_what_was_typed(page: Page, file: Path) -> None:
    opened(page, file, "#k=gemm&l=register:+K1+K2")
    assert page.input_value("#layout") == "register: K1 K2"
    assert page.locator(".uncompiled").count() == 1


def test_attributes_are_refused(page: Page, file: Path) -> None:
    opened(page, file)
    page.fill("#layout", "#ttg.linear<{}>")
    said = page.locator("#type .wrong").inner_text()
    assert (
        said == "the page reads no attributes; xetile-layout -l does, and prints their bases"
    )
