"""Reading input and writing output; `-` is the standard stream, failures leave files alone."""

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EISDIR
from pathlib import Path

from xetile.cli.paths import binary_kind, hint_for_input, hint_for_output
from xetile.errors import XetileError, reason_of

STANDARD = "-"


def read_input(path: str | None) -> tuple[str, str]:
    """The text of a file, or of standard input for `-` and None, and the name for messages.

    Errors: XetileError for a file that cannot be read, with the place for bytes that are not UTF-8.
    """
    from xetile.api import decode_source, read_source

    if path is None or path == STANDARD:
        name = "<stdin>"
        return decode_source(_standard_input(), name), name
    if (kind := binary_kind(path)) is not None:
        raise XetileError(f"cannot read '{path}': it is {kind}; expected MLIR text")
    try:
        return read_source(path), path
    except XetileError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise XetileError(error.message + hint_for_input(path, error.__cause__)) from error


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise XetileError("cannot read standard input: it is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise XetileError(f"cannot read standard input: {reason_of(error)}") from error


def write_output(path: str | None, content: str | bytes, *, by: str | None = None) -> None:
    """Write a file, or standard output for `-` and None; the program `by` says which file it wrote.

    A file is written beside its place and put there in one step: it is the old or the new one.
    Errors: XetileError for a place that cannot be written.
    """
    write_outputs([(path, content)], by=by)


def write_outputs(
    outputs: Sequence[tuple[str | None, str | bytes]], *, by: str | None = None
) -> None:
    """Write several places as `write_output` does: all files or, where one cannot be written, none."""
    with ExitStack() as leftovers:
        files: list[tuple[str, Path, bytes]] = []
        for number, (path, content) in enumerate(outputs):
            data = content.encode() if isinstance(content, str) else content
            if path is None or path == STANDARD:
                sys.stdout.flush()
                sys.stdout.buffer.write(data)
                continue
            with _refusing(path):
                files.append(
                    (path, leftovers.enter_context(_beside(path, data, number)), data)
                )
        for path, beside, data in files:
            with _refusing(path):
                _put(beside, Path(path).resolve(), data)
    for path, _, data in files:
        if by is not None and Path(path).is_file():
            say_written(by, path, len(data))


@contextmanager
def _refusing(path: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = reason_of(error) + hint_for_output(path, error)
        raise XetileError(f"cannot write '{path}': {reason}") from error


def say_written(program: str, what: str, size: int) -> None:
    """Tell the user, on standard error, what was written and where; `size` in bytes."""
    unit = "byte" if size == 1 else "bytes"
    print(f"{program}: wrote {what} ({size:,} {unit})", file=sys.stderr)


def make_folder(path: str) -> None:
    """Make a folder with those that it is in; one that is there is taken.

    Errors: XetileError where it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise XetileError(f"cannot make the folder '{path}': {reason_of(error)}") from error


def _is_stream(target: Path) -> bool:
    """Whether a place is a device such as /dev/null or a pipe, which is written in place; a folder fails."""
    return target.exists() and not target.is_file()


@contextmanager
def _beside(path: str, data: bytes, number: int) -> Generator[Path]:
    """A file with the data next to its place, which is gone afterwards unless it was put there."""
    target = Path(path).resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}.{number}.tmp")
    if _is_stream(target):
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        yield beside
        return
    try:
        beside.write_bytes(data)
        if target.exists():
            beside.chmod(target.stat().st_mode)
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink()


def _put(beside: Path, target: Path, data: bytes) -> None:
    if _is_stream(target):
        target.write_bytes(data)
    else:
        beside.replace(target)
