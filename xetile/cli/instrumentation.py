"""What `xetile-opt` tells on standard error of the passes that it runs: IR around them, and their time.

The heads of the dumps and the form of the report are mlir-opt's, so that tools that cut them up go on working.
Source: mlir-opt 22 with --mlir-print-ir-after-all and --mlir-timing.
"""

import sys
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xdsl.ir import Operation

ALL = "*"
"""Stands for every pass."""


class Dumps(NamedTuple):
    """Before and after which passes the IR is printed (`ALL` for every one), and when it is left out.

    `changed_only`: after a pass only if it changed the IR. `failed_only`: after a pass only if it failed.
    """

    before: Collection[str] = ()
    after: Collection[str] = ()
    changed_only: bool = False
    failed_only: bool = False

    def wants(self, names: Collection[str], name: str) -> bool:
        return ALL in names or name in names


class ImportClock(MetaPathFinder):
    """Counts the `seconds` that modules take to be imported, with what they import themselves."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            # an attribute of this one module's loader, in front of the method
            setattr(spec.loader, "exec_module", self._timed(spec.loader.exec_module))  # noqa: B010
        return spec

    def _timed(self, execute: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
        def timed(module: ModuleType) -> None:
            start = time.perf_counter()
            self._depth += 1
            try:
                execute(module)
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self.seconds += time.perf_counter() - start

        return timed


class Instrumentation:
    """Watches one run of the tool. Times are seconds of wall time; those of phases are without imports."""

    def __init__(self, dumps: Dumps, *, timing: bool) -> None:
        self.dumps = dumps
        self.timing = timing
        self._imports = ImportClock()
        if timing:
            sys.meta_path.insert(0, self._imports)
        self._began = time.perf_counter()
        self._rows: list[tuple[str, float]] = []
        self._text_before = ""

    @contextmanager
    def phase(self, name: str) -> Generator[None]:
        start, before = time.perf_counter(), self._imports.seconds
        try:
            yield
        finally:
            imports = self._imports.seconds - before
            self._rows.append((name, time.perf_counter() - start - imports))

    @contextmanager
    def around(self, name: str, module: "Operation") -> Generator[None]:
        dumps = self.dumps
        after = dumps.wants(dumps.after, name)
        if dumps.wants(dumps.before, name):
            _dump(f"IR Dump Before {name}", _text(module))
        old = _text(module) if after and dumps.changed_only else None
        try:
            with self.phase(name):
                yield
        except BaseException:
            if after:
                _dump(f"IR Dump After {name} Failed", _text(module))
            raise
        if not after or dumps.failed_only:
            return
        new = _text(module)
        if new != old:
            _dump(f"IR Dump After {name}", new)

    def report(self) -> None:
        if self.timing:
            sys.meta_path.remove(self._imports)
            total = time.perf_counter() - self._began
            rows = [("Imports", self._imports.seconds), *self._rows]
            print(timing_report(rows, total), file=sys.stderr)


def _text(module: "Operation") -> str:
    return str(module)


def _dump(head: str, text: str) -> None:
    print(f"// -----// {head} //----- //\n{text}\n\n", file=sys.stderr)


def timing_report(rows: list[tuple[str, float]], total: float) -> str:
    """The table of seconds and shares; what no row accounts for is `Rest`."""
    rest = total - sum(seconds for _, seconds in rows)
    line = "===" + "-" * 73 + "==="
    head = [
        line,
        "... Execution time report ...".center(len(line)).rstrip(),
        line,
        f"  Total Execution Time: {total:.4f} seconds",
        "",
        "  ----Wall Time----  ----Name----",
    ]
    body = [
        f"  {seconds:8.4f} ({seconds / (total or 1):6.1%})  {name}"
        for name, seconds in (*rows, ("Rest", rest), ("Total", total))
    ]
    return "\n".join(head + body)
