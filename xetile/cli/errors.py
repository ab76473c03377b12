"""One way of answering for all command lines: wrong input gets one line, never a traceback.

| what happened | standard error | status |
|---|---|---|
| wrong input with a place | `file:line:col: error: message` | 1 |
| any other wrong input (option, device, file) | `PROGRAM: error: message` | 1 |
| a fault of the program itself | `internal error: ... (--debug shows the trace)` | 70 |
| interrupted | nothing | 130 |
| the reader of the output went away | nothing | 141 |
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from xetile.cli.version import VersionAction
from xetile.errors import XetileError, one_command, one_line

STATUS_WRONG_INPUT = 1
STATUS_INTERNAL = 70
STATUS_INTERRUPTED = 130
STATUS_BROKEN_PIPE = 141

DEBUG_FLAG = "--debug"


class ToolParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and whose options are not abbreviated."""

    def __init__(self, program: str, description: str, *, has_version: bool = False) -> None:
        super().__init__(prog=program, description=description, allow_abbrev=False)
        add = self.add_argument
        add(DEBUG_FLAG, action="store_true", help="show the trace of an internal error")
        if has_version:
            add("--version", action=VersionAction, help="print the versions of all parts")

    def error(self, message: str) -> NoReturn:
        raise XetileError(message)


def run_tool(
    program: str, main: Callable[[list[str]], int], arguments: Sequence[str] | None = None
) -> int:
    """Run a tool's `main` on its arguments, by default the process's; the result is its status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with one_command():
            status = main(given)
        sys.stdout.flush()
    except SystemExit as leaving:  # argparse after --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
    except BrokenPipeError:
        # the interpreter would complain once more when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return STATUS_BROKEN_PIPE
    except BaseException as error:  # one of xDSL's errors is no Exception
        if DEBUG_FLAG in given:
            import traceback

            traceback.print_exception(error)
        line, status = answer(program, error)
        print(line, file=sys.stderr)
    return status


def answer(program: str, error: BaseException) -> tuple[str, int]:
    """The line for standard error and the status that an exception stands for."""
    from xdsl.utils.exceptions import (
        ArgSpecParseError,
        DiagnosticException,
        ParseError,
        VerifyException,
    )

    said = one_line(str(error))
    match error:
        case XetileError() if error.location is not None:
            return said, STATUS_WRONG_INPUT
        case ParseError():
            place = error.span.get_location()
            text = f"{error.span.input.name}:{place.line}:{place.col}: error: {error.msg}"
            return one_line(text), STATUS_WRONG_INPUT
        case OSError(filename=str() as name, strerror=str() as reason):
            said = f"'{name}': {reason.lower()}"
        case XetileError() | ArgSpecParseError():
            pass
        case DiagnosticException() if not isinstance(error, VerifyException):
            pass
        case _:
            text = f"{type(error).__name__}: {said or 'no message'}"
            return f"internal error: {text} ({DEBUG_FLAG} shows the trace)", STATUS_INTERNAL
    return f"{program}: error: {said}", STATUS_WRONG_INPUT
