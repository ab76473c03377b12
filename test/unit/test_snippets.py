"""The source line under a diagnostic, and the caret under its column."""

import pytest

from xetile.errors import WIDTH, snippet

TEXT = "module {\n\t%a = \tfoo %b\n}\r\n"


@pytest.mark.parametrize(
    ("line", "column", "shown"),
    [
        (1, 1, "module {\n^"),
        (1, 8, "module {\n       ^"),
        (2, 8, "\t%a = \tfoo %b\n\t     \t^"),  # tabs stay, so that the caret stands right
        (3, 1, "}\n^"),  # the line break of another system is none of the line's text
        (3, 2, "}\n ^"),  # behind the line: something is missing there
        (3, 4, "}"),  # no such column: the line alone
        (4, 1, ""),
        (0, 1, ""),
        (9, 1, ""),
    ],
)
def test_the_caret_stands_under_the_column(line: int, column: int, shown: str) -> None:
    assert snippet(TEXT, line, column) == shown


def test_wide_and_combining_characters_take_the_columns_that_terminals_give_them() -> None:
    assert snippet("// 積 e\u0301 x", 1, 9) == "// 積 e\u0301 x\n        ^"


def test_what_no_terminal_shows_is_replaced() -> None:
    assert snippet("a\x1b[2Jb", 1, 6) == "a\ufffd[2Jb\n     ^"


@pytest.mark.parametrize("column", [1, 60, WIDTH - 1, WIDTH, 500, 999, 1000, 1001])
def test_long_lines_are_cut_around_the_caret(column: int) -> None:
    line = "".join(chr(ord("a") + number % 26) for number in range(1000))
    shown, caret = snippet(line, 1, column).split("\n")
    assert len(shown) <= WIDTH
    under = (line + " ")[column - 1]
    assert (shown + " ")[caret.index("^")] == under
    assert shown.startswith("…") == (column > WIDTH - 1)
    assert shown.endswith("…") == (column < 900)


def test_a_line_that_fits_is_not_cut() -> None:
    assert snippet("x" * WIDTH, 1, 5) == "x" * WIDTH + "\n    ^"
