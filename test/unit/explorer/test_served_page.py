"""A served page in a browser: its source is edited and compiled, errors have a caret, the file is followed."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from xetile.explorer.serving.server import Session
from xetile.explorer.serving.wanted import Wanted

TEXT = (Path(__file__).parents[3] / "examples/gemm_f16_plain.mlir").read_text()

pytestmark = pytest.mark.browser


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    file = tmp_path / "gemm.mlir"
    file.write_text(TEXT)
    session = Session([Wanted(str(file), "bmg")], 0)
    thread = threading.Thread(target=session.run)
    thread.start()
    yield session
    session.stop()
    thread.join(10)


def test_source_is_edited_and_the_file_followed(page: Page, session: Session) -> None:
    page.goto(session.address)
    expect(page.locator("#edit")).to_be_visible()
    page.click("#edit")
    editor = page.locator(".editor textarea")
    assert editor.input_value() == TEXT.removesuffix("\n")

    editor.fill(TEXT.replace("@gemm", "@edited"))
    expect(page.locator("#status")).to_contain_text("compiled what you typed", timeout=15000)
    names = page.evaluate("X.main.panes.kernel.name")
    assert names == "edited"
    assert editor.is_visible()
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"

    editor.fill("module {\n  foo.bar\n}\n")
    note = page.locator(".editor-wrong")
    expect(note).to_have_text("^ there is no op 'foo.bar'", timeout=15000)
    assert page.locator("body.stale").count() == 1
    assert page.evaluate("X.main.panes.kernel.name") == "edited"
    caret = page.evaluate(
        "(() => { const style = document.querySelector('.editor-wrong').style; return [style.top, style.left]; })()"
    )
    assert caret == ["36px", "calc(2ch + 4px)"]
    assert Path(session.path).read_text() == TEXT

    Path(session.path).write_text(TEXT.replace("@gemm", "@followed"))
    expect(page.locator("#status")).to_contain_text(
        "the file changed; Esc drops", timeout=15000
    )
    editor.press("Escape")
    expect(page.locator("#kernel")).to_contain_text("followed", timeout=15000)
    assert page.locator("body.stale").count() == 0


def test_attributes_are_read_and_the_way_is_planned(page: Page, session: Session) -> None:
    page.goto(session.address)
    expect(page.locator("#edit")).to_be_visible()
    page.evaluate("""() => {
        const kernel = X.main.panes.kernel;
        const level = kernel.levelOf("X");
        const values = kernel.levels[level].values;
        const value = values.findIndex(([, , , , , id]) => id !== null && kernel.holdings[id].layout && String(kernel.holdings[id].tensor) === "K,N");
        X.state.set({selections: [[level, values[value][0], value]], holding: kernel.holdingOf(level, value)});
    }""")
    page.fill("#layout", "#xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>")
    expect(page.locator("#type li.plan").first).to_contain_text(
        "from the compiled layout", timeout=15000
    )
    assert page.locator(".uncompiled").count() == 1
    page.fill("#layout", "#ttg.foo<{}>")
    expect(page.locator("#type .wrong")).to_contain_text(
        "layout #ttg.foo is not supported", timeout=15000
    )
