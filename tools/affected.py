"""Choose the tests that a change asks for: those of the changed modules, and of the modules that import them.

A plugin of pytest (`-p tools.affected --near FILE`), which `tools/check.py --fast` loads: FILE lists test files by
their distance from the change, as `choose` returns them. Tests of the changed modules all run. Tests of their
importers, one and two imports away, run where they are at most `MOST` together; else those one import away, or a
sample of them.
"""

import ast
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import TypeVar

import pytest

ROOT = Path(__file__).resolve().parent.parent

MOST = 300
"""Tests of importers that run."""

SAMPLE = 100
"""Tests of importers that run where there are more than `MOST` one import away."""

MOST_FILES = 24
"""Test files of importers that pytest reads for each distance: each takes it about 0.1 s."""

Item = TypeVar("Item")


def choose(changed: Iterable[PurePath]) -> list[list[str]]:
    """Return the test files and folders that changed files ask for, by distance 0, 1 and 2.

    A test is named once, at its smallest distance.
    """
    paths = list(changed)
    found = [mirrored_tests(paths, "unit")]
    modules = {str(path) for path in paths if path.parts[0] == "xetile"}
    importers = importers_of(ROOT)
    for _ in range(2):
        modules = {other for module in modules for other in importers.get(module, ())}
        files = _files(mirrored_tests(map(PurePath, sorted(modules)), "unit"))
        nearer = {name for level in found for name in _files(level)}
        found.append(evenly([name for name in files if name not in nearer], MOST_FILES))
    return found


def _files(names: Sequence[str]) -> list[str]:
    paths = [ROOT / name for name in names]
    files = [
        file
        for path in paths
        for file in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])
    ]
    return list(dict.fromkeys(file.relative_to(ROOT).as_posix() for file in files))


def mirrored_tests(changed: Iterable[PurePath], kind: str) -> list[str]:
    """Return the tests (`kind`: unit or ir) that mirror changed files, else those of their nearest room with tests."""
    found: set[PurePath] = set()
    for path in changed:
        if (
            path.parts[:2] == ("test", kind)
            and (ROOT / path).is_file()
            and "Inputs" not in path.parts
        ):
            found.add(path.parent if path.name == "conftest.py" else path)
        elif path.parts[0] == "xetile" and path.suffix == ".py":
            found |= _mirror(PurePath(*path.parts[1:]), kind)
    inside = {path for path in found if not any(other in path.parents for other in found)}
    return [str(path) for path in sorted(inside)]


def _mirror(module: PurePath, kind: str) -> set[PurePath]:
    here = PurePath("test", kind)
    names = {module.stem, module.stem.replace("_", "-")}
    for room in (module.parent, *module.parent.parents):
        for spelling in {room, PurePath(str(room).replace("_", "-"))}:
            own = [
                path
                for name in names
                for path in (here / spelling / f"test_{name}.py", here / spelling / name)
                if (ROOT / path).exists()
            ]
            if own:
                return set(own)
            if room != PurePath() and (ROOT / here / spelling).is_dir():
                return {here / spelling}
    return set()


def importers_of(root: Path) -> dict[str, set[str]]:
    """Return, for each module of the package (a path such as `xetile/errors.py`), the modules that import it."""
    paths = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((root / "xetile").rglob("*.py"))
    }
    found: dict[str, set[str]] = {}
    for path in paths.values():
        for name in imported_names(ast.walk(ast.parse(path.read_bytes()))):
            module = paths.get(name) or paths.get(name.rpartition(".")[0])
            if module is not None and module != path:
                importers = found.setdefault(module.relative_to(root).as_posix(), set())
                importers.add(path.relative_to(root).as_posix())
    return found


def imported_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the full names that a module's nodes import, in functions and through `import_module` too."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and _name(node.func) == "import_module":
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    yield inner.value


def _name(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def evenly(items: Sequence[Item], most: int) -> list[Item]:
    """Return at most `most` of the items, spread evenly over them."""
    if len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]


def within_limits(levels: Sequence[Sequence[Item]]) -> list[Item]:
    """Return all of the first level, and of the next two what the module's text says."""
    near, one, two = levels
    if len(one) + len(two) <= MOST:
        return [*near, *one, *two]
    return [*near, *(one if len(one) <= MOST else evenly(one, SAMPLE))]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--near`."""
    parser.addoption("--near", type=Path, help="JSON: test files by distance from a change")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that the limits leave."""
    if (near := config.getoption("--near")) is None:
        return
    named: list[list[str]] = json.loads(near.read_text())
    levels: list[list[pytest.Item]] = [[] for _ in named]
    for item in items:
        path = item.path.relative_to(ROOT)
        parts = {str(path), *map(str, path.parents)}
        levels[next(n for n, names in enumerate(named) if parts & set(names))].append(item)
    items[:] = within_limits(levels)
