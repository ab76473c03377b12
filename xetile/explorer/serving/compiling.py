"""Compilation of a served page's sources, one after the other, in a child process that stays warm.

The child is `python -m xetile.explorer.serving.compiling`.

A source may be hostile, and is compiled as any file: in a separate process with limited memory and
time, which is ended if it exceeds them.
"""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Literal, NamedTuple, cast

from xetile.errors import XetileError, collected_remarks, one_command
from xetile.explorer.serving.wanted import Wanted
from xetile.toolchain.sandbox import Helper, serve

MEMORY_BYTES = 8 << 30
"""Limit of addresses of the process and its children; ocloc maps 2 GiB of them."""


TOO_LARGE = "this takes more memory than it may have"


class Question(NamedTuple):
    """The explorations to make, and the bytes of the first one's file, which others of the same file share."""

    wanted: "tuple[Wanted, ...]"
    source: bytes


class Answer(NamedTuple):
    """The explorations as JSON, or the error; and the remarks on the way, as they are printed."""

    explorations: str | None
    error: dict[str, object] | None
    remarks: list[str]


def answer(question: object) -> Answer:
    """Return the explorations of a question, or the error."""
    assert isinstance(question, Question)
    from xetile.analysis.kernel_targets import option_called
    from xetile.collector import collect_much

    with one_command(), option_called("--device"), collected_remarks() as told:
        text: str | None = None
        error: dict[str, object] | None = None
        try:
            text = _explorations(question)
        except MemoryError:
            error = {"message": TOO_LARGE, "text": TOO_LARGE}
        except BaseException as fault:  # one of xDSL's errors is no Exception
            error = _as_data(fault, question.wanted[0].file)
    remarks = [f"{one.kind}: {one.message}" for one in told]
    collect_much()
    return Answer(text, error, remarks)


def _explorations(question: Question) -> str:
    import json

    from xetile.api import decode_source
    from xetile.explorer.serving.wanted import begun, refuse_alike

    first = question.wanted[0]
    text = decode_source(question.source, first.file)
    wanted = [begun(one, text if one.file == first.file else None) for one in question.wanted]
    made = [make() for make in wanted]
    if len(made) > 1:
        refuse_alike(question.wanted, made)
    return json.dumps(made, separators=(",", ":"))


def _as_data(fault: BaseException, file: str) -> dict[str, object]:
    """Return an error as data for a page: with its line and column, from 1, if they are in the file."""
    from xetile.cli.frame.tools import answer as said
    from xetile.parser import as_wrong_input

    text, _ = said("xetile-explore", fault)
    wrong = fault if isinstance(fault, XetileError) else as_wrong_input(fault)
    if wrong is None:
        return {"message": text.removesuffix(" (--debug shows the trace)"), "text": text}
    found: dict[str, object] = {"message": wrong.message, "text": text}
    place = wrong.location
    if place is not None and place.filename.data == file:
        found |= {"line": place.line.data, "column": place.column.data}
    return found


def _begin() -> None:
    """Import what every answer needs, and limit the memory."""
    import gc
    import resource
    from importlib import import_module

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    for module in (
        "xetile.api",
        "xetile.codegen.llvm_ir",
        "xetile.passes.pipelines",
        "xetile.explorer.exploration",
    ):
        import_module(module)
    gc.freeze()


SECONDS = 60.0
"""Time limit of one exploration."""

PATIENCE_SECONDS = 2.0
"""Time that an outdated compilation may still take: a new process takes a second to start."""

_ROOT = Path(__file__).parents[3]
_COMMAND = (sys.executable, "-P", "-m", "xetile.explorer.serving.compiling")


class Change(NamedTuple):
    """A source to compile: of the file, or of a page, which numbers its edits."""

    source: bytes
    origin: Literal["file", "page"]
    number: int = 0


class Compiler:
    """A thread that compiles changes; `told` is called with each and its answer, unless a newer one replaced it."""

    def __init__(
        self, wanted: tuple[Wanted, ...], told: Callable[[Change, Answer], None]
    ) -> None:
        self._wanted = wanted
        self._told = told
        self._helper: Helper | None = None
        self._changed = threading.Condition()
        self._waiting: dict[str, Change] = {}
        self._now: Change | None = None
        self._since = 0.0
        self._ended = False
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Start compiling the changes that are submitted from now on."""
        self._thread.start()

    def submit(self, change: Change) -> None:
        """Queue a change for compilation; a waiting one of the same origin is dropped."""
        with self._changed:
            self._waiting[change.origin] = change
            self._changed.notify()
            now = self._now
            is_replaced = now is not None and now.origin == change.origin
            is_late = monotonic() - self._since > PATIENCE_SECONDS
        if is_replaced and is_late and self._helper is not None:
            self._helper.end()

    def end(self) -> None:
        """End the thread and the child process."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        if self._helper is not None:
            self._helper.end()

    def ask(self, source: bytes) -> Answer:
        """Return the answer to one source; if the child process ended, the answer is that error."""
        try:
            question = Question(self._wanted, source)
            return cast("Answer", self._ready().ask(question, "explore it", seconds=SECONDS))
        except XetileError as error:
            return Answer(None, {"message": error.message, "text": error.message}, [])

    def _ready(self) -> Helper:
        if self._helper is None or not self._helper.is_open:
            environment = {"PYTHONPATH": _module_path()}
            self._helper = Helper("the compiler", _COMMAND, environment=environment)
        return self._helper

    def _work(self) -> None:
        while (change := self._take()) is not None:
            answer = self.ask(change.source)
            with self._changed:
                self._now = None
                is_replaced = change.origin in self._waiting
            if not is_replaced:
                self._told(change, answer)

    def _take(self) -> Change | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended)
            if self._ended:
                return None
            self._now = self._waiting.pop(next(iter(self._waiting)))
            self._since = monotonic()
            return self._now


def _module_path() -> str:
    """Return the path where the process finds this package, but not the current folder, which may contain anything."""
    found = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(_ROOT), *([found] if found else [])])


if __name__ == "__main__":
    from xetile.explorer.serving import compiling

    _begin()
    serve(sys.argv[1:3], compiling.answer)
