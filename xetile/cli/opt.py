"""`xetile-opt`: reads IR, runs passes, prints IR. xDSL's driver with our parser, dialects and passes.

It differs from xDSL's where that stands in the way of a pipe or a person: mlir-opt's way of naming
passes, one-line errors with a place, timing and in-between IR on standard error, `expected-error`
comments, output files that a failure leaves alone.
"""

import re
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from io import BytesIO
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import Universe
from xdsl.utils.diagnostic import Diagnostic as XDSLDiagnostic
from xdsl.xdsl_opt_main import xDSLOptMain

from xetile.cli.errors import STATUS_WRONG_INPUT, ToolParser, answer, one_line, run_tool
from xetile.cli.expectations import MARKER, Diagnostic, read_expectations, unmet
from xetile.cli.files import read_input, write_output
from xetile.cli.pipeline_spec import (
    PIPELINE_OPTION,
    collect_pipeline,
    nearest,
    parse_passes,
)
from xetile.cli.version import VersionAction
from xetile.errors import XetileError

PROGRAM = "xetile-opt"
SEPARATOR = "// -----"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; the result is its exit status."""
    return run_tool(PROGRAM, _run, arguments)


def _run(arguments: list[str]) -> int:
    import gc

    gc.disable()  # nearly everything that is made lives to the end; worth a fifth of parsing
    return OptMain(arguments).run_chunks()


def _no_check(self: Attribute) -> None:
    """Attribute checks with --disable-verify."""


class OptMain(xDSLOptMain):
    """One call of the tool."""

    args: Namespace

    def __init__(self, arguments: Sequence[str]) -> None:
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = Context()
        self.diagnostics: list[Diagnostic] = []
        self.source_name = ""
        self._universe = Universe.get_multiverse()
        self.register_all_dialects()
        self.register_all_frontends()
        self.register_all_passes()
        self.register_all_targets()

        parser = ToolParser(
            PROGRAM, "Runs passes over tile IR and prints the result.", later_options_win=True
        )
        self.register_all_arguments(parser)
        rest, pieces = collect_pipeline(arguments, self.available_passes)
        self.args, unknown = parser.parse_known_args(rest)
        if unknown:
            flag = unknown[0].partition("=")[0].lstrip("-")
            hint = nearest(flag, self.available_passes, "--")
            raise XetileError(f"unrecognized argument '{unknown[0]}'{hint}")
        self.args.passes = ",".join(pieces)
        self.args.time_passes |= self.args.mlir_timing
        self.args.print_between_passes |= self.args.mlir_print_ir_after_all
        self._apply_switches()
        self.setup_pipeline()

    def _apply_switches(self) -> None:
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        if self.args.disable_verify:
            Attribute.__post_init__ = _no_check
        if self.args.syntax_highlight:
            XDSLDiagnostic.colored = True
        target = self.args.target.partition("{")[0]
        if target not in self.available_targets:
            raise XetileError(
                f"unknown target '{target}'; expected one of {', '.join(self.available_targets)}"
            )

    # What is known: xDSL's, every installed plugin's, ours on top.

    def register_all_dialects(self) -> None:
        """All dialects by name, loaded when first met."""
        from xetile.dialects import all_dialects

        for name, factory in (self._universe.all_dialects | all_dialects()).items():
            self.ctx.register_dialect(name, factory)

    def register_all_frontends(self) -> None:
        """Our parser for MLIR text, whatever the file is called."""
        self.available_frontends["mlir"] = self._parse_mlir

    def register_all_passes(self) -> None:
        """All passes by name, imported when asked for."""
        self.available_passes |= self._universe.all_passes

    def register_all_targets(self) -> None:
        """All targets by name, imported when asked for."""
        self.available_targets |= self._universe.all_targets

    def register_all_arguments(self, arg_parser: ArgumentParser) -> None:
        """The options of xDSL's driver, and ours."""
        super().register_all_arguments(arg_parser)
        add = arg_parser.add_argument
        add("-v", "--version", action=VersionAction, help="print the versions of all parts")
        add(
            PIPELINE_OPTION,
            metavar="PIPELINE",
            help="passes in mlir-opt's notation; anchors are dropped",
        )
        add("--mlir-print-ir-after-all", action="store_true", help="as --print-between-passes")
        add("--mlir-timing", action="store_true", help="as --time-passes")
        add(
            "--verify-diagnostics",
            action="store_true",
            help="check errors against the input's expected-error comments; "
            "without such comments, print errors to standard output and succeed",
        )
        arg_parser.epilog = (
            "Passes also run as flags, in order: --PASS or --PASS='option=value option=value'."
        )

    # Parsing and passes.

    def _parse_mlir(self, stream: IO[bytes]) -> ModuleOp:
        from xetile.parser import Parser

        parser = Parser(self.ctx, stream.read(), self.source_name)
        try:
            return parser.parse_module(not self.args.no_implicit_module)
        except RecursionError:
            parser.raise_error("nested too deeply")

    def setup_pipeline(self) -> None:
        """Make the passes; wrong names and options are refused before anything is read."""
        passes = parse_passes(self.args.passes, self.available_passes)
        self.pipeline = PassPipeline(passes, self._between_passes)

    def _between_passes(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        if previous is not None and self.args.time_passes:
            seconds = time.perf_counter() - self._started
            print(f"pass {previous.name} took {seconds:.6f} s", file=sys.stderr)
        if previous is not None:
            from xetile.rewriting import fill_positions

            fill_positions(module)  # passes of xDSL hand none on
        if not self.args.disable_verify:
            _verify_after(previous, module)
        if previous is not None and self.args.print_between_passes:
            from xdsl.printer import Printer

            print(f"// IR after {previous.name}:", file=sys.stderr)
            Printer(stream=sys.stderr).print_op(module)
            print("\n", file=sys.stderr)
        self._started = time.perf_counter()

    # The run.

    def run_chunks(self) -> int:
        """Read, process and write everything; the result is the exit status."""
        text, self.source_name = read_input(self.args.input_file)
        chunks = split_chunks(text) if self.args.split_input_file else [text]
        printed: list[str] = []
        wrong: list[str] = []
        for chunk in chunks:
            try:
                printed.append(self._process(chunk))
            except BaseException as error:
                line, status = answer(PROGRAM, error)
                if status != STATUS_WRONG_INPUT:
                    raise
                self._record(error)
                wrong.append(line)
        output = f"{SEPARATOR}\n".join(printed)
        if self.args.verify_diagnostics and MARKER in text:
            write_output(self.args.output_file, output)
            return self._compare(text)
        if self.args.verify_diagnostics or self.args.parsing_diagnostics:
            write_output(self.args.output_file, output)
            print("\n".join(wrong))
            return 0
        if self.args.shrink:
            print("Failure, can't shrink")
            return 1
        for line in wrong:
            print(line, file=sys.stderr)
        if not wrong or self.args.output_file is None:
            write_output(self.args.output_file, output)
        return STATUS_WRONG_INPUT if wrong else 0

    def _process(self, chunk: str) -> str:
        frontend = self.available_frontends[self.args.frontend or "mlir"]
        module = frontend(BytesIO(chunk.encode()))
        self.pipeline.apply(self.ctx, module)
        return self.output_resulting_program(module)

    def _record(self, error: BaseException) -> None:
        place = _line_and_message(error)
        self.diagnostics.append(Diagnostic("error", *place))

    def _compare(self, text: str) -> int:
        wrong = unmet(read_expectations(text), self.diagnostics)
        for line, message in wrong:
            print(f"{self.source_name}:{line}:1: error: {message}", file=sys.stderr)
        return STATUS_WRONG_INPUT if wrong else 0


def _line_and_message(error: BaseException) -> tuple[int | None, str]:
    from xdsl.utils.exceptions import ParseError

    if isinstance(error, ParseError):
        return error.span.get_location().line, one_line(error.msg)
    if isinstance(error, XetileError):
        line = None if error.location is None else error.location.line.data
        return line, one_line(error.message)
    return None, one_line(str(error))


def _verify_after(previous: ModulePass | None, module: ModuleOp) -> None:
    from xetile.verification import verify

    try:
        verify(module)
    except XetileError as error:
        if previous is None:
            raise
        raise RuntimeError(
            f"pass '{previous.name}' made IR that does not verify: {error}"
        ) from error


def split_chunks(text: str) -> list[str]:
    """The parts between the lines `// -----`, each after as many line breaks as stood before it."""
    chunks: list[str] = []
    lines = 0
    for chunk in re.split(rf"(?m)^[ \t]*{SEPARATOR}.*$", text):
        chunks.append("\n" * lines + chunk)
        lines += chunk.count("\n")
    return chunks
