"""The watch over pages in a browser: what goes wrong in one fails its test."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from support.browser import watched

pytestmark = pytest.mark.browser


def test_a_page_is_opened_and_asked(page: Page, tmp_path: Path) -> None:
    made = tmp_path / "page.html"
    made.write_text("<title>tile</title><p id=a>16</p>")
    page.goto(made.as_uri())
    assert page.title() == "tile"
    assert page.evaluate("Number(document.getElementById('a').textContent) * 2") == 32


@pytest.mark.parametrize(
    "body, what",
    [
        ("<script>undefinedName()</script>", "exception: undefinedName is not defined"),
        ("<script>console.error('lost')</script>", "console: lost"),
        ("<img src='http://example.invalid/a.png'>", "request: http://example.invalid/a.png"),
    ],
)
def test_what_goes_wrong_in_a_page_is_told(
    browser: Browser, tmp_path: Path, body: str, what: str
) -> None:
    made = tmp_path / "page.html"
    made.write_text(body)
    with pytest.raises(AssertionError) as told, watched(browser) as page:
        page.goto(made.as_uri())
        page.wait_for_timeout(100)
    assert what in str(told.value)
