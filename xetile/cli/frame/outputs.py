"""Reading input and writing output; `-` is the standard stream, failures leave files alone."""

import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

from xetile.cli.frame.paths import binary_kind, hint_for_input, hint_for_output
from xetile.errors import XetileError, reason_of
from xetile.files import replaced, write_files

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


def keep_inputs(
    outputs: Iterable[str | None], inputs: Iterable[str | None], *, option: str = "-o"
) -> None:
    """Refuse to write over what is read, by whatever path or link; `option` is the one that names another place.

    Errors: XetileError for such an output, and one without a name; `-` and None, the standard streams, are none.
    """
    outputs = list(outputs)
    _refuse_nameless(outputs)
    found = replaced(_files(outputs), _files(inputs))
    if found is not None:
        output, read = found
        what = "the input" if read == output else f"the input '{read}'"
        raise XetileError(
            f"cannot write '{output}': it is {what}; name another file with {option}"
        )


def _files(paths: Iterable[str | None]) -> list[str]:
    return [path for path in paths if path is not None and path != STANDARD]


def _refuse_nameless(outputs: Iterable[str | None]) -> None:
    if "" in outputs:
        raise XetileError("cannot write '': expected the name of a file; - is standard output")


def write_outputs(
    outputs: Sequence[tuple[str | None, str | bytes]], *, by: str | None = None
) -> None:
    """Write several places as `write_output` does: all of them or, where a file cannot be written, none."""
    _refuse_nameless([path for path, _ in outputs])
    files: list[tuple[str, bytes]] = []
    streamed: list[bytes] = []
    for path, content in outputs:
        data = content.encode() if isinstance(content, str) else content
        if path is None or path == STANDARD:
            streamed.append(data)
        else:
            files.append((path, data))
    write_files(files, _refusing)
    if streamed:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(streamed)
    for path, data in files:
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
    print(f"{program}: wrote {what} ({size_text(size)})", file=sys.stderr)


def size_text(size: int) -> str:
    """A number of bytes as messages have it: `9,600 bytes`."""
    return f"{size:,} {'byte' if size == 1 else 'bytes'}"


def make_folder(path: str) -> None:
    """Make a folder with those that it is in; one that is there is taken.

    Errors: XetileError where it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise XetileError(f"cannot make the folder '{path}': {reason_of(error)}") from error
