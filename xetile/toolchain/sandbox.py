"""Runs programs that may crash or hang: in a process of their own, with a time limit."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from xetile.errors import XetileError, reason_of


class Outcome(NamedTuple):
    """How a program ended: its status (negative: the signal that ended it) and what it printed."""

    status: int
    output: str
    errors: str


def run(
    command: Sequence[str | Path], *, folder: Path | None = None, seconds: float
) -> Outcome:
    """Run a program in `folder` to its end.

    Errors: XetileError when it cannot be started, or has not ended after `seconds` (it and
    what it started are then ended).
    """
    name = Path(command[0]).name
    try:
        child = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise XetileError(f"cannot run {command[0]}: {reason_of(error)}") from error
    try:
        output, errors = child.communicate(timeout=seconds)
    except BaseException as error:
        _end(child)
        if isinstance(error, subprocess.TimeoutExpired):
            raise XetileError(f"{name} did not end within {seconds:g} seconds") from error
        raise
    return Outcome(child.returncode, output, errors)


def ending(outcome: Outcome) -> str:
    """How a program that failed ended, for messages: `status 1`, `signal SIGSEGV`."""
    if outcome.status >= 0:
        return f"status {outcome.status}"
    return f"signal {signal.Signals(-outcome.status).name}"


def _end(child: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
