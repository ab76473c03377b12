"""The command line; see the package."""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence

from tools.language_programs.drawing import draw
from tools.language_programs.judging import judged, smallest


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="language_programs", description="Random kernels in Python.")
    add = parser.add_argument
    add("--count", type=int, default=1000, help="how many (1000)")
    add("--seed", type=int, default=0)
    add("--only", type=int, metavar="N", help="only the kernel of this number")
    add("--show", action="store_true", help="print the kernels")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the kernels; the status is 1 if any is not equal."""
    options = _parser().parse_args(arguments)
    kinds: Counter[str] = Counter()
    for number in range(options.count) if options.only is None else [options.only]:
        program = draw(options.seed, number)
        if options.show:
            print(program.text())
        found = judged(program)
        kinds[found.verdict] += 1
        if found.verdict != "equal":
            found = smallest(found)
            print(f"{program.name}: {found.verdict}: {found.detail}", flush=True)
            print(found.program.text())
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    return 0 if set(kinds) <= {"equal"} else 1


if __name__ == "__main__":
    sys.exit(main())
