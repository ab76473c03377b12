"""Pages in a real browser: opened as files, watched for errors and for what they ask of elsewhere."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, sync_playwright

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
"""Of Chromium: it starts as root too, and asks for nothing itself."""

ALLOWED = ("file:", "data:", "about:", "blob:", "http://127.0.0.1:")
"""What a page may ask for: itself, and a server of the test."""

SIZE = {"width": 1600, "height": 1000}
"""Of the window, in pixels."""


@contextmanager
def launched(program: Path) -> Generator[Browser]:
    """A browser without a window; it ends with the block."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=str(program), args=[*ARGUMENTS], headless=True
        )
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def watched(browser: Browser) -> Generator[Page]:
    """A page in a context of its own.

    Errors: AssertionError behind the block for an exception in the page, an error on its console, or a request to
    anything but files and this machine.
    """
    wrong: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(f"console: {message.text}")

    def asked(request: Request) -> None:
        if not request.url.startswith(ALLOWED):
            wrong.append(f"request: {request.url}")

    def failed(error: Error) -> None:
        wrong.append(f"exception: {error}")

    context = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]})
    page = context.new_page()
    page.on("console", said)
    page.on("pageerror", failed)
    page.on("request", asked)
    try:
        yield page
    finally:
        context.close()
    assert not wrong, wrong
