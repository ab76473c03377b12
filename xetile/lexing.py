"""Tokens of MLIR text, read by one regular expression.

xDSL 0.75 asks a dozen questions for each character that begins a token, which is a sixth of the time that reading
20,000 constants takes. What the expression does not match, rare tokens and mistakes, goes to xDSL's lexer.
"""

import re

from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRToken,
    MLIRTokenKind,
)

_KINDS = {
    r"[a-zA-Z_][a-zA-Z0-9_$.]*+": MLIRTokenKind.BARE_IDENT,
    r"%(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)": MLIRTokenKind.PERCENT_IDENT,
    r"(?:[1-9][0-9]*+|0(?!x))(?![0-9.])": MLIRTokenKind.INTEGER_LIT,
}
_MARKS = ":,()}[]<>=+/*?|"
"""Punctuation that begins nothing longer."""
_TOKEN = re.compile(
    rf"\s*+(?:{'|'.join(f'({kind})' for kind in _KINDS)}|([{re.escape(_MARKS)}])(?!/))",
    re.ASCII,
)
_KIND_OF_GROUP = (None, *_KINDS.values())


class Lexer(MLIRLexer):
    """xDSL's lexer: the same tokens."""

    def lex(self) -> MLIRToken:
        """The next token; `pos` is behind it then."""
        found = _TOKEN.match(self.input.content, self.pos)
        if found is None:
            return super().lex()
        group = found.lastindex
        assert group is not None
        kind = _KIND_OF_GROUP[group] if group < len(_KIND_OF_GROUP) else None
        start, self.pos = found.span(group)
        if kind is None:
            kind = KIND_BY_PUNCTUATION_SPELLING[found[group]]
        return Token(kind, Span(start, self.pos, self.input))
