"""Signals that end a command: at any time, without a trace, with children ended and temporary files gone.

| when | what a signal does |
|---|---|
| while the command's modules are imported, and when all is done | ends the process at once |
| while it works | raises, so that what has begun is tidied up; further signals are ignored |
| ... in machine code, which no exception interrupts | ends the process after a grace |

The status is 128 and the signal's number. A signal that was ignored when the command began stays so (nohup).
"""

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import NoReturn

GRACE_SECONDS = 2.0
"""How long a command may take to tidy up."""

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_FIRST_STATUS = 128


_came: ContextVar[bool] = ContextVar("came", default=False)


def has_come() -> bool:
    """Whether a signal has raised what ends the command; libraries may have made another error of it."""
    return _came.get()


def end_at_once() -> None:
    """From now on a signal ends the process without another word."""
    _handle(_end)


def _handle(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_FIRST_STATUS + number)


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    _handle(signal.SIG_IGN)
    _came.set(True)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(_FIRST_STATUS + number)


@contextmanager
def interruptible() -> Generator[None]:
    """What is done inside may be interrupted, and is what the process was started for."""
    _watch()
    _handle(_raise)
    try:
        yield
    finally:
        end_at_once()


def _watch() -> None:
    """End the process some time after a signal whatever it does: Python's handlers wait for machine code to return."""
    from threading import Thread
    from time import sleep

    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def wait() -> None:
        while True:
            number = os.read(read, 1)[0]
            if number in _ENDING:
                sleep(GRACE_SECONDS)
                os._exit(_FIRST_STATUS + number)

    Thread(target=wait, daemon=True).start()
