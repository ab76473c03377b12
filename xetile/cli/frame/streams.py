"""Standard streams that may be closed or full: a failure is one line, and never a trace when Python ends.

What goes to standard output must arrive, what goes to standard error may be lost.
"""

import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from xetile.errors import XetileError, reason_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_OUTPUT, _ERRORS = 1, 2


def mend_streams() -> None:
    """Make the process's standard streams answer failures as the user may read them."""
    _fill_numbers()
    sys.stdout = _text(_Output(_OUTPUT, "wb", closefd=False), sys.stdout)
    sys.stderr = _text(_Errors(_ERRORS, "wb", closefd=False), sys.stderr)


def _fill_numbers() -> None:
    """Keep the numbers of closed streams from the files that are opened next."""
    for number, mode in ((0, os.O_WRONLY), (_OUTPUT, os.O_RDONLY), (_ERRORS, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)  # of the wrong kind: using it fails as before
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)


def _text(raw: FileIO, like: TextIO | None) -> TextIOWrapper:
    """A text stream with the properties of the one that Python made, None where it was closed."""
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
            self._failed = True
            raise XetileError(f"cannot write standard output: {reason_of(error)}") from error


class _Errors(FileIO):
    """Standard error; what it does not take is dropped."""

    def write(self, b: "ReadableBuffer", /) -> int:
        with suppress(OSError):
            return super().write(b)
        return memoryview(b).nbytes
