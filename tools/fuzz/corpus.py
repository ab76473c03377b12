"""The valid programs that mutation starts from, and the tokens that it takes from them."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from xetile.api import parse_text
from xetile.errors import XetileError

ROOT = Path(__file__).parents[2]
SEEDS = Path(__file__).with_name("seeds")

LONGEST = 4000
"""Characters of a program; longer ones are parts of large examples and slow."""

_FENCE = re.compile(r"```mlir[^\n]*\n(.*?)```", re.DOTALL)
_SEPARATOR = re.compile(r"(?m)^[ \t]*// -----.*$")
_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | "(?:[^"\\]|\\.)*" | [%@^#!][\w$.-]* | 0x[0-9a-fA-F]+ | \d+\.\d*(?:[eE][+-]?\d+)?
    | \d+ | x(?=[\d?x]) | [A-Za-z_][\w$.]* | -> | :: | . """,
    re.VERBOSE | re.DOTALL,
)


@cache
def executable() -> tuple[str, ...]:
    """Whole kernels that run: small, so that thousands of them do."""
    return _texts("kernels")


@cache
def host_programs() -> tuple[str, ...]:
    """Functions `main` of the host that run without arguments and print."""
    return _texts("host")


@cache
def readable() -> tuple[str, ...]:
    """Programs that are read and printed: the kernels, and every example of the dialect page."""
    page = (ROOT / "docs" / "xetile-dialect.md").read_text()
    return (*executable(), *_texts("texts"), *_FENCE.findall(page))


@cache
def everything() -> tuple[str, ...]:
    """All of these, the examples, and the parts of the tests' files; some are wrong."""
    return (*readable(), *host_programs(), *_parts("examples"), *_parts("test/ir"))


def _texts(folder: str) -> tuple[str, ...]:
    return tuple(path.read_text() for path in sorted((SEEDS / folder).glob("*.mlir")))


def _parts(folder: str) -> Iterator[str]:
    for path in sorted((ROOT / folder).rglob("*.mlir")):
        for part in _SEPARATOR.split(path.read_text()):
            if part.strip() and len(part) <= LONGEST:
                yield part


@lru_cache(maxsize=512)
def _parsed(text: str) -> ModuleOp | None:
    try:
        return parse_text(text, "seed.mlir")
    except XetileError:
        return None


def parsed(text: str) -> ModuleOp | None:
    """The module of a text, to be changed as one likes; None if it is wrong."""
    module = _parsed(text)
    return None if module is None else module.clone()


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
    for text in everything():
        for token in tokens(text):
            found.setdefault(kind(token), set()).add(token)
    return {name: tuple(sorted(members)) for name, members in found.items()}
