"""Refusals and remarks: the place that they name, where they go, and the source line with the caret below them."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr

from xetile.dialects.modules import parse
from xetile.errors import (
    WIDTH,
    XetileError,
    collected_remarks,
    fail,
    notes_at,
    one_command,
    position,
    remark,
    remember_source,
    snippet,
    warn,
    written_in,
)


def location(name: str, line: int, column: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))


TEXT = "func.func @f(%a: i32) {\n  %b = arith.addi %a, %a : i32\n  func.return\n}\n"


def test_a_refusal_names_the_place_of_the_op() -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    with pytest.raises(XetileError) as caught:
        fail(add, "no sums today")
    assert str(caught.value).startswith("input.mlir:2:")
    assert str(caught.value).endswith(": error: no sums today")
    assert str(XetileError("no file")) == "no file"


def test_an_argument_stands_where_its_function_stands() -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    found = position(add.operands[0])
    assert found is not None
    assert found.line.data == 1
    assert position(None) is None


def test_remarks_are_printed_or_collected(capsys: pytest.CaptureFixture[str]) -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    with collected_remarks() as remarks:
        remark(add, "even sums are assumed")
        warn(add, "the sum is not used")
    assert remarks == [
        ("remark", 2, "even sums are assumed"),
        ("warning", 2, "the sum is not used"),
    ]
    assert capsys.readouterr().err == ""
    remark(None, "nowhere")
    warn(add, "the sum is not used")
    first, second = capsys.readouterr().err.splitlines()
    assert first == "remark: nowhere"
    assert second.startswith("input.mlir:2:")
    assert second.endswith(": warning: the sum is not used")


def test_a_refusal_may_name_other_places() -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    with pytest.raises(XetileError) as caught:
        fail(add, "no sums today", notes_at(add, "this one"))
    (note,) = caught.value.notes
    assert (note.message, note.location.line.data) == ("this one", 2)
    assert notes_at(ModuleOp([]), "a module without a place") == ()


def test_an_error_is_rendered_with_its_line_and_its_notes() -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    with pytest.raises(XetileError) as caught:
        fail(add, "no sums today", notes_at(add.parent_op() or add, "in this function"))
    error = caught.value
    assert error.render(TEXT) == (
        "input.mlir:2:3: error: no sums today\n"
        "  %b = arith.addi %a, %a : i32\n"
        "  ^\n"
        "input.mlir:1:1: note: in this function\n"
        "func.func @f(%a: i32) {\n"
        "^"
    )
    lines = [
        "input.mlir:2:3: error: no sums today",
        "input.mlir:1:1: note: in this function",
    ]
    assert error.render().splitlines() == lines
    assert str(error) == lines[0]
    assert XetileError("no file").render(TEXT) == "no file"
    with one_command():
        remember_source("other.mlir", "")
        assert error.render().splitlines() == lines
        remember_source("input.mlir", TEXT)
        assert error.render() == error.render(TEXT)
    with one_command(snippets=False):
        remember_source("input.mlir", TEXT)
        assert error.render().splitlines() == lines


def test_what_is_said_of_a_program_that_is_taken_shows_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (add,) = [op for op in parse(TEXT, "input.mlir").walk() if op.name == "arith.addi"]
    with one_command():
        remember_source("input.mlir", TEXT)
        warn(add, "the sum is not used")
    shown = "  %b = arith.addi %a, %a : i32\n  ^\n"
    assert capsys.readouterr().err == (
        f"input.mlir:2:3: warning: the sum is not used\n{shown}"
    )


def test_an_op_that_nobody_wrote_is_named_with_what_it_was_made_from() -> None:
    module = parse(TEXT, "input.mlir")
    (add,) = [op for op in module.walk() if op.name == "arith.addi"]
    made = parse(TEXT.replace("addi", "muli"), "input.mlir")
    (product,) = [op for op in made.walk() if op.name == "arith.muli"]

    def said(message: str) -> str:
        with pytest.raises(XetileError) as caught:
            fail(product, message)
        return caught.value.message

    assert said("'arith.muli' is not lowered") == "'arith.muli' is not lowered"
    with written_in(module), written_in(made):  # the outer program is the user's
        add.detach()
        assert said("'arith.muli' is not lowered") == (
            "'arith.muli' (made from 'arith.addi') is not lowered"
        )
        assert said("no 'arith.muli' here") == "no 'arith.muli' (made from 'arith.addi') here"
        assert said("no products") == (
            "no products (at the 'arith.muli' made from 'arith.addi')"
        )
    with written_in(made):
        assert said("no products") == "no products"


def test_lines_of_python_are_shown_unless_a_command_shall_show_none() -> None:
    line = Path(__file__).read_text().splitlines().index("import pytest") + 1
    error = XetileError("no imports", location(__file__, line, 8))
    assert error.render() == f"{__file__}:{line}:8: error: no imports\nimport pytest\n       ^"
    with one_command(snippets=False):
        assert error.render() == str(error)
    with one_command():
        assert error.render().endswith("^")
    unread = XetileError("not here", location("none.mlir", 1, 1))
    assert unread.render() == str(unread)


LINES = "module {\n\t%a = \tfoo %b\n}\r\n"


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
    assert snippet(LINES, line, column) == shown


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
