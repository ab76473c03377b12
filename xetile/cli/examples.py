"""The examples that come with xetile: where they lie, what each shows, copies of them."""

import os
import re
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path

from xetile.cli.frame.outputs import make_folder, write_outputs
from xetile.errors import XetileError

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "examples", _PACKAGE.parent / "examples")
"""In the package where it is installed, beside it in a checkout."""

_QUOTES = '"""'


def example(name: str) -> Path:
    """The file of an example, seen from the current folder where it is below that.

    Errors: XetileError where no examples are installed.
    """
    path = _folder() / name
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def summaries() -> Mapping[str, str]:
    """The examples by their path from the folder, each with the first sentence of its comment or docstring.

    It is empty where a file has neither.

    Errors: XetileError where no examples are installed.
    """
    return {name: _summary(path) for name, path in _files().items()}


def copy_examples(to: str) -> tuple[int, int]:
    """Copy all examples into a folder, which is made; how many there are, and their size in bytes.

    Errors: XetileError where one of their names is taken, or the folder cannot be written: then none is copied.
    """
    contents = {Path(to, name): path.read_bytes() for name, path in _files().items()}
    taken = [path for path in contents if os.path.lexists(path)]
    if taken:
        others = len(taken) - 1
        more = f" and {others} other file{'s' * (others > 1)}" if others else ""
        verb = "are" if others else "is"
        raise XetileError(
            f"'{taken[0]}'{more} {verb} there and {verb} not overwritten; "
            "name another folder, as in --examples DIR"
        )
    for folder in dict.fromkeys((Path(to), *(path.parent for path in contents))):
        make_folder(str(folder))
    write_outputs([(str(path), content) for path, content in contents.items()])
    return len(contents), sum(map(len, contents.values()))


def _folder() -> Path:
    found = next((folder for folder in _FOLDERS if folder.is_dir()), None)
    if found is None:
        raise XetileError(f"no examples are installed: there is no folder '{_FOLDERS[0]}'")
    return found


def _files() -> dict[str, Path]:
    """The examples; what Python keeps of those that were run is left out."""
    folder = _folder()
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _summary(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    comment = [line.removeprefix("//") for line in takewhile(_is_comment, text.splitlines())]
    docstring = text.removeprefix(_QUOTES).partition(_QUOTES)[0].splitlines()
    said = docstring if text.startswith(_QUOTES) else comment
    paragraph = " ".join(takewhile(bool, (line.strip() for line in said)))
    return re.split(r"\.(?=\s)", paragraph)[0].removesuffix(".")


def _is_comment(line: str) -> bool:
    return line.startswith("//")
