"""Report decisions of passes to listeners while they lower, so that an explanation needs no second planning.

Told are, with the function that is being rewritten:

- `xetile-wg-to-sg`: how values change their owners (`passes/tiles/xetile_wg_to_sg/report.py`, `Owners`).
- `convert-xegpu-to-xevm`: `RegisterLayouts`.
- every pass down to level V that rebuilds functions: its view, finished, which knows what each old value became.
- `convert-xevm-to-llvm`: `LLVMView`, before it rewrites anything, so that it does not know yet what values become; then
  the `Estimate` of the registers.
- the pipelines, of the whole module: each pass that was applied to it.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from xdsl.ir import Operation

Listener: TypeAlias = Callable[[Operation, object], None]
"""Is told what was decided for a function; what it keeps has to be copied, for the ops are rewritten next."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Inside, passes tell what they decide."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def decided(function: Operation, what: object) -> None:
    """Tell who listens what was decided for a function."""
    listener = _listener.get()
    if listener is not None:
        listener(function, what)
