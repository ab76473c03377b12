"""What the explorer weighs and takes, beside what it is to reach: pages, from file to page, and in a browser.

    python -m tools.bench_explorer [--device NAME ...] [--runs N]

Bytes are those of the page. "cold" is a process from file to page, ocloc in it, "warm" the same in a running process;
least times of several runs. What the browser does is timed in it: from the start to a page that is drawn, and what a
pointer over a line, over an element, and a click take (medians).
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

import xetile
from tools.bench_growth import chain
from xetile.kernels.gemm_module import gemm_module
from xetile.toolchain.paths import find_browser

ROOT = Path(__file__).parents[1]
DEVICES = ("bmg", "pvc")
LONG = 5_000
"""Ops of the kernel whose page has about 20,000 lines and more."""


COMMAND = "from xetile.cli.entry import explore; raise SystemExit(explore())"


class Case(NamedTuple):
    """A kernel, and the bytes that its page may have."""

    text: str
    most: int


def cases() -> Mapping[str, Case]:
    """The kernels by name."""

    def example(name: str) -> str:
        return (ROOT / "examples" / f"{name}.mlir").read_text()

    spilling = gemm_module(m=4096, n=4096, k=4096, subgroup_tile=(64, 64))
    return {
        "gemm": Case(example("gemm_f16_plain"), 150_000),
        "softmax": Case(example("softmax"), 350_000),
        "attention": Case(example("flash_attention"), 350_000),
        "spilling": Case(xetile.text(spilling), 350_000),
        "long": Case(chain(LONG), 3_000_000),
    }


def cold(file: Path, device: str, made: Path) -> float:
    """Seconds of a process that makes the page."""
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-c", COMMAND, str(file), "--device", device, "-o", str(made)],
        check=True,
        capture_output=True,
    )
    return perf_counter() - start


def warm(file: Path, device: str) -> float:
    """Seconds from the file to the page in this process."""
    start = perf_counter()
    xetile.explore(xetile.parse(file), device).html()
    return perf_counter() - start


TIMED = """async () => {
  const wait = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const times = {};
  const lines = () => [...document.querySelectorAll('.pane:not(.folded) [data-line]')];
  const timed = async (name, count, act) => {
    const found = [];
    for (let i = 0; i < count; i++) {
      const start = performance.now();
      act(i);
      found.push(performance.now() - start);
      await wait();
    }
    times[name] = found.sort((a, b) => a - b)[count >> 1];
  };
  const on = (what, kind) => what.dispatchEvent(new MouseEvent(kind, {bubbles: true, composed: true}));
  const hover = line => ['mouseover', 'mousemove'].forEach(kind => on(line, kind));
  await timed('hover', 40, i => hover(lines()[i % lines().length]));
  await timed('select', 20, i => on(lines()[(7 * i) % lines().length], 'click'));
  await timed('element', 40, i => X.state.set({element: [i % 8, i % 16]}));
  return times;
}"""


def in_browser(browser: Browser, made: Path) -> dict[str, float]:
    """Milliseconds of the page's first drawing, and of what a user does with it."""
    with browser.new_page(viewport={"width": 1600, "height": 1000}) as page:
        start = perf_counter()
        page.goto(made.as_uri())
        page.wait_for_selector("[data-line]")
        times = {"first": 1000 * (perf_counter() - start)}
        times["content"] = page.evaluate(
            "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
        )
        found: dict[str, float] = page.evaluate(TIMED)
    return times | found


def lines(devices: list[str], runs: int, folder: Path, browser: Browser) -> Iterator[str]:
    """What is measured, a line for each kernel and device."""
    for name, case in cases().items():
        file, made = folder / f"{name}.mlir", folder / f"{name}.html"
        file.write_text(case.text)
        for device in devices:
            times = [cold(file, device, made) for _ in range(runs)]
            again = min(warm(file, device) for _ in range(runs))
            size = made.stat().st_size
            mark = "" if size <= case.most else "  TOO LARGE"
            shown = in_browser(browser, made)
            yield (
                f"{name:10} {device}  {size:9,} of {case.most:9,} bytes{mark}  cold {min(times):5.2f} s"
                f"  warm {again:5.2f} s  "
                + "  ".join(f"{what} {time:.1f} ms" for what, time in shown.items())
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What the explorer weighs and takes.")
    parser.add_argument("--device", action="append", help="bmg and pvc, where none is named")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    program = find_browser()
    if program is None:
        raise SystemExit("error: there is no Chromium; name one in XETILE_BROWSER")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(program), args=["--no-sandbox", "--disable-gpu"]
        )
        devices = arguments.device or [*DEVICES]
        for line in lines(devices, arguments.runs, Path(folder), browser):
            print(line, flush=True)


if __name__ == "__main__":
    main()
