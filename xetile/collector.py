"""Python's collector of cycles, kept still while kernels are compiled.

IR is full of cycles (ops, values, uses), and nearly all of it lives to the end of a pass. The collector looks through
it again and again and finds next to nothing: where 20,000 ops are lowered, it takes a third of the time.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

MANY_OBJECTS = 300_000
"""Objects that are allocated and not freed by counting references: some 50 MB; a GEMM leaves 8,000."""

COMMAND_OBJECTS = 100_000
"""Objects after which the collector looks for cycles in a command: classes of dialects, and IR, leave some 60,000, of
which next to nothing is dropped before the end. Python's own number is 700.
"""

_lock = Lock()
_was_on: list[bool] = []
"""Whether the collector was on before the first of those that keep it still at present, once for each of them."""


def seldom() -> None:
    """Let the collector look for cycles seldom from now on: for a process that is a command, and soon ends."""
    gc.set_threshold(COMMAND_OBJECTS)


@contextmanager
def still() -> Generator[None]:
    """No collection inside; afterwards, errors included, it is on if it was on before the first of those that nest.

    What was dropped inside is new to the collector, which therefore finds it in its first, cheap pass afterwards: a
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
    """Drop what was left by one program after the other inside of `still`, once it is much."""
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()
