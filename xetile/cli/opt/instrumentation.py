"""Reports of `xetile-opt` on standard error about the passes that it runs: IR around them, and their time.

The form of the time report is that of mlir-opt, so that tools that parse it go on working.
Source: mlir-opt 22 with --mlir-timing.

Dumps of IR around passes: their heads, and where each goes.

Heads, and the names of files in a folder (`--mlir-print-ir-tree-dir`), are mlir-opt's, so that tools that parse them
go on working. Source: mlir-opt 22.
"""

import sys
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xdsl.ir import Operation

ALL = "*"
"""The name that selects every pass."""


class Dumps(NamedTuple):
    """The passes before and after which the IR is printed (`ALL` for every one), and conditions that omit it.

    `changed_only`: after a pass only if it changed the IR. `failed_only`: after a pass only if it failed.
    `module_scope`: print the whole module if a pass runs on an op of it. `folder`: write each dump to a file there.
    """

    before: Collection[str] = ()
    after: Collection[str] = ()
    changed_only: bool = False
    failed_only: bool = False
    module_scope: bool = False
    folder: str | None = None

    def wants(self, names: Collection[str], name: str) -> bool:
        return ALL in names or name in names


class Watched:
    """The op that a pass runs on, found by its place, since a pass may replace it."""

    def __init__(self, op: "Operation") -> None:
        self._root = op
        self._block = op.parent
        self._before = op.prev_op

    @property
    def op(self) -> "Operation":
        if self._block is None:
            return self._root
        found = self._block.first_op if self._before is None else self._before.next_op
        assert found is not None
        return found

    def around(self) -> "list[Operation]":
        """Return the op and its parents, the outermost first."""
        found = [self.op]
        while (outer := found[0].parent_op()) is not None:
            found.insert(0, outer)
        return found


class DumpPrinter:
    """A printer of dumps on standard error, or to a file each; the dumps of each op are numbered separately."""

    def __init__(self, dumps: Dumps) -> None:
        self._dumps = dumps
        self._written: dict[
            tuple[str, ...], int
        ] = {}  # by folder, the number of its last dump

    def dump(self, when: str, name: str, watched: Watched) -> None:
        """Print the IR `when` the pass `name` runs or ran.

        Raise XetileError if the folder cannot be written.
        """
        around = watched.around()
        shown = around[-1]
        if self._dumps.module_scope:
            when = f"{when} {_described(shown)}"
            shown = around[0]
        text = f"// -----// IR Dump {when} //----- //\n{text_of(shown)}\n\n"
        if self._dumps.folder is None:
            print(text, file=sys.stderr)
        else:
            self._write(text, name, [_folder_name(op) for op in around])

    def _write(self, text: str, name: str, folders: list[str]) -> None:
        from xetile.cli.frame.inputs_outputs import write_output
        from xetile.errors import XetileError, reason_of

        assert self._dumps.folder is not None
        folder = Path(self._dumps.folder, *folders)
        paths = [tuple(folders[: depth + 1]) for depth in range(len(folders))]
        self._written[paths[-1]] = self._written.get(paths[-1], -1) + 1
        number = "_".join(str(self._written.setdefault(path, 0)) for path in paths)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise XetileError(
                f"argument --mlir-print-ir-tree-dir: cannot make '{folder}': {reason_of(error)}"
            ) from error
        write_output(str(folder / f"{number}_{name}.mlir"), text)


def text_of(op: "Operation") -> str:
    """Return the text of a module or an op of it; `str` of an op alone has more."""
    from io import StringIO

    from xdsl.printer import Printer

    stream = StringIO()
    Printer(stream=stream).print_op(op)
    return stream.getvalue()


def _symbol(op: "Operation") -> str:
    name = op.get_attr_or_prop("sym_name")
    return str(getattr(name, "data", "")) if name is not None else ""


def _described(op: "Operation") -> str:
    symbol = _symbol(op)
    return f"('{op.name}' operation{f': @{symbol}' if symbol else ''})"


def _folder_name(op: "Operation") -> str:
    symbol = _symbol(op) or "no-symbol-name"
    return f"{op.name}_{symbol}".replace(".", "_").replace("/", "_").replace("\0", "_")


class ImportClock(MetaPathFinder):
    """A counter of the `seconds` that importing modules takes, with the modules that they import."""

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
    """The observation of one run of the tool. Times are seconds of wall time; those of phases exclude imports."""

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
        """Observe a pass that runs on a module, or on an op of it."""
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
    """Return the table of seconds and shares; `Rest` is the time that no row accounts for."""
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
