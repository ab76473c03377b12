"""The command line; see the package."""

import re
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack

from tools.fuzz.on_device import is_installed
from tools.programs.drawing import draw
from tools.programs.judging import Judged, judged, on_device
from xetile.errors import collected_remarks
from xetile.runtime.devices import CPU, open_device

TOGETHER = 50
"""Programs in one build of a device."""

SHAPE = re.compile(r"\d+x|\d+(?=, |\])")
"""What makes refusals different that have one cause."""

REASONS = 20
"""Refusals that are shown."""


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="programs", description="Random programs on tiles at every level."
    )
    add = parser.add_argument
    add("--count", type=int, default=2000, help="how many (2000)")
    add("--seed", type=int, default=0)
    add("--only", type=int, metavar="N", help="only the program of this number")
    add("--device", default="bmg", help="the target (bmg)")
    add("--on-numpy", action="store_true", help="not on opencl:cpu")
    add("--show", action="store_true", help="print the programs")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the programs; the status is 1 if any differs."""
    options = _parser().parse_args(arguments)
    numbers = range(options.count) if options.only is None else [options.only]
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    with ExitStack() as stack:
        device = None
        if not options.on_numpy and is_installed():
            device = stack.enter_context(open_device(CPU))
        for start in range(0, len(numbers), TOGETHER):
            found: list[Judged] = []
            for number in numbers[start : start + TOGETHER]:
                program = draw(options.seed, number)
                if options.show:
                    print(program.module)
                with collected_remarks():
                    found.append(judged(program, options.device))
            if device is not None:
                equal = [one for one in found if one.verdict == "equal"]
                launched = on_device(equal, options.device, device)
                found = [one for one in found if one.verdict != "equal"] + launched
            for one in found:
                kinds[one.verdict] += 1
                if one.verdict == "refused":
                    reasons[f"at {one.level}: {SHAPE.sub('', one.detail)}"] += 1
                if one.verdict == "differs":
                    print(f"{one.program.name}: at {one.level}: {one.detail}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    for reason, count in reasons.most_common(REASONS):
        print(f"{count:5} {reason}")
    return 1 if kinds["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
