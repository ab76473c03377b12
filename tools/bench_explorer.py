"""What the explorer weighs and takes, beside what it is to reach: pages, from file to page, and in a browser.

    python -m tools.bench_explorer [--device NAME ...] [--only CASE ...] [--runs N]

Every figure stands beside its bound; those above are marked. Bytes are those of the page, and of its template: all but
the model. "cold" is a process from file to page, ocloc in it, "warm" the same in a running process; least times of
several runs. What the browser does is its main thread's own time, so that what else the machine does is not in it:
script, styles, layout and painting from the start of a page to its first rows (paint, median of several), of a pointer
over a line (hover), over an element of a picture (point), of an element that is picked (element), and of a line that
is clicked (select), means.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple, cast

from playwright.sync_api import Browser, Page, sync_playwright

import xetile
from tools.bench_growth import chain
from xetile.kernels.gemm_module import gemm_module
from xetile.toolchain.paths import find_browser

ROOT = Path(__file__).parents[1]
DEVICES = ("bmg", "pvc")
LONG = 1_450
"""Ops of the kernel whose page has 20,000 lines; what ocloc takes for it grows with their cube."""

TEMPLATE = 45_000
"""Bytes of a page without its model."""

SECONDS = {"cold": 0.9, "warm": 0.5}
"""From file to page. A kernel of 20,000 lines has no bound: ocloc alone takes longer."""

MILLISECONDS = {"paint": 100, "hover": 2, "point": 4, "element": 4, "select": 16}

LOADS = 5
"""Times a page is opened; the median counts."""

COMMAND = "from xetile.cli.entry import explore; raise SystemExit(explore())"


class Case(NamedTuple):
    """A kernel's text, made when it is wanted, the bytes that its page may have, and whether its making is bounded."""

    text: Callable[[], str]
    most: int
    is_timed: bool = True


