"""Signals that end a command: at any time, without a trace, ending child processes and removing temporary files.

| when | what a signal does |
|---|---|
| while the command's modules are imported, and when all is done | ends the process at once |
| while it works | raises, so that what has begun is cleaned up; further signals are ignored |
| ... in machine code, which no exception interrupts | ends the process after a grace |

The status is 128 and the signal's number. A signal that was ignored when the command began stays so (nohup).

Standard streams that may be closed or full: a failure is one line, and never a trace when Python ends.

Output to standard output must arrive; output to standard error may be lost.
"""

import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import BufferedWriter, FileIO, TextIOWrapper
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

GRACE_SECONDS = 2.0
"""Time that a command gets to clean up."""

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_FIRST_STATUS = 128


_came: ContextVar[bool] = ContextVar("came", default=False)


def has_come() -> bool:
    """Return True if a signal has raised the exception that ends the command; libraries may have replaced it."""
    return _came.get()


def end_at_once() -> None:
    """End the process at once on a signal from now on."""
    _handle(_end)


def _handle(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_FIRST_STATUS + number)


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    _handle(signal.SIG_IGN)
    _came.set(True)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(_FIRST_STATUS + number)


@contextmanager
def interruptible() -> Generator[None]:
    """Within the context, the command does its work, and signals raise."""
    _watch()
    _handle(_raise)
    try:
        yield
    finally:
        end_at_once()


def _watch() -> None:
    """End the process some time after a signal, because Python's handlers wait for machine code to return."""
    from threading import Thread
    from time import sleep

    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def wait() -> None:
        while True:
            number = os.read(read, 1)[0]
            if number in _ENDING:
                sleep(GRACE_SECONDS)
                os._exit(_FIRST_STATUS + number)

    Thread(target=wait, daemon=True).start()


_OUTPUT, _ERRORS = 1, 2


def mend_streams() -> None:
    """Replace the process's standard streams by ones whose failures users can read."""
    _fill_numbers()
    sys.stdout = _text(_Output(_OUTPUT, "wb", closefd=False), sys.stdout)
    sys.stderr = _text(_Errors(_ERRORS, "wb", closefd=False), sys.stderr)


def _fill_numbers() -> None:
    """Prevent files opened later from getting the numbers of closed standard streams."""
    for number, mode in ((0, os.O_WRONLY), (_OUTPUT, os.O_RDONLY), (_ERRORS, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)  # of the wrong kind: using it fails as before
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)


def _text(raw: FileIO, like: TextIO | None) -> TextIOWrapper:
    """Return a text stream with the properties of `like`, Python's own stream, or None if that was closed."""
    buffered = BufferedWriter(raw)
    if not isinstance(like, TextIOWrapper):
        return TextIOWrapper(buffered, encoding="utf-8", errors="backslashreplace")
    return TextIOWrapper(
        buffered,
        encoding=like.encoding,
        errors=like.errors,
        line_buffering=like.line_buffering,
        write_through=like.write_through,
    )


class _Output(FileIO):
    """Standard output; after a failure the rest is dropped."""

    _failed = False

    def write(self, b: "ReadableBuffer", /) -> int:
        if self._failed:
            return memoryview(b).nbytes
        try:
            return super().write(b)
        except BrokenPipeError:
            self._failed = True
            raise
        except OSError as error:
            from xetile.errors import XetileError, reason_of

            self._failed = True
            raise XetileError(f"cannot write standard output: {reason_of(error)}") from error


class _Errors(FileIO):
    """Standard error; output that cannot be written is dropped."""

    def write(self, b: "ReadableBuffer", /) -> int:
        with suppress(OSError):
            return super().write(b)
        return memoryview(b).nbytes
