"""The command `xetile-opt`: read IR, run passes, print IR.

It extends xDSL's driver with our parser, dialects and passes, and with mlir-opt's conventions:

- passes and pipelines are written as for mlir-opt;
- an error is one line with a place, remarks and reports go to standard error;
- if anything fails, output files stay unchanged;
- `--verify-diagnostics` compares errors, warnings, remarks (notes for the user on correct input) and notes with the
  comments in the input that expect them.
"""

import re
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from functools import partial
from io import BytesIO
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.diagnostic import Diagnostic as XDSLDiagnostic
from xdsl.xdsl_opt_main import xDSLOptMain

from xetile.cli.frame.inputs_outputs import keep_inputs, read_input, write_output
from xetile.cli.frame.tools import STATUS_WRONG_INPUT, ToolParser, answer, run_tool
from xetile.cli.frame.usage import unrecognized
from xetile.cli.opt.expectations import Diagnostic, read_expectations, unmet
from xetile.cli.opt.instrumentation import Instrumentation
from xetile.cli.opt.opt_options import (
    SEPARATOR,
    add_arguments,
    check_dumps,
    dumps,
    normalized,
    truth,
)
from xetile.cli.opt.pass_listing import (
    PassFactories,
    describe_pass,
    help_on_passes,
    names,
)
from xetile.cli.opt.pipeline_spec import (
    ANY,
    Nested,
    Step,
    check_target,
    collect_pipeline,
    parse_steps,
    pass_names,
)
from xetile.errors import (
    XetileError,
    collected_remarks,
    one_line,
    position,
    warn,
    written_in,
)
from xetile.parser import as_wrong_input
from xetile.passes import all_passes

PROGRAM = "xetile-opt"


def _run(arguments: list[str]) -> int:
    import gc

    gc.disable()  # nearly all objects live to the end; worth a fifth of parsing
    return OptMain(arguments).answer()


def make_parser() -> ToolParser:
    """Return the parser of the command's options, without its passes."""
    parser = ToolParser(PROGRAM, "")
    add_arguments(parser, [])
    return parser


class OptParser(ToolParser):
    """The tool's argument parser; its help ends with the passes, listed only on request."""

    def __init__(self, passes: PassFactories) -> None:
        super().__init__(
            PROGRAM, "Runs passes over tile IR and prints the result.", reads_ir=True
        )
        self._passes = passes

    @property
    def long_options(self) -> set[str]:
        return {name[2:] for name in self.options if name.startswith("--")}

    def format_help(self) -> str:
        return f"{super().format_help()}\n{help_on_passes(self._passes)}\n"


def _no_check(self: Attribute) -> None:
    """Replace attribute checks if --disable-verify is given."""


def _licm() -> type[ModulePass]:
    """Return the pass of the pipelines, which also handles scf.while."""
    from xetile.rewriting.tidying import HoistLoopInvariants

    return HoistLoopInvariants


