"""Dumps of IR around passes: their heads, and where each goes.

Heads, and the names of files in a folder (`--mlir-print-ir-tree-dir`), are mlir-opt's, so that tools that cut them up
go on working. Source: mlir-opt 22.
"""

import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xdsl.ir import Operation

ALL = "*"
"""Stands for every pass."""


class Dumps(NamedTuple):
    """Before and after which passes the IR is printed (`ALL` for every one), and when it is left out.

    `changed_only`: after a pass only if it changed the IR. `failed_only`: after a pass only if it failed.
    `module_scope`: the whole module is printed where a pass ran on an op of it. `folder`: each dump is a file there.
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
    """The op that a pass runs on: what stands in its place, since a pass may make it anew."""

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
        """The op and those that it stands in, the outermost first."""
        found = [self.op]
        while (outer := found[0].parent_op()) is not None:
            found.insert(0, outer)
        return found


class DumpPrinter:
    """Prints dumps on standard error, or writes each as a file: their numbers count those of each op."""

    def __init__(self, dumps: Dumps) -> None:
        self._dumps = dumps
        self._written: dict[
            tuple[str, ...], int
        ] = {}  # by folder, the number of its last dump

    def dump(self, when: str, name: str, watched: Watched) -> None:
        """Print the IR `when` the pass `name` runs or ran.

        Errors: XetileError for a folder that cannot be written.
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
        from xetile.cli.frame.outputs import write_output
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
    """The text of a module or an op of it; `str` of an op alone has more."""
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
