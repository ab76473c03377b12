"""`xetile-compile`: kernels at any level to IR at a lower one, LLVM IR, SPIR-V, a binary, assembly.

One source for one device is written to the file OUT. Several sources or devices, `--jobs`, `--force` or an OUT that
ends with `/` select the batch form: OUT is a folder, and several processes write its files.
"""

import os
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from xetile.batch.one import as_json, compile_text, of_one_or_by_kernel
from xetile.batch.outputs import CONTRACT_SUFFIX, KINDS, SUFFIXES, Options
from xetile.cli.frame.inputs_outputs import (
    STANDARD,
    keep_inputs,
    read_input,
    size_text,
    write_output,
    write_outputs,
)
from xetile.cli.frame.option_values import add_lowering, devices_in_words, read_count
from xetile.cli.frame.tools import STATUS_INTERNAL, STATUS_WRONG_INPUT, ToolParser, run_tool
from xetile.errors import XetileError
from xetile.targets import find
from xetile.targets.target import RegisterFile

if TYPE_CHECKING:
    from xetile.batch.outcomes import Failure, Outcome

PROGRAM = "xetile-compile"

STATISTICS_TO_STREAM = ""

EMITTED = "spirv"
"""Default of `--emit`."""


_jobs = partial(
    read_count,
    refusal="is no number of processes; write one from 1",
    least=1,
    most=10**9,
)


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        PROGRAM, "Compiles kernels for Intel Xe GPUs.", has_version=True, reads_ir=True
    )
    add = parser.add_argument
    add(
        "inputs",
        metavar="IN",
        nargs="+",
        help="file with kernels, at any level; - is standard input",
    )
    add("--device", help=devices_in_words(", or several with commas between"))
    add("--emit", choices=KINDS, help=f"what to make ({EMITTED})")
    add(
        "-o",
        dest="output",
        metavar="OUT",
        help="file to write, - for standard output; by default text goes to standard output, and "
        "spirv and zebin to a file named after the input. Beside such a file, OUT.json says how to "
        "launch it. With several inputs or devices the folder of their outputs, IN.DEVICE.spv",
    )
    add(
        "--stats",
        nargs="?",
        const=STATISTICS_TO_STREAM,
        metavar="FILE",
        help="instruction counts of the hot loop per K step as JSON (needs ocloc): of the kernel, or by "
        "kernel where there are several, or by output; to a file given as --stats=FILE, else to standard "
        "output, or to standard error where the code is there",
    )
    add(
        "--explain",
        action="store_true",
        help="print, in place of code, why it is what it is: messages, loops, registers, conversions of each kernel, "
        "with counts of instructions and spills by ocloc where it is installed",
    )
    add("--kernel", metavar="NAME", help="compile this kernel only")
    add_lowering(add, assume="block")
    add(
        "--grf",
        choices=get_args(RegisterFile),
        help="register file; by default the small one, which leaves room for twice the threads, where it surely "
        "holds all kernels and what they load ahead of products",
    )
    _add_batch(parser)
    return parser


def _add_batch(parser: ToolParser) -> None:
    add = parser.add_argument
    add(
        "--jobs",
        metavar="N",
        type=_jobs,
        help="compile into the folder OUT in N processes at once; by default as many as there are "
        "processors, where there is work for them",
    )
    add(
        "--force",
        action="store_true",
        help="compile into the folder OUT also what is up to date there",
    )


def _separate_statistics(arguments: list[str]) -> list[str]:
    """Write `--stats` as `--stats=`, so that it does not consume the input as its file."""
    return [f"--stats={STATISTICS_TO_STREAM}" if a == "--stats" else a for a in arguments]


def _run(arguments: list[str]) -> int:
    options = make_parser().parse_intermixed_args(_separate_statistics(arguments))
    if options.explain:
        _refuse_beside_explanation(options, is_batch=_is_batch(options))
    if _is_batch(options):
        return compile_batch(options, _wanted(options))
    import gc

    gc.disable()  # nearly all objects live to the end
    from xetile.analysis.kernel_targets import option_called

    with option_called("--device"):
        return _explain(options) if options.explain else _compile(options)


def _is_batch(options: Namespace) -> bool:
    ends_as_folder = options.output is not None and options.output.endswith(
        tuple(filter(None, (os.sep, os.altsep)))
    )
    several = len(options.inputs) > 1 or "," in (options.device or "")
    return several or options.jobs is not None or options.force or ends_as_folder


def _wanted(options: Namespace) -> Options:
    """Return the output that the options ask for."""
    return Options(
        emit=options.emit or EMITTED,
        kernel=options.kernel,
        assume=options.assume,
        unroll=options.unroll,
        grf=options.grf,
        statistics=options.stats is not None,
    )


