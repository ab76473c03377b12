"""Plants faults in the LLVM IR that is emitted, and shows whether executing it on `opencl:cpu` tells of them.

    python tools/mutate_emitted.py [--seed N] [--count N] [--at-least N] [--only N] [--list] [--jobs N]

A fault is one constant, operand, operation or builtin's name in the LLVM IR of a kernel of
`mutants/emitted_kernels.py`; `mutants/emitted_faults.py` says which kinds there are and what is left out because it
computes nothing. The kernel with the fault becomes SPIR-V, is launched on the device, and its arrays with the memory
around them are compared with what the kernel without it does at level V. What LLVM refuses, or compiles to the same
SPIR-V, is no fault: another is drawn.

A fault is found by other bits, or refused: the device reports a surface that is against the rules, does not build or
run the kernel, ends, or does not come to an end.

Status 0: at least `--at-least` of the faults are found or refused; 1: fewer; 2: a kernel differs without a fault.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from mutants.command import fault_parser, judge_all
from mutants.emitted_choice import Planted, choose
from mutants.emitted_kernels import KERNELS
from mutants.emitted_trial import Trial, difference, prepare

from xetile.errors import XetileError
from xetile.runtime.cache import FOLDER_VARIABLE
from xetile.runtime.devices import CPU, open_device

SECONDS = 40.0
"""For a build or a launch; what takes longer does not come to an end."""


ENDED = "ended with"
"""What is said of a device whose process is no more."""


class Verdict(NamedTuple):
    """Whether a fault is `found`, `refused` or `MISSED`, by what, after how long."""

    word: str
    by: str
    seconds: float


class Bench:
    """A device that is opened again after whatever went wrong on it."""

    def __init__(self) -> None:
        self._device = open_device(CPU, seconds=SECONDS)

    def judge(self, trial: Trial, spirv: bytes) -> Verdict:
        """What the device makes of a module in place of a kernel's own."""
        verdict = self._judge(trial, spirv)
        # it also ends now and then for no reason of the module's
        is_doubtful = verdict.word == "refused" and ENDED in verdict.by
        return self._judge(trial, spirv) if is_doubtful else verdict

    def _judge(self, trial: Trial, spirv: bytes) -> Verdict:
        started = time.monotonic()
        try:
            found = difference(trial, spirv, self._device)
            word, by = ("MISSED", "no difference") if found is None else ("found", found)
        except XetileError as error:
            word, by = "refused", error.message
            self.close()
            self._device = open_device(CPU, seconds=SECONDS)
        return Verdict(word, by, time.monotonic() - started)

    def close(self) -> None:
        """Give the device back."""
        self._device.close()


@contextmanager
def _benches(count: int) -> Generator[list[Bench]]:
    benches = [Bench() for _ in range(count)]
    try:
        yield benches
    finally:
        for bench in benches:
            bench.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant the faults; the result is the exit status."""
    options = fault_parser(
        "Plants faults in emitted LLVM IR and shows whether executing it tells of them.",
        count=50,
        at_least=48,
        found="found",
    ).parse_args(arguments)
    only: int | None = options.only
    trials = [prepare(kernel) for kernel in KERNELS]
    faults = dict(enumerate(choose(trials, seed=options.seed, count=options.count)))
    if only is not None:
        faults = {only: faults[only]}
    if options.list:
        for number, fault in faults.items():
            print(_lines(number, fault, str(fault)))
        return 0
    used = list({id(fault.trial): fault.trial for fault in faults.values()}.values())
    with _benches(options.jobs) as benches:
        if not _agree(used, benches):
            return 2
    os.environ[FOLDER_VARIABLE] = ""  # binaries with faults are not kept
    with _benches(options.jobs) as benches:
        verdicts = judge_all(faults.items(), benches, _judge)
    _report(faults, verdicts)
    words = Counter(verdict.word for verdict in verdicts)
    seen = words["found"] + words["refused"]
    print(
        f"{seen} of {len(faults)} found, of which {words['refused']} refused (seed {options.seed})"
    )
    return 0 if seen >= min(options.at_least, len(faults)) else 1


def _agree(trials: Sequence[Trial], benches: Sequence[Bench]) -> bool:
    """Whether the kernels do on the device what they do at level V."""

    def one(trial: Trial, bench: Bench) -> Verdict:
        return bench.judge(trial, trial.spirv)

    verdicts = judge_all(trials, benches, one)
    for trial, verdict in zip(trials, verdicts, strict=True):
        if verdict.word != "MISSED":
            print(
                f"{trial.kernel.name} differs without a fault: {verdict.by}", file=sys.stderr
            )
    return all(verdict.word == "MISSED" for verdict in verdicts)


def _judge(numbered: tuple[int, Planted], bench: Bench) -> Verdict:
    number, fault = numbered
    verdict = bench.judge(fault.trial, fault.spirv)
    print(f"{number:3} {_summary(fault, verdict)}", file=sys.stderr, flush=True)
    return verdict


def _summary(fault: Planted, verdict: Verdict) -> str:
    return f"{verdict.word:8} {verdict.seconds:4.0f} s  {fault}  [{verdict.by}]"


def _lines(number: int, fault: Planted, summary: str) -> str:
    before, after = fault.lines()
    return f"{number:3} {summary}\n      - {before}\n      + {after}"


def _report(faults: dict[int, Planted], verdicts: Sequence[Verdict]) -> None:
    """Each fault with its line; what was missed comes last."""
    judged = list(zip(faults.items(), verdicts, strict=True))
    for (number, fault), verdict in sorted(judged, key=lambda one: one[1].word == "MISSED"):
        print(_lines(number, fault, _summary(fault, verdict)))


if __name__ == "__main__":
    sys.exit(main())
