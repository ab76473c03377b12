"""The frame of all command lines: wrong input prints one line, never a traceback.

After the line come the line of source and a caret, then notes on other places in the same form.

| what happened | standard error | status |
|---|---|---|
| wrong input with a place | `file:line:col: error: message` | 1 |
| any other wrong input (option, device, file) | `PROGRAM: error: message` | 1 |
| a fault of the program itself | `internal error: ... (--debug shows the trace)` | 70 |
| interrupted | nothing | 130 |
| the reader of the output went away | nothing | 141 |
"""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from xetile.cli.frame.process import has_come
from xetile.errors import XetileError, one_command, one_line


def version_text(program: str) -> str:
    """Return the versions, one per line."""
    from importlib import import_module
    from importlib.metadata import version

    from xetile import __version__
    from xetile.toolchain.paths import find_mlir_opt, find_ocloc, find_spirv_val, mlir_version

    mlir_opt = find_mlir_opt()
    binding = import_module("llvmlite.binding")
    llvm = ".".join(str(part) for part in binding.llvm_version_info)
    return "\n".join(
        [
            f"{program} {__version__}",
            f"xDSL {version('xdsl')}",
            f"LLVM {llvm} (llvmlite {version('llvmlite')})",
            _tool("mlir-opt", mlir_opt, mlir_version(mlir_opt) if mlir_opt else None),
            _bindings(),
            _tool("ocloc", find_ocloc()),
            _tool("spirv-val", find_spirv_val()),
        ]
    )


def _bindings() -> str:
    """Describe MLIR's Python bindings; other versions, or ones that lack their library, are not used."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    from xetile.toolchain.mlir import has_bindings

    spec = find_spec("mlir")
    if spec is None:
        return _tool("MLIR bindings", None)
    where = next(iter(spec.submodule_search_locations or ()), None)
    try:
        number = version("mlir-python-bindings")
    except PackageNotFoundError:  # a folder on the module path
        number = "of unknown version"
    line = _tool("MLIR bindings", Path(where or "mlir"), number)
    return line if has_bindings() else f"{line}, not usable"


def _tool(name: str, path: Path | None, version: str | None = None) -> str:
    if path is None:
        return f"{name} not found"
    return f"{name} {version} ({path})" if version else f"{name} ({path})"


class PrintAndLeave(argparse.Action):
    """An option that prints a text, computed from the program's name, and exits."""

    def __init__(
        self,
        option_strings: Sequence[str],
        dest: str,
        help: str | None = None,
        *,
        text: Callable[[str], str],
    ) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)
        self._text = text

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        print(self._text(parser.prog))
        parser.exit()


STATUS_WRONG_INPUT = 1
STATUS_INTERNAL = 70
STATUS_INTERRUPTED = 130
STATUS_BROKEN_PIPE = 141

DEBUG_FLAG = "--debug"
NO_SNIPPETS_FLAG = "--no-snippets"


class ToolParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and whose options are not abbreviated."""

    def __init__(
        self,
        program: str,
        description: str,
        *,
        has_version: bool = False,
        reads_ir: bool = False,
    ) -> None:
        super().__init__(prog=program, description=description, allow_abbrev=False)
        add = self.add_argument
        if reads_ir:
            help = "show no lines of source under diagnostics"
            add(NO_SNIPPETS_FLAG, action="store_true", help=help)
        add(DEBUG_FLAG, action="store_true", help="show the trace of an internal error")
        if has_version:
            help = "print the versions of all parts"
            add("--version", action=PrintAndLeave, text=version_text, help=help)

    @property
    def options(self) -> Mapping[str, argparse.Action]:
        """Return the actions of the options by their spellings."""
        return self._option_string_actions

    def error(self, message: str) -> NoReturn:
        from xetile.cli.frame.usage import explained

        raise XetileError(explained(self.prog, self.options, message))


def run_tool(
    program: str, main: Callable[[list[str]], int], arguments: Sequence[str] | None = None
) -> int:
    """Run a tool's `main` on its arguments, by default the process's, and return its status."""
    if arguments is None:
        return _run_process(program, main)
    given = list(arguments)
    with one_command(snippets=NO_SNIPPETS_FLAG not in given):
        return _answered(program, main, given)


def _answered(program: str, main: Callable[[list[str]], int], given: list[str]) -> int:
    try:
        status = _status(main, given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
    except BrokenPipeError:
        # the interpreter would complain once more when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return STATUS_BROKEN_PIPE
    except BaseException as error:  # one of xDSL's errors is no Exception
        if _is_interrupt(error) or has_come():
            return STATUS_INTERRUPTED
        if DEBUG_FLAG in given:
            import traceback

            traceback.print_exception(error)
        line, status = answer(program, error)
        print(line, file=sys.stderr)
    return status


def _status(main: Callable[[list[str]], int], given: list[str]) -> int:
    try:
        return main(given)
    except SystemExit as leaving:  # argparse after --help and --version, a signal
        return leaving.code if isinstance(leaving.code, int) else 0


def _run_process(program: str, main: Callable[[list[str]], int]) -> int:
    """Run a tool as the only job of the process, whose streams and signals it then owns."""
    from xetile.cli.frame.process import interruptible, mend_streams

    try:
        mend_streams()  # first: the pipe that watches for signals must not get the number of a closed stream
        with interruptible():
            return run_tool(program, main, sys.argv[1:])
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
    finally:
        gc.freeze()  # or Python looks through all IR once more at its end: an eighth of a small compilation


def _is_interrupt(error: BaseException) -> bool:
    """Return True if an error was caused by an interrupt: Python 3.11 wraps errors raised while a class is created."""
    met: set[int] = set()  # an error may be its own cause
    seen: BaseException | None = error
    while seen is not None and id(seen) not in met:
        if isinstance(seen, KeyboardInterrupt):
            return True
        met.add(id(seen))
        seen = seen.__cause__
    return False


def answer(program: str, error: BaseException) -> tuple[str, int]:
    """Return the text for standard error, without the last line break, and the status of an exception."""
    wrong = _as_wrong_input(error)
    if wrong is None:
        text = f"{type(error).__name__}: {one_line(str(error)) or 'no message'}"
        return f"internal error: {text} ({DEBUG_FLAG} shows the trace)", STATUS_INTERNAL
    if wrong.location is None:
        return f"{program}: error: {one_line(wrong.message)}", STATUS_WRONG_INPUT
    return wrong.render(), STATUS_WRONG_INPUT


def _as_wrong_input(error: BaseException) -> XetileError | None:
    if isinstance(error, XetileError):
        return error
    from xetile.parser import as_wrong_input

    return as_wrong_input(error)
