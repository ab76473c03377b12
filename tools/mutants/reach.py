"""A plugin of pytest: notes which statements each test executes, or runs tests in a given order.

`--reach-record FILE` writes, by test, its seconds and what it executed below `--reach-rooms`; `--reach-order FILE` runs
the tests that the file lists, in its order, and no others. What functions keep in caches is forgotten before each test,
lest only the first of them is seen to execute what fills one. Each statement sets a byte, whose number is its place in
`statements(root, rooms)`.
"""

import ast
import json
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple, cast

import pytest

REACHED = "__reached__"


class Statement(NamedTuple):
    """A statement inside a function: its lines, without those of the statements in it."""

    path: str
    first: int
    last: int


def statements(root: Path, rooms: Sequence[str]) -> list[Statement]:
    """The statements of all functions in these folders; their places in the list are their numbers."""
    found: list[Statement] = []
    for path in sources(root, rooms):
        name = path.relative_to(root).as_posix()
        for _, statement in _inner(ast.parse(path.read_text())):
            found.append(Statement(name, statement.lineno, _last_line(statement)))
    return found


def sources(root: Path, rooms: Sequence[str]) -> list[Path]:
    """The files of some folders, always in the same order."""
    return [path for room in rooms for path in sorted((root / room).rglob("*.py"))]


def _last_line(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return statement.end_lineno or statement.lineno
    first = body[0]
    line = first.pattern.lineno if isinstance(first, ast.match_case) else first.lineno
    return max(statement.lineno, line - 1)


def _inner(
    tree: ast.AST, *, inside: bool = False
) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """Each statement of each function with the list that it stands in, docstrings left out."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in list(_listed(tree, name)):
            text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.stmt) and inside and not text:
                yield getattr(tree, name), child
            yield from _inner(child, inside=inside or isinstance(child, ast.FunctionDef))


def _listed(tree: ast.AST, name: str) -> Sequence[ast.AST]:
    found: object = getattr(tree, name, None)
    return cast("list[ast.AST]", found) if isinstance(found, list) else []


class Recorder:
    """Loads modules so that their statements set bytes, and keeps what each test set."""

    def __init__(self, root: Path, rooms: Sequence[str]) -> None:
        self.first: dict[str, int] = {}
        number = 0
        for path in sources(root, rooms):
            self.first[str(path)] = number
            number += sum(1 for _ in _inner(ast.parse(path.read_text())))
        self.reached = bytearray(number)
        self.tests: dict[str, tuple[float, str]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Modules of the rooms are loaded by us: what `sys.meta_path` asks."""
        if path is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin not in self.first:
            return None
        spec.loader = _Loader(name, spec.origin, self.first[spec.origin])
        return spec

    def note(self, test: str, seconds: float) -> None:
        """Keep what was executed since the bytes were cleared; a hexadecimal number, bit by statement."""
        bits = int(self.reached.hex()[1::2][::-1] or "0", 2)
        self.tests[test] = (seconds, f"{bits:x}")


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, first: int) -> None:
        super().__init__(name, path)
        self._first = first

    def path_stats(self, path: str) -> Any:
        raise OSError("neither read nor written as bytecode")

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]
        tree = ast.parse(data)
        for number, (block, statement) in enumerate(list(_inner(tree)), self._first):
            mark = ast.parse(f"{REACHED}[{number}] = 1").body[0]
            for node in ast.walk(mark):
                ast.copy_location(node, statement)
            block.insert(next(i for i, other in enumerate(block) if other is statement), mark)
        return compile(tree, path, "exec", dont_inherit=True)


class Plugin:
    """Records while tests run."""

    def __init__(self, recorder: Recorder, target: Path, package: str) -> None:
        self.recorder, self.target, self.package = recorder, target, package
        self._modules = 0
        self._caches: list[Callable[[], None]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """One test with its fixtures."""
        self._forget()
        reached = self.recorder.reached
        reached[:] = bytes(len(reached))
        started = time.perf_counter()
        result = yield
        self.recorder.note(item.nodeid, time.perf_counter() - started)
        return result

    def _forget(self) -> None:
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            self._caches = list(_caches(self.package))
        for forget in self._caches:
            forget()

    def pytest_sessionfinish(self) -> None:
        """Write what was noted."""
        self.target.write_text(json.dumps(self.recorder.tests))


def _caches(package: str) -> Iterator[Callable[[], None]]:
    """How to empty the caches of functions; where outside programs are is not asked again."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package}.") and ".toolchain" not in name:
            for value in list(vars(module).values()):
                if type(value).__name__ == "_lru_cache_wrapper":
                    yield value.cache_clear


def _listed_names(text: str) -> list[str]:
    return text.split(",")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options that the module's text names."""
    group = parser.getgroup("reach")
    group.addoption("--reach-record", type=Path)
    group.addoption("--reach-rooms", type=_listed_names)
    group.addoption("--reach-order", type=Path)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Set up before the first conftest imports anything."""
    options = early_config.known_args_namespace
    if options.reach_record is None:
        return
    import builtins

    rooms = options.reach_rooms
    recorder = Recorder(Path.cwd(), rooms)
    setattr(builtins, REACHED, recorder.reached)
    sys.meta_path.insert(0, recorder)
    package = rooms[0].partition("/")[0]
    early_config.pluginmanager.register(Plugin(recorder, options.reach_record, package))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are asked for, in their order."""
    order = config.getoption("--reach-order")
    if order is None:
        return
    place = {name: number for number, name in enumerate(json.loads(order.read_text()))}
    items[:] = sorted(
        (item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid]
    )
