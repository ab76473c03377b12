"""What `xetile-opt` tells on standard error of the passes that it runs: IR around them, and their time.

The form of the report is that of mlir-opt, so that tools that cut it up go on working.
Source: mlir-opt 22 with --mlir-timing.
"""

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

from xetile.cli.opt.dumping import DumpPrinter, Dumps, Watched, text_of

if TYPE_CHECKING:
    from xdsl.ir import Operation


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
        self._printer = DumpPrinter(dumps)

    @contextmanager
    def phase(self, name: str) -> Generator[None]:
        start, before = time.perf_counter(), self._imports.seconds
        try:
            yield
        finally:
            imports = self._imports.seconds - before
            self._rows.append((name, time.perf_counter() - start - imports))

    @contextmanager
    def around(self, name: str, op: "Operation") -> Generator[None]:
        """Watch a pass that runs on a module, or on an op of it."""
        dumps, dump = self.dumps, self._printer.dump
        watched = Watched(op)
        after = dumps.wants(dumps.after, name)
        if dumps.wants(dumps.before, name):
            dump(f"Before {name}", name, watched)
        old = text_of(op) if after and dumps.changed_only else None
        try:
            with self.phase(name):
                yield
        except BaseException:
            if after:
                dump(f"After {name} Failed", name, watched)
            raise
        if after and not dumps.failed_only and text_of(watched.op) != old:
            dump(f"After {name}", name, watched)

    def report(self) -> None:
        if self.timing:
            sys.meta_path.remove(self._imports)
            total = time.perf_counter() - self._began
            rows = [("Imports", self._imports.seconds), *self._rows]
            print(timing_report(rows, total), file=sys.stderr)


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
