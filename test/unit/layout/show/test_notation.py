"""The notation of layouts: Python and the page read what the other prints, and refuse the same at the same place."""

import random
from typing import Any

import pytest
from playwright.sync_api import Page

from xetile.explorer.page.single_file import page as page_of
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.show.notation import MOST, NotationError, notation, read_notation
from xetile.layout.show.plain_data import bases_of, layout_of_form


def random_layout(dice: random.Random) -> LinearLayout:
    outs = dice.sample(["M", "N", "K", "dim0", "dim1", "offset"], dice.randint(1, 3))
    sizes = {name: 1 << dice.randint(0, 7) for name in outs}
    bases = {
        name: [
            tuple([dice.randrange(size) for size in sizes.values()])
            for _ in range(dice.randint(0, 5))
        ]
        for name in dice.sample(["register", "lane", "subgroup", "block"], dice.randint(1, 4))
    }
    return LinearLayout.from_bases(bases, sizes, require_surjective=False)


LAYOUTS = [random_layout(random.Random(seed)) for seed in range(300)]


def test_what_is_printed_is_read() -> None:
    for layout in LAYOUTS:
        assert read_notation(notation(layout)) == layout
    b = LinearLayout.from_bases({"register": [(1, 0), (2, 8)], "lane": [(0, 0)]}, {"K": 4, "dim0": 16}, require_surjective=False)  # fmt: skip
    assert notation(b) == "register: K1 K2^dim0=8; lane: 0 -> K=4 dim0=16"
    assert read_notation("register: K1\n  K2^dim0=8 lane: 0") == b


def test_sizes_are_those_that_are_known_or_the_smallest() -> None:
    assert read_notation("lane: N1 N4").out_dims == {"N": 8}
    assert read_notation("lane: N1 N4", {"M": 2, "N": 16}).out_dims == {"M": 2, "N": 16}
    assert read_notation("lane: N1", {"M": 2}).out_dims == {"N": 2}


WRONG = [
    ("", (1, 1), "expected a layout, such as register: K1 K2, found the end"),
    ("register: K1^", (1, 14), "expected a dimension and a number, such as K8, found the end"),
    ("register: K1\n  lane: K -> K4", (2, 9), "expected a dimension and a number, such as K8, found 'K'"),
    ("register: K= -> K4", (1, 14), "expected a number, found '->'"),
    ("register: K1 -> K3", (1, 17), "K = 3 is no power of two"),
    ("register: K1 -> K4 K4", (1, 20), "'K' is there twice"),
    ("register: K8 -> K8", (1, 11), "K8 is outside: K has 8"),
    ("register: M1 -> K8", (1, 11), "there is no dimension 'M'; there are K"),
    ("lane: K1\nlane: K2", (2, 1), "'lane' is there twice"),
    (f"lane: K{MOST + 1}", (1, 7), f"numbers are at most {MOST}"),
    (f"lane: K{'9' * 9999}", (1, 7), f"numbers are at most {MOST}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "what"), WRONG, ids=range(len(WRONG)))
def test_mistakes_have_their_place(text: str, place: tuple[int, int], what: str) -> None:
    with pytest.raises(NotationError) as wrong:
        read_notation(text)
    assert (wrong.value.line, wrong.value.column, wrong.value.what) == (*place, what)
    assert str(wrong.value) == f"{place[0]}:{place[1]}: {what}"


def test_only_a_layout_is_read() -> None:
    with pytest.raises(NotationError, match=r"1:14: expected the end, found '8'"):
        read_notation("register: K1 8")


@pytest.fixture
def notations(page: Page) -> Page:
    root: Any = {"version": 1, "file": "none", "device": "bmg", "kernels": [], "notes": []}
    page.set_content(page_of([root]))
    page.wait_for_function("window.X && X.type")
    return page


@pytest.mark.browser
def test_the_page_reads_and_prints_the_same(notations: Page) -> None:
    printed = [notation(layout) for layout in LAYOUTS]
    read: Any = notations.evaluate("texts => texts.map((text) => X.type.read(text))", printed)
    assert read == [bases_of(layout) for layout in LAYOUTS]
    texts: Any = notations.evaluate("layouts => layouts.map(X.type.print)", read)
    for text, form in zip(texts, read, strict=True):
        assert read_notation(text) == layout_of_form(form["in"], form["out"])


@pytest.mark.browser
def test_the_page_refuses_the_same(notations: Page) -> None:
    said: Any = notations.evaluate(
        "texts => texts.map((text) => { try { return X.type.read(text); } catch (error) { return [error.at, error.message]; } })",
        [text for text, _, _ in WRONG],
    )
    for (text, (line, column), what), found in zip(WRONG, said, strict=True):
        start = 0 if line == 1 else text.index("\n") + 1
        assert found == [start + column - 1, what]
