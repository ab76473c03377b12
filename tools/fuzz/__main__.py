"""The fuzzer's command line; see the package."""

import sys
import traceback
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from multiprocessing import Pool
from pathlib import Path

from tools.fuzz.mutation import mutant
from tools.fuzz.oracle import Finding, Outcome, check

MEMORY = 4 << 30
"""Bytes that one worker may take: an input that asks for more is refused or found out."""


def run(number: int) -> tuple[int, Outcome]:
    """One input, by its number."""
    try:
        return number, check(mutant(number))
    except Exception as error:  # a fault of the fuzzer itself must not end a long run
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({where.name}:{where.lineno})"
        return number, Outcome("fuzzer", Finding("fuzzer", what))


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the inputs; the status is 1 if anything was found."""
    parser = ArgumentParser(
        prog="fuzz", description="Mutated programs through xetile, to level B."
    )
    parser.add_argument("--count", type=int, default=20_000, help="how many inputs (20000)")
    parser.add_argument(
        "--seed", type=int, default=0, help="the number of the first input, in millions"
    )
    parser.add_argument("--only", type=int, help="print and check the input of this number")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--keep", type=Path, help="a folder for the inputs with findings")
    options = parser.parse_args(arguments)
    if options.only is not None:
        print(mutant(options.only))
        print(check(mutant(options.only)))
        return 0
    first = options.seed * 1_000_000
    reached: Counter[str] = Counter()
    found: dict[Finding, list[int]] = {}
    with Pool(options.jobs, _limit_memory, maxtasksperchild=1000) as pool:
        numbers = range(first, first + options.count)
        for done, (number, outcome) in enumerate(pool.imap_unordered(run, numbers, 20), 1):
            reached[outcome.reached] += 1
            if outcome.finding is not None:
                found.setdefault(outcome.finding, []).append(number)
                _keep(options.keep, number)
            if done % 200 == 0 or done == options.count:
                count = sum(map(len, found.values()))
                print(f"\r{done}/{options.count}, {count} findings", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(", ".join(f"{count} {step}" for step, count in sorted(reached.items())))
    for finding, numbers in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"{len(numbers)} x {finding.step}: {finding.what}  (--only {numbers[0]})")
    return 1 if found else 0


def _keep(folder: Path | None, number: int) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.mlir").write_text(mutant(number))


if __name__ == "__main__":
    sys.exit(main())
