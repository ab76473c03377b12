"""Compiles the changes of a source one after the other, in a child process that stays warm."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Literal, NamedTuple, cast

from xetile.cli.exploring.child import Answer, Question
from xetile.cli.exploring.typed import Typed
from xetile.cli.exploring.wanted import Wanted
from xetile.errors import XetileError
from xetile.toolchain.sandbox import Helper, HelperEnded

SECONDS = 60.0
"""That one exploration may take."""

LAYOUT_SECONDS = 5.0
"""That a layout which is typed may take."""

PATIENCE_SECONDS = 2.0
"""How long a compilation goes on that a newer change makes superfluous: a new process takes a second to begin."""

_ROOT = Path(__file__).parents[3]
_COMMAND = (sys.executable, "-P", "-m", "xetile.cli.exploring.child")
_WARM = Typed("register: K1", {}, None, 16, "", None)


class Change(NamedTuple):
    """A source to compile: of the file, or of a page, which numbers its edits."""

    source: bytes
    origin: Literal["file", "page"]
    number: int = 0


class Compiler:
    """Compiles changes in a thread of its own; `told` gets each with its answer, but for what a newer one replaced.

    A page's edits do not replace a change of the file, nor the other way round.
    """

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
        """Begin with the changes that are submitted from now on."""
        self._thread.start()

    def submit(self, change: Change) -> None:
        """Have a change compiled; one of the same origin that waits is dropped for it."""
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
        """The answer to one source; what ended the child process is one too."""
        try:
            question = Question(self._wanted, source)
            return cast("Answer", self._ready().ask(question, "explore it", seconds=SECONDS))
        except HelperEnded as error:
            self._helper = None
            return Answer(None, {"message": error.message, "text": error.message}, [])
        except XetileError as error:
            return Answer(None, {"message": error.message, "text": error.message}, [])

    def _ready(self) -> Helper:
        if self._helper is None or not self._helper.is_open:
            self._helper = _new_helper()
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


class Layouts:
    """Answers what is asked of layouts, one at a time, in a process beside that which compiles.

    It begins with the first question: most pages ask none.
    """

    def __init__(self) -> None:
        self._helper: Helper | None = None
        self._lock = threading.Lock()
        self._ended = False

    def ask(self, asked: Typed) -> dict[str, object]:
        """What is told of a layout; what ended the process is told too."""
        with self._lock:
            if self._ended:
                return {"error": "the server has ended"}
            try:
                if self._helper is None or not self._helper.is_open:
                    self._helper = _new_helper()
                    self._helper.ask(_WARM, "begin", seconds=SECONDS)
                found = self._helper.ask(asked, "read the layout", seconds=LAYOUT_SECONDS)
            except XetileError as error:
                return {"error": error.message}
            return cast("dict[str, object]", found)

    def end(self) -> None:
        """End the process."""
        self._ended = True
        if self._helper is not None:
            self._helper.end()


def _new_helper() -> Helper:
    return Helper("the compiler", _COMMAND, environment={"PYTHONPATH": _module_path()})


def _module_path() -> str:
    """Where the process finds this package; not in the current folder, which may hold anything."""
    found = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(_ROOT), *([found] if found else [])])
