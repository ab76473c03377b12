"""Count the lines of the package by room and by kind, and hold them to their budgets.

    python -m tools.size [--functions] [--check] [--tighten] [FOLDER]

A line is code, import, docstring, comment or blank; a room is a folder of the package. `--functions`
adds the lengths of functions (code lines) and the tokens for each code line. `--check` compares with `tools/size.toml`:
a commit that raises a budget says why. `--tighten` lowers the budgets to what is there. FOLDER is the package (xetile).
Status 0, or 1 where `--check` finds a room over its budget or without one.
"""

import argparse
import ast
import io
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Self

ROOT = Path(__file__).resolve().parent.parent
BUDGETS = Path(__file__).with_suffix(".toml")

KINDS = ("code", "import", "docstring", "comment", "blank")
LONG_FILE = 1000
"""Lines from which on a file gives its reason in `size.toml`."""

_NO_TOKENS = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


@dataclass
class Size:
    """What one file, or a room, holds."""

    files: int = 0
    lines: Counter[str] = field(default_factory=Counter[str])
    tokens: int = 0
    functions: list[int] = field(default_factory=list[int])

    @property
    def total(self) -> int:
        """All lines."""
        return self.lines.total()

    def __iadd__(self, other: "Size") -> Self:
        self.files += other.files
        self.lines += other.lines
        self.tokens += other.tokens
        self.functions += other.functions
        return self


def size_of(text: str) -> Size:
    """Return the size of one file."""
    tree = ast.parse(text)
    kinds = ["blank"] * (len(text.splitlines()) + 1)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token in tokens:
        if token.type not in _NO_TOKENS or token.type == tokenize.COMMENT:
            kind = "comment" if token.type == tokenize.COMMENT else "code"
            for line in range(token.start[0], token.end[0] + 1):
                if kinds[line] != "code":
                    kinds[line] = kind
    nodes = list(ast.walk(tree))
    docstrings = [node for owner in nodes for node in _docstring(owner)]
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            _mark(kinds, node, "import")
    for node in docstrings:
        _mark(kinds, node, "docstring")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            kinds[number] = "blank"
    inside = {line for node in docstrings for line in range(node.lineno, _end(node) + 1)}
    counted = sum(t.type not in _NO_TOKENS and t.start[0] not in inside for t in tokens)
    functions = [
        kinds[node.lineno : _end(node) + 1].count("code")
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return Size(1, Counter(kinds[1:]), counted, functions)


def _docstring(owner: ast.AST) -> list[ast.stmt]:
    """Return the docstring of a module, class or function, in a list that is empty if it has none."""
    if not isinstance(
        owner, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ):
        return []
    return [] if ast.get_docstring(owner, clean=False) is None else owner.body[:1]


def _mark(kinds: list[str], node: ast.AST, kind: str) -> None:
    for line in range(_start(node), _end(node) + 1):
        kinds[line] = kind


def _start(node: ast.AST) -> int:
    return node.lineno if isinstance(node, ast.stmt) else 1


def _end(node: ast.AST) -> int:
    end = node.end_lineno if isinstance(node, ast.stmt) else None
    return end or _start(node)


def rooms(package: Path) -> dict[str, Size]:
    """Return the size of each room of a package, its subfolders not included; `.` is the package's own files."""
    found: dict[str, Size] = {}
    for path in sorted(package.rglob("*.py")):
        room = "/".join(path.relative_to(package).parts[:-1]) or "."
        found[room] = found.get(room, Size())
        found[room] += size_of(path.read_text())
    return found


def whole(sizes: Mapping[str, Size]) -> Size:
    """Return the sum of rooms."""
    total = Size()
    for size in sizes.values():
        total += size
    return total


def over_budget(
    sizes: Mapping[str, Size], budgets: Mapping[str, int], long: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each room over its budget of code lines or without one, and each long file."""
    for room, size in sizes.items():
        if room not in budgets:
            yield f"{room}: expected a budget in {BUDGETS.name}, found none; write one"
        elif size.lines["code"] > budgets[room]:
            yield f"{room}: expected at most {budgets[room]} code lines, found {size.lines['code']}"
    for room in budgets.keys() - sizes.keys():
        yield f"{room}: expected a room, found none; remove its budget"
    for path in sorted((ROOT / "xetile").rglob("*.py")):
        name, lines = (
            path.relative_to(ROOT / "xetile").as_posix(),
            len(path.read_text().splitlines()),
        )
        if lines > LONG_FILE and name not in long:
            yield f"{name}: expected at most {LONG_FILE} lines or a reason, found {lines} lines"


def tightened(text: str, sizes: Mapping[str, Size]) -> str:
    """Return the text of the budgets, each lowered to what its room has; rooms that are gone have none."""
    lines: list[str] = []
    for line in text.splitlines():
        room, _, budget = line.partition(" = ")
        name = room.strip('"')
        if not budget.isdigit():
            lines.append(line)
        elif name in sizes:
            lines.append(f"{room} = {min(int(budget), sizes[name].lines['code'])}")
    return "\n".join(lines) + "\n"


def _print(sizes: Mapping[str, Size], *, functions: bool) -> None:
    width = max(map(len, sizes))
    print(f"{'room':{width}} {'files':>6}", *(f"{kind:>9}" for kind in KINDS), f"{'total':>8}")
    for room, size in [*sizes.items(), ("all", whole(sizes))]:
        counts = (f"{size.lines[kind]:9}" for kind in KINDS)
        print(f"{room:{width}} {size.files:6}", *counts, f"{size.total:8}")
    if functions:
        total = whole(sizes)
        print(
            f"functions: {len(total.functions)}, median {median(total.functions):.0f} code lines, "
            f"95th percentile {quantiles(total.functions, n=20)[-1]:.0f}; "
            f"{total.tokens / total.lines['code']:.2f} tokens for each code line"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the result is the exit status."""
    parser = argparse.ArgumentParser(description="Count the lines of the package by room.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "xetile")
    parser.add_argument(
        "--functions", action="store_true", help="lengths of functions, tokens"
    )
    parser.add_argument("--check", action="store_true", help="hold the rooms to their budgets")
    parser.add_argument("--tighten", action="store_true", help="lower the budgets")
    options = parser.parse_args(arguments)
    sizes = rooms(options.folder)
    if not sizes:
        parser.error(f"expected a folder with Python files, found none in {options.folder}")
    _print(sizes, functions=options.functions)
    if options.tighten:
        BUDGETS.write_text(tightened(BUDGETS.read_text(), sizes))
    if not options.check:
        return 0
    table = tomllib.loads(BUDGETS.read_text())
    wrong = list(over_budget(sizes, table["code"], table["long"]))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