def cases() -> Mapping[str, Case]:
    """The kernels by name."""

    def example(name: str) -> Callable[[], str]:
        return (ROOT / "examples" / f"{name}.mlir").read_text

    def spilling() -> str:
        return xetile.text(gemm_module(m=4096, n=4096, k=4096, subgroup_tile=(64, 64)))

    return {
        "gemm": Case(example("gemm_f16_plain"), 150_000),
        "softmax": Case(example("softmax"), 350_000),
        "attention": Case(example("flash_attention"), 350_000),
        "spilling": Case(spilling, 350_000),
        "long": Case(lambda: chain(LONG), 3_000_000, is_timed=False),
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


ACTS = """() => {
  const lines = () => [...document.querySelectorAll('.pane:not(.folded) .row[data-line] .text')];
  const picture = [...document.querySelectorAll('#way .picture .over')].find((one) => one.clientWidth > 100);
  const on = (what, kind, x, y) => {
    const box = what.getBoundingClientRect();
    const at = {bubbles: true, composed: true, clientX: box.left + x, clientY: box.top + y};
    what.dispatchEvent(new (kind === 'click' ? MouseEvent : PointerEvent)(kind, at));
  };
  const still = lines();
  const nth = (all, i) => all[(7 * i) % all.length];
  const acts = {
    hover: (i) => on(nth(still, i), 'pointermove', 30, 5),
    select: (i) => on(nth(lines(), i), 'click', 30, 5),
    point: (i) => picture && on(picture, 'pointermove', 40 + (i * 5) % 60, 80 + (i * 3) % 60),
    element: (i) => X.state.set({element: [i % 8, i % 16]}),
  };
  const wait = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  window.repeated = async (name, count) => {
    for (let i = 0; i < count; i++) {
      acts[name](i);
      await wait();
    }
  };
}"""

REPEATS = 40
HELD = """() => {
  const K = X.main.panes.kernel;
  const found = K.levels.flatMap(({values}, level) => values.map((value, v) => [level, value[0], v]))
    .find((one) => X.way.tilesOf(K, one).length);
  if (found) X.main.panes.select(found, false);
}"""
PAINTED = """() => new Promise((done) => {
  const look = () => document.querySelector('.row[data-line]')
    ? requestAnimationFrame(() => setTimeout(() => done())) : requestAnimationFrame(look);
  look();
})"""


def in_browser(browser: Browser, made: Path) -> dict[str, float]:
    """Milliseconds to the page's first drawing, and of what a user does with it."""
    times = {"paint": median(painted(browser, made) for _ in range(LOADS))}
    with browser.new_page(viewport={"width": 1600, "height": 1000}) as page:
        page.goto(made.as_uri())
        page.evaluate(PAINTED)
        for name in ("hover", "select", "point", "element"):
            if name in ("point", "element"):
                page.evaluate(HELD)
            page.evaluate(ACTS)
            page.evaluate("name => repeated(name, 8)", name)
            with main_thread(page) as spent:
                before = spent()
                page.evaluate("([name, count]) => repeated(name, count)", [name, REPEATS])
                times[name] = (spent() - before) / REPEATS
    return times


def painted(browser: Browser, made: Path) -> float:
    """Milliseconds of a new page's thread until the frame that has its rows."""
    with (
        browser.new_page(viewport={"width": 1600, "height": 1000}) as page,
        main_thread(page) as spent,
    ):
        page.goto(made.as_uri(), wait_until="commit")
        page.evaluate(PAINTED)
        return spent()


@contextmanager
def main_thread(page: Page) -> Generator[Callable[[], float]]:
    """What tells how many milliseconds a page's main thread has worked: time of its own, not that on the wall."""
    session = page.context.new_cdp_session(page)
    send = cast("Callable[..., dict[str, list[dict[str, Any]]]]", session.send)
    send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        found = send("Performance.getMetrics")["metrics"]
        return 1000 * next(one["value"] for one in found if one["name"] == "TaskDuration")

    yield spent
    session.detach()


def template_of(page: str) -> int:
    """Bytes of a page without its model."""
    return len(re.sub(r'(<script[^>]*id="model">)[^<]*', r"\1", page).encode())


def beside(name: str, found: str, *, is_above: bool, bound: str) -> str:
    """A figure beside its bound, marked where it is above."""
    return f"{name} {found}/{bound}{' ABOVE' if is_above else ''}"


def measured(
    case: Case, device: str, runs: int, files: tuple[Path, Path], browser: Browser
) -> Iterator[str]:
    """What is measured of a kernel's page on a device, each figure beside its bound."""
    file, made = files
    colds = [cold(file, device, made) for _ in range(runs)]
    times = {"cold": min(colds), "warm": min(warm(file, device) for _ in range(runs))}
    text = made.read_text()
    for name, size, most in (
        ("page", len(text.encode()), case.most),
        ("template", template_of(text), TEMPLATE),
    ):
        yield beside(name, f"{size:,}", is_above=size > most, bound=f"{most:,} B")
    for name, seconds in times.items():
        most = SECONDS[name] if case.is_timed else None
        yield beside(
            name,
            f"{seconds:.2f}",
            is_above=most is not None and seconds > most,
            bound=f"{most or '-'} s",
        )
    for name, time in in_browser(browser, made).items():
        yield beside(
            name,
            f"{time:.1f}",
            is_above=time > MILLISECONDS[name],
            bound=f"{MILLISECONDS[name]} ms",
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What the explorer weighs and takes.")
    parser.add_argument("--device", action="append", help="bmg and pvc, where none is named")
    parser.add_argument(
        "--only", action="append", choices=[*cases()], help="one kernel, in place of all"
    )
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    program = find_browser()
    if program is None:
        raise SystemExit("error: there is no Chromium; name one in XETILE_BROWSER")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(program), args=["--no-sandbox", "--disable-gpu"]
        )
        for name in arguments.only or cases():
            case = cases()[name]
            files = Path(folder, f"{name}.mlir"), Path(folder, f"{name}.html")
            files[0].write_text(case.text())
            for device in arguments.device or DEVICES:
                print(f"{name} {device}:", end="", flush=True)
                for words in measured(case, device, arguments.runs, files, browser):
                    print(f"  {words}", end="", flush=True)
                print(flush=True)


if __name__ == "__main__":
    main()
