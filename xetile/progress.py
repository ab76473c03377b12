"""How far a long run is, on standard error: shares of what is done, a bar, or what is being done."""

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
    """Shows how far a run is, once it has taken a while and not too often."""
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
    """A line that shows how much of a run is done: on a terminal it moves, elsewhere shares are told as `shares` does.

    Called with what is done and how much there is; the line goes when it is left.
    """

    def __init__(self, program: str) -> None:
        self._program = program
        self._started = time.monotonic()
        self._moves = sys.stderr.isatty()
        self._shares = shares(program)
        self._shown = 0

    def __call__(self, done: int, total: int) -> None:
        """Show that so much is done."""
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
    """Shows what a run is at, once it has taken a while: while it is entered, called with what comes next.

    Its own thread looks, since a driver that builds says nothing.
    """

    def __init__(self, program: str) -> None:
        self._program = program
        self._stage = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __call__(self, stage: str) -> None:
        """Say what comes next."""
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
