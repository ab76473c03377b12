"""The lexer returns the tokens of xDSL's lexer for every text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

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