class OptMain(xDSLOptMain):
    """One call of the tool."""

    args: Namespace

    def __init__(self, arguments: Sequence[str]) -> None:
        from xetile.dialects import all_dialects

        self.diagnostics: list[Diagnostic] = []
        self.source_name = ""
        # all that is known: xDSL's, every installed plugin's, and ours, which takes precedence; imported on first use
        universe = Universe.get_multiverse()
        self.available_frontends = {"mlir": self._parse_mlir}  # whatever the file is called
        # ours unwrapped: the wrappers of the universe are for ops that other parsers read
        self.available_passes = {**universe.all_passes, **all_passes(), "licm": _licm}
        self.available_targets = dict(universe.all_targets)
        self.ctx = Context()
        for name, factory in (universe.all_dialects | all_dialects()).items():
            self.ctx.register_dialect(name, factory)

        parser = OptParser(self.available_passes)
        add_arguments(parser, list(self.available_targets))
        known = {*parser.long_options, *self.available_passes}
        rest, pieces = collect_pipeline(normalized(arguments, known), self.available_passes)
        self.args, unknown = parser.parse_known_args(rest)
        if unknown:
            flags = {*parser.options, *(f"--{name}" for name in self.available_passes)}
            raise XetileError(unrecognized(PROGRAM, flags, unknown[0]))
        self.args.passes = ",".join(pieces)
        self.instrumentation = Instrumentation(
            dumps(self.args), timing=self.args.mlir_timing or self.args.time_passes
        )
        self._apply_switches()
        # report wrong names and options before anything is read
        self.steps = parse_steps(self.args.passes, self.available_passes)
        check_dumps(self.args, self.available_passes, set(pass_names(self.steps)))

    def _apply_switches(self) -> None:
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        self.verify_each = truth("--verify-each", self.args.verify_each)
        if self.args.disable_verify:
            Attribute.__post_init__ = _no_check
        if self.args.syntax_highlight:
            XDSLDiagnostic.colored = True
        check_target(self.args.target, self.available_targets)

    # Parsing and passes.

    def _parse_mlir(self, stream: IO[bytes]) -> ModuleOp:
        return self._parse(stream.read().decode(), self.source_name)

    def _parse(self, text: str, name: str) -> ModuleOp:
        from xetile.dialects.modules import Parser

        return Parser(self.ctx, text, name).parse_module(not self.args.no_implicit_module)

    def _verify(self, module: ModuleOp) -> None:
        if not self.args.disable_verify:
            from xetile.dialects.modules import verify

            verify(module)

    def apply_passes(self, prog: ModuleOp) -> None:
        """Verify the module, then run one pass after another, verifying the IR after each."""
        self._verify(prog)
        if not self.steps:
            return
        with written_in(prog):
            self._run(self.steps, prog)

    def _run(self, steps: Iterable[Step], op: Operation) -> Operation:
        """Run steps on a module or on one op of it; return the op that has replaced it."""
        for step in steps:
            if isinstance(step, Nested):
                self._run_nested(step, op)
                continue
            with self.instrumentation.around(step.name, op):
                op = self._run_pass(step, op)
                if self.verify_each and not self.args.disable_verify:
                    _verify_after(step, op)
        return op

    def _run_nested(self, nested: Nested, op: Operation) -> None:
        from xetile.rewriting.anchored import anchored

        ran = False
        for inner in list(anchored(op, nested.anchor)):
            self._run(nested.steps, inner)
            ran = True
        if not ran and nested.anchor != ANY and not self._knows(nested.anchor):
            warn(
                None,
                f"no op is called '{nested.anchor}'; the passes in its parentheses run on nothing",
            )

    def _knows(self, op: str) -> bool:
        found = self.ctx.get_optional_op(op)
        return found is not None and found.name == op

    def _run_pass(self, step: ModulePass, op: Operation) -> Operation:
        from xetile.rewriting.kept_positions import fill_positions

        def change(module: ModuleOp) -> None:
            self._apply(step, module)
            fill_positions(module)  # passes of xDSL hand none on

        if isinstance(op, ModuleOp) and op.parent is None:
            change(op)
            return op
        from xetile.rewriting.anchored import change_alone

        return change_alone(op, change, f"pass '{step.name}'")

    def _apply(self, step: ModulePass, prog: ModuleOp) -> None:
        try:
            step.apply(self.ctx, prog)
        except (ValueError, NotImplementedError) as error:
            if not type(step).__module__.startswith("xdsl."):
                raise
            raise XetileError(f"pass '{step.name}': {one_line(str(error))}") from error
        except (AssertionError, AttributeError, LookupError, TypeError) as error:
            if not type(step).__module__.startswith("xdsl."):
                raise
            raise XetileError(
                f"cannot run xDSL's pass '{step.name}' on this module: "
                f"{type(error).__name__}: {one_line(str(error)) or 'no message'}; use xdsl-opt"
            ) from error

    # The run.

    def answer(self) -> int:
        """Answer a question about the tool, or process the input; return the exit status."""
        if self.args.list_passes:
            print(names(self.available_passes))
        elif self.args.show_dialects:
            print(names(self.ctx.registered_dialect_names))
        elif self.args.show_pass is not None:
            print(describe_pass(self.args.show_pass, self.available_passes))
        else:
            return self.run_chunks()
        return 0

    def run_chunks(self) -> int:
        if self.args.dump_pass_pipeline:
            print(f"// pass pipeline: builtin.module({self.args.passes})", file=sys.stderr)
        text, self.source_name = read_input(self.args.input_file)
        if self.args.target != "mlir":  # IR may overwrite its input, as in mlir-opt
            keep_inputs([self.args.output_file], [self.args.input_file])
        marker = self.args.split_input_file
        chunks = [text] if marker is None else split_chunks(text, marker)
        printed: list[str] = []
        wrong: list[str] = []
        for chunk in chunks:
            try:
                printed.append(self._process(chunk))
            except BaseException as error:
                said = as_wrong_input(error)
                if said is None:
                    raise
                self._record(said)
                wrong.append(answer(PROGRAM, said)[0])
        self.instrumentation.report()
        output = f"{self.args.output_split_marker}\n".join(printed)
        if self.args.verify_diagnostics is not None or self.args.parsing_diagnostics:
            status = self._compare(text) if self.args.verify_diagnostics else _show(wrong)
            if status == 0 or self.args.output_file is None:
                write_output(self.args.output_file, output, by=PROGRAM)
            return status
        if self.args.shrink:
            print("Failure, can't shrink")
            return 1
        for line in wrong:
            print(line, file=sys.stderr)
        if not wrong or self.args.output_file is None:
            write_output(self.args.output_file, output, by=PROGRAM)
        return STATUS_WRONG_INPUT if wrong else 0

    def _process(self, chunk: str) -> str:
        with self.instrumentation.phase("Parser"):
            module = self._parse_mlir(BytesIO(chunk.encode()))
        if self.args.verify_roundtrip:
            self._verify(module)  # wrong IR cannot always be printed
            self._check_round_trip(module)
        if self.args.verify_diagnostics is None:
            self.apply_passes(module)
        else:
            with collected_remarks() as told:
                try:
                    self.apply_passes(module)
                finally:
                    self.diagnostics.extend(Diagnostic(*one) for one in told)
        with self.instrumentation.phase("Output"):
            return self.output_resulting_program(module)

    def _check_round_trip(self, module: ModuleOp) -> None:
        again = self._parse(str(module), f"{self.source_name} as printed")
        if not module.is_structurally_equivalent(again):
            raise XetileError(
                "--verify-roundtrip: what was read differs from what is read back after printing it",
                position(module),
            )

    def _record(self, error: XetileError) -> None:
        self.diagnostics.append(Diagnostic("error", _line(error.location), error.message))
        for note in error.notes:
            self.diagnostics.append(Diagnostic("note", _line(note.location), note.message))

    def _compare(self, text: str) -> int:
        strict = self.args.verify_diagnostics == "all"
        wrong = unmet(read_expectations(text), self.diagnostics, unexpected=strict)
        for line, message in wrong:
            print(f"{self.source_name}:{line}:1: error: {message}", file=sys.stderr)
        return STATUS_WRONG_INPUT if wrong else 0


def _line(place: FileLineColLoc | None) -> int | None:
    return None if place is None else place.line.data


def _verify_after(step: ModulePass, op: Operation) -> None:
    from xetile.dialects.modules import verify

    try:
        verify(op)
    except XetileError as error:
        raise RuntimeError(
            f"pass '{step.name}' made IR that does not verify: {error}"
        ) from error


def _show(wrong: Sequence[str]) -> int:
    for line in wrong:
        print(line)
    return 0


def split_chunks(text: str, marker: str = SEPARATOR) -> list[str]:
    """Return the parts between lines of `marker`, padded with line breaks so that line numbers are the file's."""
    chunks: list[str] = []
    lines = 0
    for chunk in re.split(rf"(?m)^[ \t]*{re.escape(marker)}.*$", text):
        chunks.append("\n" * lines + chunk)
        lines += chunk.count("\n")
    return chunks


main = partial(run_tool, PROGRAM, _run)
