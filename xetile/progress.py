"""Progress of a long run on standard error: the share that is done, a bar, or the current stage."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Self

AFTER_SECONDS = 2.0
EVERY_SECONDS = 0.5
SAME_STAGE_EVERY_SECONDS = 5.0

BAR_WIDTH = 30


def shares(program: str) -> Callable[[int, int], None]:
    """Return a function that shows the progress of a run, once it has taken a while and not too often."""
    started = time.monotonic()
    shown = started + AFTER_SECONDS - EVERY_SECONDS

    def show(done: int, total: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown < EVERY_SECONDS:
            return
        shown = now
        share = f"{done / total:4.0%}" if total else f"{done} steps"
        print(f"{program}: {share} after {now - started:.0f} s", file=sys.stderr, flush=True)

    return show


class Bar:
    """A line that shows the progress of a run: on a terminal it is rewritten, elsewhere it is printed as by `shares`.

    Call it with the finished and the total amount; the line disappears at the end of the context.
    """

    def __init__(self, program: str) -> None:
        self._program = program
        self._started = time.monotonic()
        self._moves = sys.stderr.isatty()
        self._shares = shares(program)
        self._shown = 0

    def __call__(self, done: int, total: int) -> None:
        """Show the progress."""
        if not self._moves:
            self._shares(done, total)
            return
        full = BAR_WIDTH * done // max(total, 1)
        passed = time.monotonic() - self._started
        bar = f"{'#' * full}{'.' * (BAR_WIDTH - full)}"
        self._show(f"{self._program}: [{bar}] {done} of {total} after {passed:.0f} s")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._show("")

    def _show(self, line: str) -> None:
        blanks = " " * max(0, self._shown - len(line))
        print(f"\r{line}{blanks}", end="" if line else "\r", file=sys.stderr, flush=True)
        self._shown = len(line)


class Stages:
    """A display of the current stage of a run, once it has taken a while: call it with the next stage in the context.

    A separate thread prints, since a driver that builds does not return.
    """

    def __init__(self, program: str) -> None:
        self._program = program
        self._stage = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __call__(self, stage: str) -> None:
        """Set the current stage."""
        self._stage = stage

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        started = time.monotonic()
        said, again = "", 0.0
        wait = AFTER_SECONDS
        while not self._ended.wait(wait):
            wait = EVERY_SECONDS
            stage, now = self._stage, time.monotonic()
            if not stage or (stage == said and now < again):
                continue
            said, again = stage, now + SAME_STAGE_EVERY_SECONDS
            print(
                f"{self._program}: {stage} after {now - started:.0f} s",
                file=sys.stderr,
                flush=True,
            )
