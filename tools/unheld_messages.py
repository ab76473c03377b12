"""Messages that the code can say and no test holds.

    python -m tools.unheld_messages [--count]

A message is what a call of `fail`, `remark`, `warn`, `refuse...`, `raise_error`, or of an error's class is given.
A test holds it where a part of it between values, or four of its words in a row, stand in a test or in a test's data.
That finds what nothing asks for; of what is built elsewhere (words of a table) it sees nothing.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "xetile"
TESTS = ROOT / "test"
SUFFIXES = (".py", ".mlir", ".txt", ".md", ".tsv", ".cfg")
SHORTEST = 8
"""Characters: shorter parts stand everywhere."""
WORDS = 4
"""So many words in a row are a message's own."""

_SAYS = re.compile(
    r"^_?(fail|remark|warn|refuse\w*|raise_error|\w*(Error|Exception))(_once)?$"
)


class Message(NamedTuple):
    """A message in the code: its file and line, and what of it stands between values."""

    place: str
    parts: tuple[str, ...]

    @property
    def longest(self) -> str:
        """What it is told by."""
        return max(self.parts, key=len, default="")

    def stands_in(self, text: str) -> bool:
        """Whether a text says it."""
        return any(wanted in text for part in self.parts for wanted in _wanted(part))


def _wanted(part: str) -> list[str]:
    words = part.split()
    rows = [" ".join(words[n : n + WORDS]) for n in range(len(words) - WORDS + 1)]
    return [*([part] if len(part) >= SHORTEST else []), *rows]


def messages(path: Path) -> Iterator[Message]:
    """The messages of a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        if _SAYS.match(ast.unparse(node.func).rpartition(".")[2]) is None:
            continue
        for argument in node.args:
            parts = tuple(part.strip(" ;,:") for part in _parts(argument))
            found = Message(f"{path.relative_to(ROOT)}:{argument.lineno}", parts)
            if len(found.longest) >= SHORTEST:
                yield found


def _parts(argument: ast.expr) -> list[str]:
    """What of a message stands between its values."""
    if isinstance(argument, ast.Constant):
        return [argument.value] if isinstance(argument.value, str) else []
    if isinstance(argument, ast.JoinedStr):
        return [part for value in argument.values for part in _parts(value)]
    return []


def held() -> str:
    """All that tests say, as it is said: without the escapes of expressions and of strings."""
    texts = (
        path.read_text(errors="replace")
        for path in sorted(TESTS.rglob("*"))
        if path.suffix in SUFFIXES
    )
    return _plain("\n".join(texts))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", re.sub(r'"\s*\n\s*[rf]*"', "", text))


@cache
def unheld() -> list[Message]:
    """The messages of the code that no test has."""
    said = held()
    return [
        message
        for path in sorted(PACKAGE.rglob("*.py"))
        for message in messages(path)
        if not message.stands_in(said)
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print the messages, or how many they are."""
    parser = argparse.ArgumentParser(description="Lists messages that no test holds.")
    parser.add_argument("--count", action="store_true", help="print their number alone")
    found = unheld()
    if parser.parse_args(arguments).count:
        print(len(found))
    else:
        for message in found:
            print(f"{message.place}: {message.longest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
