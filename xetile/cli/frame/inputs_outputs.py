"""Reading input and writing output; `-` is the standard stream, and failures leave files unchanged."""

import os
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from errno import EISDIR, ENOENT, ENOTDIR
from pathlib import Path

from xetile.advice import nearest
from xetile.errors import XetileError, reason_of
from xetile.files import replaced, write_files

_ALIKE = 0.6
"""Similarity (of 1) above which two file names may have been confused."""

MAGIC = {
    b"\x03\x02\x23\x07": "SPIR-V",
    b"\x7fELF": "an ELF file",
    b"\x93NUMPY": "a numpy array",
    b"ML\xefR": "MLIR bytecode",
    b"BC\xc0\xde": "LLVM bitcode",
}
"""The first bytes of kinds of binary files."""


def hint_for_input(path: str, error: OSError) -> str:
    """Return advice on a path that cannot be read, or an empty string if no file is similar."""
    if error.errno != EISDIR:
        return _hint(path, error) or _similar(path)
    example = next(
        (f"'{name}'" for name in _files_in(Path(path)) if name.endswith(".mlir")), None
    )
    return f"; name a file in it, such as {example}" if example else ""


def hint_for_output(path: str, error: OSError) -> str:
    """Return the reason why a path cannot be written, or an empty string if it is not known."""
    return "; name a file in it" if error.errno == EISDIR else _hint(path, error)


def _hint(path: str, error: OSError) -> str:
    folder = Path(path).parent
    if error.errno == ENOTDIR:
        file = next((part for part in (folder, *folder.parents) if part.is_file()), None)
        return "" if file is None else f"; '{file}' is a file"
    if error.errno == ENOENT and not folder.exists():
        return f"; there is no folder '{folder}'"
    return ""


def _similar(path: str) -> str:
    wanted = Path(path)
    files = sorted(_files_in(wanted.parent), key=lambda file: not file.endswith(".mlir"))
    for file in files:
        if Path(file).stem == wanted.name:
            return f"; did you mean '{file}'?"
    near = nearest(wanted.name, (Path(file).name for file in files), _ALIKE)
    return f"; did you mean '{wanted.parent / near}'?" if near else ""


def _files_in(folder: Path) -> list[str]:
    try:
        return sorted(str(path) for path in folder.iterdir() if path.is_file())
    except OSError:
        return []


def binary_kind(path: str) -> str | None:
    """Return the kind of a binary file, or None for text and for files that cannot be read."""
    try:
        if not os.path.isfile(path):  # a pipe is read once
            return None
        with open(path, "rb") as stream:
            start = stream.read(8)
    except (OSError, ValueError):
        return None
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)


STANDARD = "-"


def read_input(path: str | None) -> tuple[str, str]:
    """Return the text of a file (standard input for `-` and None) and its name for messages.

    Raise XetileError for a file that cannot be read, with the place for bytes that are not UTF-8.
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
    """Write a file, or standard output for `-` and None; `by` is the program that reports the file it wrote.

    A temporary file replaces the old file in one step, so that the path always has the old or the new content.
    Raise XetileError if the path cannot be written.
    """
    write_outputs([(path, content)], by=by)


def keep_inputs(
    outputs: Iterable[str | None], inputs: Iterable[str | None], *, option: str = "-o"
) -> None:
    """Raise XetileError if an output would overwrite an input, by any path or link, or has no name.

    `option` is the one that names another place; `-` and None, the standard streams, are not checked.
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
    """Write several outputs as `write_output` does: all of them, or none if a file cannot be written."""
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
    """Report on standard error what was written and where; `size` in bytes."""
    print(f"{program}: wrote {what} ({size_text(size)})", file=sys.stderr)


def size_text(size: int) -> str:
    """Return a number of bytes as messages have it: `9,600 bytes`."""
    return f"{size:,} {'byte' if size == 1 else 'bytes'}"


def make_folder(path: str) -> None:
    """Create a folder and its parents, unless it exists.

    Raise XetileError if it cannot be created.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise XetileError(f"cannot make the folder '{path}': {reason_of(error)}") from error
