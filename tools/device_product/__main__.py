"""The command line; see the package."""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from tools.device_product.case import DEVICES, MEANINGS, Judged, Row
from tools.device_product.families import all_cases
from tools.device_product.measuring import measure
from tools.device_product.workers import judged

REASONS = 40
"""Lines of the summary of refusals."""


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="device_product", description="Every kernel on opencl:cpu, against level V."
    )
    add = parser.add_argument
    add("--only", nargs="+", default=["*"], metavar="GLOB", help="only cases of these names")
    add("--device", nargs="+", choices=DEVICES, default=DEVICES, help="only these devices")
    add("--jobs", type=int, default=2, help="processes (2)")
    add("--all", action="store_true", help="show equal ones, too, and all refusals")
    add("--list", action="store_true", help="show the names of the cases")
    add("--measure", nargs="*", metavar="FUNCTION", help="the largest errors of functions")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the cases; the status is 1 if anything differs."""
    options = _parser().parse_args(arguments)
    if options.measure is not None:
        return 0 if measure(options.measure) else 1
    names = [
        case.name
        for case in all_cases()
        if any(fnmatchcase(case.name, pattern) for pattern in options.only)
    ]
    if options.list:
        print(*names, sep="\n")
        return 0
    return report(judged(names, tuple(options.device), options.jobs), show_all=options.all)


def report(found: Iterator[Judged], *, show_all: bool) -> int:
    """Print the table and its summary; the exit status."""
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    kernels = built = shared = 0
    for result in found:
        built, shared = built + result.built, shared + result.shared
        for row in result.rows:
            kernels += 1
            verdicts = list(row.verdicts.values())
            kinds.update(verdict.kind for verdict in verdicts)
            for device, verdict in row.verdicts.items():
                if verdict.kind in ("refused", "not executed"):
                    reason = verdict.detail.replace(f"{device} has", "the device has")
                    reasons[f"{verdict.kind}: {reason}"] += 1
            for line in _lines(row, show_all=show_all):
                print(line, flush=True)
    print(f"\n{kernels} kernels, {kinds.total()} with their devices; ", end="")
    print(f"{built} SPIR-V modules launched, {shared} shared with another device")
    for kind, meaning in MEANINGS.items():
        print(f"{kinds[kind]:6} {meaning}")
    for reason, count in reasons.most_common(None if show_all else REASONS):
        print(f"{count:6} {reason}")
    return 1 if kinds["differs"] else 0


_QUIET = ("equal", "changes nothing", "nan", "refused", "not executed", "open")
"""Verdicts of which only the summary tells."""


def _lines(row: Row, *, show_all: bool) -> Iterator[str]:
    """A line per verdict, with the devices that it is the same on."""
    devices: dict[tuple[str, str], list[str]] = {}
    for device, verdict in row.verdicts.items():
        devices.setdefault(verdict, []).append(device)
    for (kind, detail), names in devices.items():
        if show_all or kind not in _QUIET:
            print_detail = f": {detail}" if detail else ""
            yield f"{row.name} | {' '.join(names)} | {kind}{print_detail}"


if __name__ == "__main__":
    sys.exit(main())
