"""docs/errors.md: what the compiler refuses, by cause, made of the tests that hold each message.

    python -m tools.error_page [--check]

Two kinds of tests say what is refused: `expected-error` above an op, and the mistakes in text, `error: ...` with the
line that is shown below it. `--check` writes nothing, and fails where the page is not what is made now.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import dropwhile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "test" / "ir"
PAGE = ROOT / "docs" / "errors.md"

CAUSES: Mapping[str, str] = {
    "mistakes": "The text is not MLIR, or says what the dialect does not know",
    "dialects/xetile": "Tiles and operations on them do not fit",
    "dialects/xegpu": "XeGPU",
    "dialects/xevm": "XeVM",
    "dialects/upstream": "Upstream's dialects: control flow, memory, arithmetic, vectors, launches",
    "passes/convert-vector-to-xetile": "Vector programs that have no tiles",
    "passes/xetile-wg-to-sg": "A workgroup's tiles cannot be dealt out to its subgroups",
    "passes/xetile-blocking": "Tiles cannot be cut into blocks",
    "passes/convert-xetile-to-xegpu": "No message of the device does it: tiles to XeGPU",
    "passes/convert-xegpu-to-xevm": "Registers of one lane: XeGPU to XeVM",
    "passes/convert-xevm-to-llvm": "Code: XeVM to LLVM",
    "passes/mlir": "Upstream's passes in a pipeline",
}
"""Causes by the folder of the tests, in the order of the page."""

_EXPECTED = re.compile(r"// expected-error *@(below|above|[+-]\d+) *\{\{(.*)\}\}")
_CHECKED = re.compile(r"// CHECK:\{\{\.\*\}\}.*?: error: (.*)")
_SHOWN = re.compile(r"// CHECK-NEXT:(.*)")


class Refusal(NamedTuple):
    """A message, and the line of source that it is about."""

    message: str
    line: str


def refusals(path: Path) -> Iterator[Refusal]:
    """What a test says is refused."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if (found := _EXPECTED.search(line)) is not None:
            where, message = found.groups()
            step = {"below": 1, "above": -1}.get(where) or int(where)
            after = dropwhile(lambda text: "// expected-" in text, lines[number + step :])
            yield Refusal(message, next(after).strip())
        elif (found := _CHECKED.search(line)) is not None:
            shown = _SHOWN.search(lines[number + 1])
            if shown is not None and "{{" not in found.group(1):
                yield Refusal(found.group(1), shown.group(1).strip())


def page() -> str:
    """The page."""
    parts = [
        "# What is refused",
        "",
        "Wrong input gets one line, `file:line:col: error: ...`, with what was found and what would be legal; the line",
        "of source stands below it with a caret. This page lists what is said, by cause, with the line that it is",
        "about. It is made of the tests that hold each message (`python -m tools.error_page`).",
        "`xetile-opt --verify-diagnostics` holds messages of programs of yours to what you expect, as mlir-opt does.",
        "",
    ]
    for folder, title in CAUSES.items():
        found = [
            one for path in sorted((TESTS / folder).rglob("*.mlir")) for one in refusals(path)
        ]
        rows = dict.fromkeys(found)
        parts += [f"## {title}", "", "| message | where |", "|---|---|"]
        parts += [f"| {_cell(one.message)} | `{_code(one.line)}` |" for one in rows]
        parts.append("")
    return "\n".join(parts)


def _cell(text: str) -> str:
    """Words that a table shows as they are."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)


def _code(text: str) -> str:
    short = text if len(text) <= 110 else f"{text[:107]}..."
    return short.replace("|", "\\|").replace("`", "'")


def main(arguments: list[str] | None = None) -> int:
    """Write the page, or say whether it is what is made now."""
    parser = argparse.ArgumentParser(description="Makes docs/errors.md.")
    parser.add_argument("--check", action="store_true", help="fail where it is another")
    made = page()
    if not parser.parse_args(arguments).check:
        PAGE.write_text(made)
    elif PAGE.read_text() != made:
        print(
            f"{PAGE.relative_to(ROOT)} is not what the tests say: run python -m tools.error_page"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
