"""The explorer's pages that the documentation ships: docs/explorer/NAME.html, of three kernels, and its screenshots.

    python -m tools.explorer_pages [--check | --screenshots]

`--check` writes nothing; its status is 1 where a page is not what is made now. Pages have assembly, so ocloc has to be
there to make them; without it the check leaves assembly out. `--screenshots` makes docs/pictures/explorer-NAME.png of
the pages that are there.
"""

import argparse
import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import xetile
from xetile.toolchain.paths import find_browser, find_ocloc, find_spirv_dis

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "explorer"
PICTURES = ROOT / "docs" / "pictures"
DEVICE = "bmg"

PAGES: Mapping[str, str] = {
    "gemm": "examples/gemm_f16_plain.mlir",
    "softmax": "examples/softmax.mlir",
    "attention": "examples/flash_attention.mlir",
}
"""The kernel of each page."""

SEEN: Mapping[str, str] = {
    "gemm": "#k=gemm&s=W16&e=5.37&g=5",
    "softmax": "",
}
"""What a screenshot shows of each page: the page's address."""

_MODEL = re.compile(
    r'(<script type="application/json\+deflate" id="model">)(.*?)(</script>)', re.S
)

BY_ASSEMBLY = ("P", "I")
"""Levels that outside programs make, or write, whose versions differ."""


class Parts(NamedTuple):
    """A page without its model, and the levels of its kernels, which no outside program had a hand in."""

    template: str
    levels: object


def made(name: str) -> str:
    """The page of a kernel as it is made now."""
    source = PAGES[name]
    module = xetile.parse((ROOT / source).read_text(), name=source)
    return xetile.explore(module, DEVICE, source=(ROOT / source).read_text()).html()


def parts(page: str) -> Parts:
    """What a page consists of."""
    found = _MODEL.search(page)
    assert found is not None, "a page without a model"
    model = json.loads(zlib.decompress(base64.b64decode(found.group(2)), wbits=-15))
    levels = [
        [level for level in kernel["levels"] if level["id"] not in BY_ASSEMBLY]
        for exploration in model["explorations"]
        for kernel in exploration["kernels"]
    ]
    return Parts(_MODEL.sub(r"\1\3", page), levels)


def stale() -> Iterator[str]:
    """The names of pages that are not what is made now."""
    for name in PAGES:
        file = FOLDER / f"{name}.html"
        if not file.exists() or parts(file.read_text()) != parts(made(name)):
            yield name


def take_screenshots() -> None:
    """Write the screenshots, 1600 pixels wide, as a browser shows the pages."""
    from playwright.sync_api import sync_playwright

    program = find_browser()
    if program is None:
        raise SystemExit("error: there is no Chromium; name one in XETILE_BROWSER")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(program), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        for name, address in SEEN.items():
            page.goto(f"{(FOLDER / f'{name}.html').as_uri()}{address}")
            page.wait_for_selector("#way canvas")
            page.screenshot(path=PICTURES / f"explorer-{name}.png")
            page.goto("about:blank")


def main() -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description="The explorer's pages of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--screenshots", action="store_true", help="of the pages as they are")
    options = parser.parse_args()
    if options.screenshots:
        take_screenshots()
        return 0
    if options.check:
        found = list(stale())
        print("stale: " + ", ".join(found) if found else "all pages are what is made now")
        return bool(found)
    if find_ocloc() is None or find_spirv_dis() is None:
        raise SystemExit("error: pages need ocloc (XETILE_OCLOC) and spirv-dis")
    FOLDER.mkdir(exist_ok=True)
    for name in PAGES:
        (FOLDER / f"{name}.html").write_text(made(name))
        print(f"docs/explorer/{name}.html: {(FOLDER / f'{name}.html').stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
