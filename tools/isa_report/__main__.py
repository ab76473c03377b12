"""The command line; see the package."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from time import perf_counter

from tools.isa_report.counting import Found, names_of, ours, upstreams
from tools.isa_report.figures import FILE, Figures, changes, read, row, written
from tools.isa_report.kernels import KERNELS
from tools.isa_report.page import PAGE, number, page
from tools.isa_report.picture import PICTURE, picture
from xetile.errors import XetileError
from xetile.targets import names
from xetile.toolchain.ocloc import need_ocloc

Options = Mapping[str, Sequence[str]]


def _ours(name: str, device: str) -> dict[str, Found]:
    return {device: ours(KERNELS[name], device)}


def _upstream(name: str, position: int, options: Options) -> dict[str, Found]:
    return upstreams(KERNELS[name], position, options)


def measure(chosen: Sequence[str], devices: Sequence[str], jobs: int) -> Figures:
    """Count everything, in several processes: ours, and then upstream's with the options that ours had."""
    wanted = {name: [d for d in KERNELS[name].devices if d in devices] for name in chosen}
    found: dict[tuple[str, str], dict[str, Found]] = {}
    with ProcessPoolExecutor(jobs) as pool:
        own = {
            pool.submit(_ours, name, device): (name, "ours")
            for name in chosen
            for device in wanted[name]
        }
        _gather(own, found)
        others: dict[Future[dict[str, Found]], tuple[str, str]] = {}
        for name in chosen:
            options = {d: found[name, "ours"][d].options for d in wanted[name]}
            for position, way in enumerate(KERNELS[name].ways()):
                others[pool.submit(_upstream, name, position, options)] = name, way.name
        _gather(others, found)
    return {
        name: {
            device: row(
                found[name, "ours"][device],
                {way.name: found[name, way.name][device] for way in KERNELS[name].ways()},
            )
            for device in wanted[name]
        }
        for name in chosen
    }


def _gather(
    work: Mapping[Future[dict[str, Found]], tuple[str, str]],
    found: dict[tuple[str, str], dict[str, Found]],
) -> None:
    """Wait for counts; progress goes to standard error."""
    for done, future in enumerate(as_completed(work), 1):
        name, way = work[future]
        found.setdefault((name, way), {}).update(future.result())
        sys.stderr.write(f"{done} of {len(work)}: {name}, {way}\n")


def _merged(before: Figures, after: Figures) -> Figures:
    """The figures of this run, and of those before what was not measured; in the order of the kernels."""
    return {
        name: {
            device: after.get(name, {}).get(device) or before[name][device]
            for device in kernel.devices
            if device in after.get(name, {}) or device in before.get(name, {})
        }
        for name, kernel in KERNELS.items()
        if name in after or name in before
    }


def _report(before: Figures, figures: Figures) -> bool:
    """Print what was found and what changed; whether anything got worse."""
    for name, devices in figures.items():
        for device, found in devices.items():
            own = "fails" if found.ours is None else number(found.ours["total"])
            best, stock = (
                "none"
                if way is None
                else "fails"
                if way.counts is None
                else number(way.counts["total"])
                for way in (found.best, found.stock)
            )
            mark = "  ! upstream has fewer" if found.is_above_upstream else ""
            print(f"{name}, {device}: {own}; upstream's best {best}, stock {stock}{mark}")
            if found.ours is None:
                print(f"  {found.fails}")
            elif found.ours["spill_size"]:
                print(f"  spills {found.ours['spill_size']:g} bytes")
    told = list(changes(before, figures))
    for change in told:
        print(change)
    return any(change.is_worse for change in told)


def main() -> int:
    """Status 1 where a figure got worse and is not written."""
    parser = ArgumentParser(
        prog="isa_report",
        description="Counts machine code, ours and upstream's (needs ocloc).",
    )
    parser.add_argument("--device", nargs="+", default=list(names()), choices=names())
    parser.add_argument("--only", nargs="+", default=["*"], metavar="GLOB")
    parser.add_argument(
        "--write", action="store_true", help="store the figures, write the page"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    arguments = parser.parse_args()
    chosen = names_of(arguments.only)
    try:
        if not chosen:
            raise XetileError(f"no kernel matches; known are {'; '.join(KERNELS)}")
        need_ocloc()
        start = perf_counter()
        figures = measure(chosen, arguments.device, max(1, arguments.jobs))
    except XetileError as error:
        print(f"isa_report: error: {error}", file=sys.stderr)
        return 1
    before = read()
    worse = _report(before, figures)
    print(f"{perf_counter() - start:.0f} s", file=sys.stderr)
    if not arguments.write:
        return int(worse)
    merged = _merged(before, figures)
    FILE.write_text(written(merged))
    PAGE.write_text(page(merged))
    PICTURE.write_text(picture(merged))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
