"""`xetile-compile` with several inputs or devices: files of a folder, made in several processes, and how far it is."""

import sys
from argparse import Namespace
from pathlib import Path

from xetile.batch import compile_many
from xetile.batch.one import as_json, of_one_or_by_kernel
from xetile.batch.options import Options
from xetile.batch.outcomes import Failure, Outcome
from xetile.batch.work import Telling
from xetile.cli.frame.outputs import STANDARD, keep_inputs, read_input, size_text, write_output
from xetile.cli.frame.tools import STATUS_INTERNAL, STATUS_WRONG_INPUT
from xetile.errors import XetileError

PROGRAM = "xetile-compile"


def compile_batch(options: Namespace, wanted: Options) -> int:
    """Compile every input for every device; the status is 1 where one of them could not be, 70 for a fault of ours."""
    folder = _folder(options)
    devices = [] if options.device is None else _devices(options.device)
    keep_inputs([options.stats or None], options.inputs, option="--stats")
    progress = _Progress(len(options.inputs) * max(1, len(devices)), debug=options.debug)
    try:
        outcomes = compile_many(
            options.inputs,
            folder,
            devices=devices,
            options=wanted,
            jobs=options.jobs,
            force=options.force,
            report=progress.report,
            read=read_input,
            telling=Telling("--device", snippets=not options.no_snippets),
        )
    finally:
        progress.clear()
    progress.tell_all()
    if wanted.statistics:
        counts = {
            Path(outcome.wanted.output).name: of_one_or_by_kernel(outcome.statistics)
            for outcome in outcomes
            if outcome.statistics is not None
        }
        write_output(options.stats or STANDARD, as_json(counts), by=PROGRAM)
    return _status(outcomes)


def _folder(options: Namespace) -> str:
    if options.output is None:
        raise XetileError("outputs named after their inputs need a folder to go to; give -o")
    if options.output == STANDARD:
        raise XetileError(
            "outputs named after their inputs do not go to standard output; name a folder with -o"
        )
    return options.output


def _devices(text: str) -> list[str]:
    names = text.split(",")
    if "" in names:
        raise XetileError(
            f"--device: a name is missing in '{text}'; write names with commas between"
        )
    return names


def _status(outcomes: list[Outcome]) -> int:
    failures = [outcome.failure for outcome in outcomes if outcome.failure is not None]
    if any(failure.is_internal for failure in failures):
        return STATUS_INTERNAL
    return STATUS_WRONG_INPUT if failures else 0


class _Progress:
    """Tells on standard error what became of each output: on a terminal in one line that moves, else in a line each.

    What is said of sources stands above, once for all devices.
    """

    def __init__(self, total: int, *, debug: bool) -> None:
        self._total = total
        self._debug = debug
        self._counts = {"written": 0, "up to date": 0, "failed": 0}
        self._told: set[str] = set()
        self._moves = sys.stderr.isatty()
        self._shown = 0

    def report(self, outcome: Outcome) -> None:
        self._counts[outcome.state] += 1
        self.clear()
        for said in outcome.said:
            self._tell_once(said.once or said.text, said.text)
        if outcome.failure is not None:
            self._tell_failure(outcome.failure)
        elif not self._moves:
            print(f"{PROGRAM}: {self._number()}: {_became(outcome)}", file=sys.stderr)
        if self._moves:
            self._show(outcome)

    def tell_all(self) -> None:
        """Say at the end how many there were of each."""
        written, kept, failed = self._counts.values()
        parts = [f"{written} written"]
        parts += [f"{kept} up to date"] * bool(kept) + [f"{failed} failed"] * bool(failed)
        print(f"{PROGRAM}: {', '.join(parts)}", file=sys.stderr)

    def clear(self) -> None:
        """Take away the line that moves."""
        if self._shown:
            print(f"\r{' ' * self._shown}\r", end="", file=sys.stderr, flush=True)
            self._shown = 0

    def _tell_once(self, key: str, text: str) -> None:
        if key not in self._told:
            self._told.add(key)
            print(text, file=sys.stderr)

    def _tell_failure(self, failure: Failure) -> None:
        if failure.is_internal:
            if self._debug:
                print(failure.trace, end="", file=sys.stderr)
            text = f"internal error: {failure.text} (--debug shows the trace)"
        else:
            text = failure.text if failure.has_place else f"{PROGRAM}: error: {failure.text}"
        self._tell_once(text, text)

    def _number(self) -> str:
        return f"{sum(self._counts.values())} of {self._total}"

    def _show(self, outcome: Outcome) -> None:
        from shutil import get_terminal_size

        line = f"{PROGRAM}: {self._number()}: {Path(outcome.wanted.output).name}"
        line = line[: get_terminal_size().columns - 1]
        print(line, end="", file=sys.stderr, flush=True)
        self._shown = len(line)


def _became(outcome: Outcome) -> str:
    if outcome.state == "up to date":
        return f"{outcome.wanted.output} is up to date"
    return f"wrote {outcome.wanted.output} ({size_text(outcome.size)})"
