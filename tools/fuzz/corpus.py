"""The valid programs that mutation starts from, and the tokens that it takes from them."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"```mlir[^\n]*\n(.*?)```", re.DOTALL)
_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | "(?:[^"\\]|\\.)*" | [%@^#!][\w$.-]* | 0x[0-9a-fA-F]+ | \d+\.\d*(?:[eE][+-]?\d+)?
    | \d+ | x(?=[\d?x]) | [A-Za-z_][\w$.]* | -> | :: | . """,
    re.VERBOSE | re.DOTALL,
)


@cache
def executable() -> tuple[str, ...]:
    """Whole kernels that run: small, so that thousands of them do."""
    return tuple(
        p.read_text() for p in sorted(Path(__file__).with_name("seeds").glob("*.mlir"))
    )


@cache
def readable() -> tuple[str, ...]:
    """Programs that are read and printed: the kernels, and every example of the dialect page."""
    page = (ROOT / "docs" / "xetile-dialect.md").read_text()
    return (*executable(), *_FENCE.findall(page))


def tokens(text: str) -> list[str]:
    """The text in pieces; joined again they are the text."""
    return _TOKEN.findall(text)


def kind(token: str) -> str:
    """What a token can stand in for: names, numbers, words, signs."""
    if token.isspace():
        return "space"
    if token[0] in "%@^#!":
        return token[0]
    if token[0].isdigit():
        return "number"
    if token[0].isalpha() or token[0] == "_":
        return "word"
    return "sign"


@cache
def vocabulary() -> dict[str, tuple[str, ...]]:
    """All tokens of the corpus by kind."""
    found: dict[str, set[str]] = {}
    for text in readable():
        for token in tokens(text):
            found.setdefault(kind(token), set()).add(token)
    return {name: tuple(sorted(members)) for name, members in found.items()}
