"""Launches that violate what a contract states of bases, widths and pitches."""

import pytest

from xetile.codegen.contract import Plain
from xetile.errors import XetileError
from xetile.runtime.arguments import Entry
from xetile.runtime.driver import Argument, Memory, Pointer, Scalar
from xetile.runtime.launch_checks import check_preconditions


def entries(
    *stated: tuple[str, list[tuple[int, list[int]]] | None, int, int | None],
) -> list[Entry]:
    """A matrix with a pitch and a width, of which so much is stated."""
    preconditions: list[Plain] = [
        {
            "of": of,
            "bytes": None
            if terms is None
            else [{"factor": factor, "arguments": [*numbers]} for factor, numbers in terms],
            "multiple": multiple,
            "least": least,
            "most": None if least is None else 1 << 24,
        }
        for of, terms, multiple, least in stated
    ]
    matrix: Entry = {
        "name": "A",
        "kind": "pointer",
        "surface": {"preconditions": preconditions},
    }
    return [matrix, *({"name": name, "kind": "value"} for name in ("p", "w"))]


def given(offset: int, pitch: int, width: int) -> list[Argument]:
    return [Pointer(Memory(0), offset), Scalar("i64", pitch), Scalar("i64", width)]


PITCH = ("pitch", [(2, [1])], 16, 64)
OVER = ("pitch over width", [(2, [1]), (-2, [2])], 1, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (given(6, 64, 64), "a base 6 bytes above a multiple of 64; 2D block access needs a multiple of 64"),
        (given(64, 100, 64), "a pitch of 200 bytes; 2D block access needs at least 64 and a multiple of 16"),
        (given(64, 8, 8), "a pitch of 16 bytes; 2D block access needs at least 64 and a multiple of 16"),
        (
            given(0, 1 << 24, 64),
            f"a pitch of {1 << 25} bytes; 2D block access needs at least 64 and at most {1 << 24} and a multiple of 16",
        ),
        (given(0, 64, 72), "a pitch of -16 bytes more than its rows; 2D block access needs at least 0"),
    ],
)  # fmt: skip
def test_what_is_violated(arguments: list[Argument], message: str) -> None:
    with pytest.raises(XetileError) as found:
        check_preconditions(entries(("base", [(1, [0])], 64, None), PITCH, OVER), arguments)
    assert found.value.message == (
        f"argument 0 (A): the matrix has {message}; "
        "a kernel that is compiled with assume = check or gather takes it"
    )


def test_columns() -> None:
    """Those that are read from memory are the host's to see to."""
    check_preconditions(entries(("column", None, 4, None)), given(0, 3, 1))
    with pytest.raises(XetileError) as found:
        check_preconditions(entries(("column", [(2, [1])], 4, None)), given(0, 3, 1))
    assert "a column offset of 6 bytes; 2D block access needs a multiple of 4" in (
        found.value.message
    )


def test_what_is_kept() -> None:
    check_preconditions(
        entries(("base", [(1, [0])], 64, None), PITCH, OVER), given(128, 64, 64)
    )
    check_preconditions(entries(), given(3, 5, 7))
