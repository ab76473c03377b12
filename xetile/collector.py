"""Pausing Python's garbage collector while kernels are compiled.

IR is full of cycles (ops, values, uses), and nearly all of it lives to the end of a pass. The collector scans
it again and again and finds next to nothing: when 20,000 ops are lowered, it takes a third of the time.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

MANY_OBJECTS = 300_000
"""Objects that are allocated and not freed by counting references: some 50 MB; a GEMM leaves 8,000."""

COMMAND_OBJECTS = 100_000
"""Objects after which the collector looks for cycles in a command: classes of dialects, and IR, leave some 60,000,
nearly none of which is dropped before the end. Python's own number is 700.
"""

_lock = Lock()
_was_on: list[bool] = []
"""For each active pause, True if the collector was on before the first of them."""


def seldom() -> None:
    """Make the collector run seldom from now on: for a process that is a command, and soon ends."""
    gc.set_threshold(COMMAND_OBJECTS)


@contextmanager
def still() -> Generator[None]:
    """Pause the collector; after the outermost pause, errors included, it is on if it was on before.

    Objects dropped inside are new to the collector, which therefore finds them in its first, cheap pass afterwards: a
    process that compiles forever does not grow.
    """
    with _lock:
        _was_on.append(_was_on[0] if _was_on else gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _was_on.pop() and not _was_on:
                gc.enable()


def collect_much() -> None:
    """Collect the objects that programs left inside of `still`, once there are many."""
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()
