"""What is given for a program: text, a path, or something else."""

from pathlib import Path

import pytest

from xetile.api import parse, parse_text, read_source
from xetile.errors import XetileError

TEXT = "func.func private @f()\n"


def refusal(source: object) -> str:
    with pytest.raises(XetileError) as caught:
        parse(source)  # pyright: ignore[reportArgumentType]
    return str(caught.value)


def test_text_and_paths_are_read(tmp_path: Path) -> None:
    file = tmp_path / "k.mlir"
    file.write_text(TEXT)
    for source in (TEXT, TEXT.encode(), file, str(file)):
        assert len(parse(source).body.block.ops) == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "expected text or the path of a file, found NoneType"),
        (3, "expected text or the path of a file, found int"),
        ("missing.mlir", "cannot read 'missing.mlir': no such file or directory"),
        (
            "func.func private @f()",
            "cannot read 'func.func private @f()': no such file or directory; "
            "text of one line ends with a line break, else it is a path",
        ),
    ],
)
def test_what_is_no_source_is_refused(source: object, message: str) -> None:
    assert refusal(source) == message


def test_text_is_no_path_and_a_path_no_text() -> None:
    with pytest.raises(XetileError, match="expected the path of a file, found text"):
        read_source(TEXT)
    with pytest.raises(XetileError, match=r"expected text, found the path 'k\.mlir'"):
        parse_text("k.mlir", "k.mlir")
