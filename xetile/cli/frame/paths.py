"""Hints at what is wrong with a path that a user gave."""

import os
from errno import EISDIR, ENOENT, ENOTDIR
from pathlib import Path

from xetile.advice import nearest

_ALIKE = 0.6
"""How much alike the names of two files are that may be confused, of 1."""

MAGIC = {
    b"\x03\x02\x23\x07": "SPIR-V",
    b"\x7fELF": "an ELF file",
    b"\x93NUMPY": "a numpy array",
    b"ML\xefR": "MLIR bytecode",
    b"BC\xc0\xde": "LLVM bitcode",
}
"""How files begin that are no text, and what they are."""


def hint_for_input(path: str, error: OSError) -> str:
    """What to write in place of a path that cannot be read; empty where nothing is near."""
    if error.errno != EISDIR:
        return _hint(path, error) or _similar(path)
    example = next(
        (f"'{name}'" for name in _files(Path(path)) if name.endswith(".mlir")), None
    )
    return f"; name a file in it, such as {example}" if example else ""


def hint_for_output(path: str, error: OSError) -> str:
    """What is wrong with a path that cannot be written; empty where that is not known."""
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
    files = sorted(_files(wanted.parent), key=lambda file: not file.endswith(".mlir"))
    for file in files:
        if Path(file).stem == wanted.name:
            return f"; did you mean '{file}'?"
    near = nearest(wanted.name, (Path(file).name for file in files), _ALIKE)
    return f"; did you mean '{wanted.parent / near}'?" if near else ""


def _files(folder: Path) -> list[str]:
    try:
        return sorted(str(path) for path in folder.iterdir() if path.is_file())
    except OSError:
        return []


def binary_kind(path: str) -> str | None:
    """What a file is that is no text; None for text, and for what cannot be read."""
    try:
        if not os.path.isfile(path):  # a pipe is read once
            return None
        with open(path, "rb") as stream:
            start = stream.read(8)
    except (OSError, ValueError):
        return None
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
