"""docs/errors.md: what the compiler refuses, by cause, made of the tests that hold each message.

    python -m tools.error_page [--check]

Four kinds of tests say what is refused: `expected-error` above an op; the mistakes in text, `error: ...` with the line
that is shown below it; wrong kernels in Python; wrong command lines, of pytest and of lit. `--check` writes nothing,
and fails where the page is not what is made now.
"""

import argparse
import ast
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile
from pathlib import Path
from typing import NamedTuple, cast

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "test" / "ir"
WRONG_KERNELS = ROOT / "test" / "unit" / "language" / "wrong_kernels"
MISTAKES = ROOT / "test" / "unit" / "cli" / "test_mistakes.py"
PAGE = ROOT / "docs" / "errors.md"


class Cause(NamedTuple):
    """What is wrong, in a heading, and where it says how it is done."""

    title: str
    see: str


_DIALECT = "[The dialect](xetile-dialect.md) has every op, its types and what they may be."
_UPSTREAM = "[MLIR](mlir.md) says which ops of other dialects are taken."
_PASSES = "[Compiling](compiling.md) says what each pass does and takes."

CAUSES: Mapping[str, Cause] = {
    "mistakes": Cause(
        "The text is not MLIR, or says what the dialect does not know",
        "[The dialect](xetile-dialect.md) has what is read and printed.",
    ),
    "dialects/xetile": Cause("Tiles and operations on them do not fit", _DIALECT),
    "dialects/xegpu": Cause("XeGPU", _UPSTREAM),
    "dialects/xevm": Cause("XeVM", _UPSTREAM),
    "dialects/upstream": Cause(
        "Upstream's dialects: control flow, memory, arithmetic, vectors, launches", _UPSTREAM
    ),
    "passes/tiles/convert-vector-to-xetile": Cause(
        "Vector programs that have no tiles",
        "[Vector programs](compiling.md#vector-programs) says which become tiles, and how mlir-opt makes them.",
    ),
    "passes/tiles/xetile-wg-to-sg": Cause(
        "A workgroup's tiles cannot be dealt out to its subgroups",
        "[Maps](compiling.md#maps-and-commands) says what a `wg_map` is and which are inferred.",
    ),
    "passes/xe/xetile-blocking": Cause("Tiles cannot be cut into blocks", _PASSES),
    "passes/xe/convert-xetile-to-xegpu": Cause(
        "No message of the device does it: tiles to XeGPU", _PASSES
    ),
    "passes/xe/convert-xegpu-to-xevm": Cause("Registers of one lane: XeGPU to XeVM", _PASSES),
    "passes/xe/convert-xevm-to-llvm": Cause("Code: XeVM to LLVM", _PASSES),
    "passes/mlir": Cause("Upstream's passes in a pipeline", _UPSTREAM),
}
"""Causes by the folder of the tests, in the order of the page."""

_LANGUAGE = "[Kernels in Python](language.md) says what is traced and what runs."

TOPICS: Mapping[str, Cause] = {
    "arguments": Cause("Kernels in Python: what methods and functions are given", _LANGUAGE),
    "bound": Cause("Kernels in Python: names that are bound on some ways only", _LANGUAGE),
    "carried": Cause("Kernels in Python: what loops carry", _LANGUAGE),
    "conditions": Cause("Kernels in Python: conditions", _LANGUAGE),
    "functions": Cause(
        "Kernels in Python: functions, and what they are called with", _LANGUAGE
    ),
    "leaving": Cause("Kernels in Python: leaving loops and branches", _LANGUAGE),
    "python": Cause("Kernels in Python: statements that are not traced", _LANGUAGE),
    "state": Cause("Kernels in Python: what is changed in place", _LANGUAGE),
    "values": Cause("Kernels in Python: values, shapes and types", _LANGUAGE),
}
"""Causes by the file of the wrong kernels."""

COMMANDS = Cause("Command lines", "`xetile-opt --help` and its like have every option.")

_EXPECTED = re.compile(r"// expected-error *@(below|above|[+-]\d+) *\{\{(.*)\}\}")
_CHECKED = re.compile(r"// CHECK:\{\{\.\*\}\}.*?: error: (.*)")
_SHOWN = re.compile(r"// CHECK-NEXT:(.*)")
_RUN = re.compile(
    r"// RUN: not (?:env \S+ )?(xetile\S* [^|<>]*?)(?: < %s)? 2>&1 \| .*--check-prefix=(\w+)$",
    re.MULTILINE,
)
_SAID = re.compile(r"// (\w+):\s+(?:\{\{\^\}\})?xetile[\w-]*: error: (.*)\{\{\$\}\}$")


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


def wrong_kernels(path: Path) -> Iterator[Refusal]:
    """What is said of the wrong kernels of a file: behind `---` stand line, column and message."""
    for section in path.read_text().removeprefix("=== ").split("\n=== "):
        source, _, refusal = section.rpartition("--- ")
        line, _, said = refusal.strip().split(":", 2)
        yield Refusal(said.removeprefix(" error: "), source.splitlines()[int(line)].strip())


def wrong_commands() -> Iterator[Refusal]:
    """What is said of wrong command lines."""
    module = ast.parse(MISTAKES.read_text())
    (table,) = (
        node.value
        for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MISTAKES"
    )
    for line, said in cast("dict[str, str]", ast.literal_eval(table)).items():
        yield Refusal(said.partition("error: ")[2], line)
    for path in sorted((TESTS / "cli").glob("*.mlir")):
        yield from _checked_commands(path.read_text())


def _checked_commands(text: str) -> Iterator[Refusal]:
    commands = {prefix: command for command, prefix in _RUN.findall(text)}
    for line in text.splitlines():
        said = _SAID.match(line)
        if said is not None and "{{" not in said.group(2) and said.group(1) in commands:
            shown = (
                commands[said.group(1)]
                .replace("%s", "a.mlir")
                .replace("%t", "a")
                .replace("%examples", "examples")
            )
            yield Refusal(said.group(2), " ".join(shlex.split(shown)))


def sections() -> Iterator[tuple[Cause, list[Refusal]]]:
    """What is refused, by cause, each message once."""
    for folder, cause in CAUSES.items():
        files = sorted((TESTS / folder).rglob("*.mlir"))
        yield cause, _once(one for path in files for one in refusals(path))
    for topic, cause in TOPICS.items():
        yield cause, _once(wrong_kernels(WRONG_KERNELS / f"{topic}.txt"))
    yield COMMANDS, _once(wrong_commands())


def _once(found: Iterable[Refusal]) -> list[Refusal]:
    first: dict[str, Refusal] = {}
    for one in found:
        first.setdefault(one.message, one)
    return list(first.values())


def page() -> str:
    """The page."""
    made = list(sections())
    parts = [
        "# What is refused",
        "",
        "Wrong input gets one line, `file:line:col: error: ...`, with what was found and what would be legal; the line",
        "of source stands below it with a caret. This page lists what is said, by cause, with the line that it is",
        "about. It is made of the tests that hold each message (`python -m tools.error_page`).",
        "`xetile-opt --verify-diagnostics` holds messages of programs of yours to what you expect, as mlir-opt does.",
        "",
        *(f"- [{cause.title}](#{_anchor(cause.title)}): {len(rows)}" for cause, rows in made),
        "",
    ]
    for cause, rows in made:
        parts += [f"## {cause.title}", "", cause.see, "", "| message | where |", "|---|---|"]
        parts += [f"| {_cell(one.message)} | `{_code(one.line)}` |" for one in rows]
        parts.append("")
    return "\n".join(parts)


def _anchor(title: str) -> str:
    """The name of a heading in links, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


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
