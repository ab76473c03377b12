"""The command line; see the package."""

import os
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence

from tools.fuzz.case import Finding, Outcome
from tools.fuzz.on_device import device, memory_of_the_machine
from tools.fuzz.pool import Name, tried
from tools.random_kernels.drawing import draw
from tools.random_kernels.judging import Judged, judged
from tools.random_kernels.shrinking import smallest
from xetile.progress import Bar
from xetile.runtime.devices import CPU

REASONS = 20
"""Refusals that are shown."""


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="random_kernels", description="Random kernels in Python against numpy."
    )
    add = parser.add_argument
    add("--count", type=int, default=1000, help="how many (1000)")
    add("--seed", type=int, default=0)
    add(
        "--first",
        type=int,
        default=0,
        metavar="N",
        help="begin with the kernel of this number",
    )
    add("--only", type=int, metavar="N", help="only the kernel of this number")
    add("--levels", default="W,S,B,X,V", help="levels at which they are executed (W,S,B,X,V)")
    add("--device", default="bmg,pvc,cri", help="targets, in turn (bmg,pvc,cri)")
    add("--on", choices=[CPU], help="execute the emitted code there too")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes (one for each core)")
    add("--show", action="store_true", help="print the kernels")
    add("--no-shrink", action="store_true", help="print wrong kernels as they were drawn")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the kernels; the status is 1 if any is wrong or broken."""
    options = _parser().parse_args(arguments)
    levels = options.levels.replace(",", "")
    targets = tuple(options.device.split(","))

    def attempt(name: Name) -> Outcome:
        program = draw(name.seed, name.number, targets)
        if options.on is None:
            found = judged(program, levels)
        else:
            with memory_of_the_machine():
                found = judged(program, levels, device())
        return Outcome(found.verdict, Finding(found.place, found.detail))

    numbers = range(options.first, options.first + options.count)
    if options.only is not None:
        numbers = [options.only]
    names = [Name("kernel", options.seed, number) for number in numbers]
    if options.show:
        for number in numbers:
            print(draw(options.seed, number, targets).text())
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    failed = list[tuple[int, Outcome]]()
    with Bar("random_kernels") as bar:
        for name, outcome in tried(names, min(options.jobs, len(names)), attempt):
            kinds[outcome.reached] += 1
            bar(kinds.total(), len(names))
            if outcome.reached == "refused" and outcome.finding is not None:
                reasons[Judged("refused", *outcome.finding).cause] += 1
            elif outcome.reached != "right":
                failed.append((name.number, outcome))
                print(f"{name.number}: {outcome.reached}: {outcome.finding}", flush=True)
    on = (
        device()
        if any(one.finding.step == "device" for _, one in failed if one.finding)
        else None
    )
    for number, outcome in sorted(failed):
        program = draw(options.seed, number, targets)
        found = Judged(
            "wrong" if outcome.reached == "wrong" else "broken", *(outcome.finding or ())
        )
        if outcome.reached in ("wrong", "broken") and not options.no_shrink:
            only = levels if found.place == "device" else f"W{found.place}"
            program, found = smallest(program, found, lambda other: judged(other, only, on))  # noqa: B023
        print(f"\n--seed {options.seed} --only {number} ({program.device}, {program.assume}):")
        print(
            f"{found.verdict} at {found.place}: {found.detail}\n{program.text()}", flush=True
        )
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    for reason, count in reasons.most_common(REASONS):
        print(f"{count:5} {reason}")
    return 0 if set(kinds) <= {"right", "refused"} else 1


if __name__ == "__main__":
    sys.exit(main())
