"""Compiles the changes of a source one after the other, in a child process that stays warm."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Literal, NamedTuple, cast

from xetile.errors import XetileError
from xetile.explorer.serving.compiling import Answer, Question
from xetile.explorer.serving.wanted import Wanted
from xetile.toolchain.sandbox import Helper

SECONDS = 60.0
"""That one exploration may take."""

PATIENCE_SECONDS = 2.0
"""How long a compilation goes on that a newer change makes superfluous: a new process takes a second to begin."""

_ROOT = Path(__file__).parents[3]
_COMMAND = (sys.executable, "-P", "-m", "xetile.explorer.serving.compiling")


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
    """Where the process finds this package; not in the current folder, which may hold anything."""
    found = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(_ROOT), *([found] if found else [])])
