"""Tokens and numbers are those of xDSL's lexer, whatever the text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from xetile.dialects.modules import Parser, context
from xetile.dialects.modules import parse as parse_module
from xetile.parser import end_of_numbers, numbers
from xetile.scopes import Lexer

ROOT = Path(__file__).parents[2]


def tokens(lexer: type[MLIRLexer], text: str) -> list[object]:
    """Kinds, places and classes of spans, up to the end or a mistake."""
    reading = lexer(Input(text, "k.mlir"))
    found: list[object] = []
    while True:
        try:
            token = reading.lex()
        except ParseError as error:
            return [*found, str(error)]
        span = token.span
        found.append((token.kind, span.start, span.end, type(span), reading.pos))
        if token.kind is MLIRTokenKind.EOF:
            return found


@pytest.mark.parametrize("folder", ["examples", "test/ir", "test/data"])
def test_files_have_the_same_tokens(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.mlir"))
    assert files
    for file in files:
        text = file.read_text(errors="replace")
        assert tokens(Lexer, text) == tokens(MLIRLexer, text), file


@given(st.text(' \n\t/-#{}%@!^:0x1a.eE+9_$"\\,[]<>()=*?|é\u0663', max_size=12))
def test_any_text_has_the_same_tokens(text: str) -> None:
    assert tokens(Lexer, text) == tokens(MLIRLexer, text)


ELEMENTS = (
    "1, 2, 3",
    " -1,2 ,\n -0 ",
    "1.5, -2.e3, 3.25E-2, 7",
    "1e3",
    "0x10, 2",
    "true, false",
    "1, // one\n 2",
    "007, 1",
    "[1, 2], [3, 4]",
    "[1, 2], [3]",
    "1.0, 70000.0, 1.0e40, -1.0e400",
    "300, 1",
    "1,",
    "",
    "(1, 2)",
    "9" * 300,
)


@pytest.mark.parametrize("type", ["f32", "f16", "i8", "ui8", "index", "i64"])
@pytest.mark.parametrize("elements", ELEMENTS)
def test_numbers_of_a_list(elements: str, type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once or one by one: the same attribute, or the same complaint at the same place."""
    count = elements.count(",") + 1
    text = f"dense<[{elements}]> : vector<{count}x{type}>"
    at_once = outcome(text)
    monkeypatch.setattr("xetile.parser.end_of_numbers", none_at_once)
    assert at_once == outcome(text)


def none_at_once(text: str, start: int) -> None:
    """As `end_of_numbers` of lists that are read one by one."""


def outcome(text: str) -> object:
    try:
        return str(Parser(context(), text, "k.mlir").parse_attribute())
    except ParseError as error:
        return (error.msg, error.span.start, error.span.end)
    except (ValueError, OverflowError) as error:
        return str(error)


WHOLE = "arith.constant"


@pytest.mark.parametrize(
    ("number", "type"),
    [
        ("4", "index"),
        ("-4", "i8"),
        ("007", "i16"),
        ("0", "i32"),
        ("123456789012345678", "i64"),
    ],
)
def test_a_whole_number_is_what_any_constant_is(number: str, type: str) -> None:
    """The form that is printed is read at once; with a space more, as any op."""
    plain = parse_module(f"%v_1_0 = {WHOLE} {number} : {type}\n", "k.mlir")
    slow = parse_module(f"%v_1_0 = {WHOLE}  {number} : {type}\n", "k.mlir")
    assert plain.is_structurally_equivalent(slow)
    (one,), (other,) = plain.ops, slow.ops
    assert one.location == other.location
    assert one.results[0].name_hint == other.results[0].name_hint


@pytest.mark.parametrize("name", ["%_1", "%_0", "%_1_2"])
def test_a_name_that_is_a_suffix_alone_is_no_name(name: str) -> None:
    for space in (" ", "  "):
        module = parse_module(f"{name} = {WHOLE}{space}4 : index\n", "k.mlir")
        (op,) = module.ops
        assert op.results[0].name_hint is None


@pytest.mark.parametrize("place", ['loc("x":1:2)', "// here\n loc(unknown)"])
def test_a_place_may_stand_on_the_next_line(place: str) -> None:
    plain, slow = (
        parse_module(f"%c = {WHOLE}{space}4 : index\n {place}\n", "k.mlir")
        for space in (" ", "  ")
    )
    (one,), (other,) = plain.ops, slow.ops
    assert one.location == other.location


@pytest.mark.parametrize(
    "text",
    [
        "{v} {n} 300 : i8\n",
        "{v} {n} 99999999999999999 : i32\n",
        "{v} {n} 1 : i32\n{v} {n} 2 : i32\n",
        "{v} {n} 1 : i32\n%b = arith.addi %a, %c : i32\n",
        "{v} {n} 1 : i32\n%b = arith.addi %a, %a : i64\n",
        "%b = arith.addi %a, %a : i64\n{v} {n} 1 : i32\n",
        "{v} {n} 1 : f32\n",
    ],
)
def test_mistakes_are_told_as_of_any_constant(text: str) -> None:
    def told(name: str) -> tuple[str, int]:
        with pytest.raises(ParseError) as found:
            parse_module(text.format(v="%a =", n=name), "k.mlir")
        return found.value.msg, found.value.span.get_location().line

    assert told(WHOLE) == told(f"{WHOLE} ")


def test_the_quick_ways_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the comparisons above would compare the slow way with itself."""
    assert end_of_numbers(" -1,2 ,\n -0 ] : x", 0) == len(" -1,2 ,\n -0 ]")
    assert [number for number, *_ in numbers("1, -2.5e1]", 0, 10)] == [1, -25.0]
    for other in ("true]", "0x10]", "1e3]", "[1]]", "1, // one\n 2]", "007]", "1"):
        assert end_of_numbers(other, 0) is None, other

    def unread(self: Parser, name: str) -> None:
        raise AssertionError(f"'{name}' was read as any op")

    monkeypatch.setattr(Parser, "_get_op_by_name", unread)
    parser = Parser(context(), f"%c = {WHOLE} 4 : index\n", "k.mlir")
    assert parser.parse_operation().name == WHOLE
