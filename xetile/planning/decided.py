"""Report decisions of passes to listeners while they lower, so that an explanation needs no second planning.

Passes report the following, with the function that they rewrite:

- `xetile-wg-to-sg`: how values change their owners (`passes/tiles/xetile_wg_to_sg/report.py`, `Owners`).
- `convert-xegpu-to-xevm`: `RegisterLayouts`.
- every pass down to level V that rebuilds functions: its finished view, which knows the new form of each old value.
- `convert-xevm-to-llvm`: `LLVMView` before any rewrite, when the new values are not yet known; then the `Estimate` of
  the registers.
- the pipelines: each pass that they applied, with the whole module.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from xdsl.ir import Operation

Listener: TypeAlias = Callable[[Operation, object], None]
"""Receives each decision for a function. It must copy what it keeps, because the ops are rewritten next."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Report decisions of passes to `listener` inside this context."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def decided(function: Operation, what: object) -> None:
    """Report a decision for a function to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(function, what)
