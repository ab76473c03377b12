"""The fuzzer's command line; see the package."""

import re
import shlex
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tools.fuzz.case import Case, Finding, Outcome
from tools.fuzz.check import check
from tools.fuzz.corpus import everything
from tools.fuzz.families import FAMILIES, family_of, make
from tools.fuzz.on_device import SHARE, is_installed
from tools.fuzz.pool import Name, alone, tried
from tools.fuzz.shrink import shrunk
from xetile.runtime.devices import CPU


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="fuzz", description="Mutated input through the commands.")
    add = parser.add_argument
    add("--family", choices=tuple(FAMILIES), help="inputs of this family only")
    add("--count", type=int, default=20_000, help="how many inputs (20000)")
    add("--seed", type=int, default=0, help="other inputs (0)")
    add("--only", type=int, metavar="N", help="print and check the input of this number")
    add(
        "--shrink", action="store_true", help="with --only: leave out lines that do not matter"
    )
    add("--jobs", type=int, default=2, help="processes (2)")
    add("--keep", type=Path, metavar="DIR", help="a folder for the inputs with findings")
    add(
        "--against-mlir-opt",
        action="store_true",
        help="host programs that we take, it must take",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the inputs; the status is 1 if anything was found."""
    options = _parser().parse_args(arguments)
    numbers = range(options.count) if options.only is None else (options.only,)
    names = [Name(options.family or family_of(n), options.seed, n) for n in numbers]
    if options.only is not None:
        return _one(names[0], options)
    everything()  # read once, before processes are split off
    where = f"on {CPU} too" if is_installed() else f"on numpy alone, {CPU} is not installed"
    print(f"one kernel in {1 / SHARE:g} is executed {where}", file=sys.stderr)
    reached: Counter[str] = Counter()
    found: dict[Name, Finding] = {}
    taken: list[Name] = []
    started = time.monotonic()
    for done, (name, outcome) in enumerate(tried(names, options.jobs), 1):
        reached[f"{name.family}: {outcome.reached}"] += 1
        if outcome.finding is not None:
            found[name] = outcome.finding
            print(f"\n{_line(name, outcome.finding)}", file=sys.stderr)
            _keep(options, name, make(*name))
        elif outcome.taken:
            taken.append(name)
        if done % 100 == 0 or done == len(names):
            seconds = time.monotonic() - started
            line = f"\r{done}/{len(names)} after {seconds:.0f} s, {len(found)} findings"
            print(line, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if options.against_mlir_opt:
        refused = _against_mlir_opt(taken)
        for name in refused:
            _keep(options, name, make(*name))
        found |= refused
    _report(reached, found)
    return 1 if found else 0


def _against_mlir_opt(taken: Sequence[Name]) -> dict[Name, Finding]:
    from tools.fuzz.differential import refused

    cases = [(name, make(*name)) for name in taken if name.family == "host"]
    compared = [(name, case.text) for name, case in cases if case.comparable]
    print(f"mlir-opt reads {len(compared)} of them", file=sys.stderr)
    return {compared[n][0]: finding for n, finding in refused([text for _, text in compared])}


def _report(reached: Counter[str], found: dict[Name, Finding]) -> None:
    for step, count in sorted(reached.items()):
        print(f"{count:7} {step}")
    groups: dict[tuple[str, str], list[Name]] = {}
    for name, finding in found.items():
        groups.setdefault((finding.step, _kind(finding.what)), []).append(name)
    for names in sorted(groups.values(), key=lambda names: (-len(names), names)):
        first = min(names)
        print(f"{len(names)} x {_line(first, found[first])}")


def _line(name: Name, finding: Finding) -> str:
    """A finding, and how to meet it again."""
    again = f"--family {name.family} --seed {name.seed} --only {name.number}"
    return f"{finding.step}: {finding.what}  ({again})"


def _kind(what: str) -> str:
    """Findings that differ in numbers and names only are of one kind."""
    return re.sub(r"-?\d+", "0", re.sub(r"'[^']*'|%[\w#]+", "'...'", what))


def _one(name: Name, options: Namespace) -> int:
    case = make(*name)
    outcome = alone(name)
    if options.shrink and outcome.finding is not None:
        case = _smaller(name, case, outcome.finding)
    _keep(options, name, case)
    for file, content in case.files.items():
        print(f"--- {file}\n{content[:20_000].decode(errors='backslashreplace')}")
    print(f"--- {_command(case)}")
    print(f"{case.streams or ''} threshold {case.threshold}\n{outcome.reached}")
    print(
        f"{outcome.finding.step}: {outcome.finding.what}" if outcome.finding else "no finding"
    )
    return 1 if outcome.finding else 0


def _smaller(name: Name, case: Case, finding: Finding) -> Case:
    def outcome(text: str) -> Outcome:
        return alone(name, lambda _: check(case.with_text(text)))

    def fails(text: str) -> bool:
        other = outcome(text).finding
        return other is not None and _kind(other.what) == _kind(finding.what)

    return case.with_text(shrunk(case.text, fails))


def _command(case: Case) -> str:
    return shlex.join((case.tool, *case.arguments))


def _keep(options: Namespace, name: Name, case: Case) -> None:
    if options.keep is None:
        return
    folder: Path = options.keep / f"{name.family}-{name.seed}-{name.number}"
    command = _command(case).encode(errors="replace")
    for file, content in {**case.files, "command": command, "stdin": case.input}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