def _compile(options: Namespace) -> int:
    if options.device is not None:
        find(options.device)
    wanted = _wanted(options)
    if wanted.statistics:
        from xetile.toolchain.ocloc import need_ocloc

        need_ocloc()
    (path,) = options.inputs
    source, name = read_input(path)
    output = _output(options, name)
    to_file = output != STANDARD
    contract = [output + CONTRACT_SUFFIX] if to_file and wanted.has_contract else []
    keep_inputs([output, *contract, options.stats or None], [path])
    made = compile_text(source, name, options.device, wanted, with_contract=to_file)
    outputs: list[tuple[str | None, str | bytes]] = [(output, made.code)]
    if made.contract is not None:
        outputs.append((output + CONTRACT_SUFFIX, made.contract))
    write_outputs(outputs, by=PROGRAM)
    if made.statistics is not None:
        counts = as_json(of_one_or_by_kernel(made.statistics))
        _write_statistics(counts, options.stats, code_on_standard_output=not to_file)
    return 0


def _explain(options: Namespace) -> int:
    from xetile.api import parse_text
    from xetile.explanation import explain

    source, name = read_input(options.inputs[0])
    keep_inputs([options.output], options.inputs)
    explanation = explain(
        parse_text(source, name),
        options.device,
        kernel=options.kernel,
        assume=options.assume,
        unroll=options.unroll,
        grf=options.grf,
    )
    write_output(options.output, f"{explanation}\n", by=PROGRAM)
    return 0


def _refuse_beside_explanation(options: Namespace, *, is_batch: bool) -> None:
    given = {"--emit": options.emit, "--stats": options.stats}
    for option, value in given.items():
        if value is not None:
            raise XetileError(
                f"--explain prints an explanation in place of code and counts; leave out {option}"
            )
    if is_batch:
        raise XetileError(
            "--explain takes one input and one device, and no folder; leave out --jobs and --force"
        )


def _output(options: Namespace, name: str) -> str:
    """Return the file for the code, or STANDARD."""
    if options.output is not None:
        return options.output
    emit = options.emit or EMITTED
    suffix = SUFFIXES.get(emit)
    if suffix is None:
        return STANDARD
    if options.inputs == [STANDARD]:
        raise XetileError(f"{emit} of standard input needs a place to go; give -o")
    return Path(name).stem + suffix


def _write_statistics(statistics: str, place: str, *, code_on_standard_output: bool) -> None:
    if place == STATISTICS_TO_STREAM and code_on_standard_output:
        sys.stderr.write(statistics)
    else:
        write_output(place or STANDARD, statistics, by=PROGRAM)


main = partial(run_tool, PROGRAM, _run)


def compile_batch(options: Namespace, wanted: Options) -> int:
    """Compile every input for every device; return 1 if one of them fails, 70 if the compiler itself does."""
    from xetile.batch import compile_many
    from xetile.batch.compiled_source import Telling

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


def _status(outcomes: "list[Outcome]") -> int:
    failures = [outcome.failure for outcome in outcomes if outcome.failure is not None]
    if any(failure.is_internal for failure in failures):
        return STATUS_INTERNAL
    return STATUS_WRONG_INPUT if failures else 0


class _Progress:
    """Progress on standard error: on a terminal one line that is rewritten, else a line for each output.

    Diagnostics on sources are printed above it, once for all devices.
    """

    def __init__(self, total: int, *, debug: bool) -> None:
        self._total = total
        self._debug = debug
        self._counts = {"written": 0, "up to date": 0, "failed": 0}
        self._told: set[str] = set()
        self._moves = sys.stderr.isatty()
        self._shown = 0

    def report(self, outcome: "Outcome") -> None:
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
        """Print the final counts of outputs that were written, up to date, and failed."""
        written, kept, failed = self._counts.values()
        parts = [f"{written} written"]
        parts += [f"{kept} up to date"] * bool(kept) + [f"{failed} failed"] * bool(failed)
        print(f"{PROGRAM}: {', '.join(parts)}", file=sys.stderr)

    def clear(self) -> None:
        """Erase the line that is rewritten."""
        if self._shown:
            print(f"\r{' ' * self._shown}\r", end="", file=sys.stderr, flush=True)
            self._shown = 0

    def _tell_once(self, key: str, text: str) -> None:
        if key not in self._told:
            self._told.add(key)
            print(text, file=sys.stderr)

    def _tell_failure(self, failure: "Failure") -> None:
        if failure.is_internal:
            if self._debug:
                print(failure.trace, end="", file=sys.stderr)
            text = f"internal error: {failure.text} (--debug shows the trace)"
        else:
            text = failure.text if failure.has_place else f"{PROGRAM}: error: {failure.text}"
        self._tell_once(text, text)

    def _number(self) -> str:
        return f"{sum(self._counts.values())} of {self._total}"

    def _show(self, outcome: "Outcome") -> None:
        from shutil import get_terminal_size

        line = f"{PROGRAM}: {self._number()}: {Path(outcome.wanted.output).name}"
        line = line[: get_terminal_size().columns - 1]
        print(line, end="", file=sys.stderr, flush=True)
        self._shown = len(line)


def _became(outcome: "Outcome") -> str:
    if outcome.state == "up to date":
        return f"{outcome.wanted.output} is up to date"
    return f"wrote {outcome.wanted.output} ({size_text(outcome.size)})"
