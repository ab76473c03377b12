"""Wrong kernels: one line each, which points into the Python file; none is traced to something else.

`wrong_kernels/TOPIC.txt` has kernels below `=== name`, each with its refusal after `---`: line, column, message.
"""

from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import numpy as np
import pytest

import xetile.language as xt

TOPICS = sorted((Path(__file__).parent / "wrong_kernels").glob("*.txt"))


class Wrong(NamedTuple):
    """A kernel that is refused: its name, its text, what is said behind the name of its file."""

    name: str
    text: str
    refusal: str


def wrong_kernels(topic: Path) -> list[Wrong]:
    """The kernels of a file."""
    found: list[Wrong] = []
    for section in topic.read_text().removeprefix("=== ").split("\n=== "):
        source, _, refusal = section.rpartition("--- ")
        name, _, text = source.partition("\n")
        found.append(Wrong(name, text, refusal.strip()))
    return found


def refusal_of(code: CodeType, path: Path) -> xt.XetileError | None:
    """How a file with a kernel is refused, None where it is not."""
    names: dict[str, object] = {
        "xt": xt,
        "np": np,
        "dataclass": dataclass,
        "__name__": path.stem,
    }
    try:
        exec(code, names)
        kernel = names["kernel"]
        assert isinstance(kernel, xt.Kernel)
        kernel.specialize(xt.f32[16, 64], xt.f32[8, 16], grid=(1,))
    except xt.XetileError as error:
        return error
    return None


@pytest.mark.parametrize("topic", TOPICS, ids=[topic.stem for topic in TOPICS])
def test_wrong_kernels_are_refused_at_their_place(topic: Path, tmp_path: Path) -> None:
    for wrong in wrong_kernels(topic):
        path = tmp_path / f"{wrong.name}.py"
        path.write_text(wrong.text)
        error = refusal_of(compile(wrong.text, path, "exec"), path)
        assert str(error) == f"{path}:{wrong.refusal}", wrong.name
        line, column, _ = wrong.refusal.split(":", 2)
        caret = " " * (int(column) - 1) + "^"
        shown = error.render().splitlines() if error is not None else []
        assert shown[1:3] == [wrong.text.splitlines()[int(line) - 1], caret], wrong.name


def test_there_are_enough_wrong_kernels() -> None:
    names = [wrong.name for topic in TOPICS for wrong in wrong_kernels(topic)]
    assert len(names) == len(set(names)) >= 150


def test_text_without_a_file_has_no_source() -> None:
    text = "@xt.kernel\ndef kernel(A, C):\n    for k in xt.range(4):\n        C[0:8, 0:16] = A[0:8, 0:16]\n"
    error = refusal_of(compile(text, "<exec>", "exec"), Path("exec.py"))
    assert str(error) == (
        "<exec>:1:1: error: the source of 'kernel' cannot be found; write it in a file"
    )


def test_a_file_that_was_changed_is_told(tmp_path: Path) -> None:
    text = "@xt.kernel\ndef kernel(A, C):\n    for k in xt.range(4):\n        C[0:8, 0:16] = A[0:8, 0:16]\n"
    path = tmp_path / "changed.py"
    for other in ("5", "x"):
        path.write_text(text.replace("4", other))
        error = refusal_of(compile(text, path, "exec"), path)
        assert str(error) == (
            f"{path}:1:1: error: the source of 'kernel' is not what was compiled; "
            "was the file changed since it was imported?"
        )
