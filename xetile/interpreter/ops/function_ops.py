"""Calls of device functions, and assertions."""

import numpy as np
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from xetile.errors import fail
from xetile.interpreter.machine.branches import run_region
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import attribute, text
from xetile.interpreter.machine.runtime_values import Values


def _call(frame: Frame, op: Operation) -> Values:
    function = _callee(op)
    name = text(op, "callee")
    if not function.regions[0].blocks:
        fail(op, f"'{name}' is declared only; what is called inside of a kernel needs a body")
    if function in frame.machine.called:
        fail(op, f"'{name}' calls itself, which no device does")
    arguments = [frame.get(value) for value in op.operands]
    frame.machine.called.append(function)
    try:
        return run_region(Frame(frame.machine, frame.active), function.regions[0], arguments)
    finally:
        frame.machine.called.pop()


def _callee(op: Operation) -> Operation:
    callee = attribute(op, "callee")
    assert isinstance(callee, SymbolRefAttr)
    function = SymbolTable.lookup_symbol(op, callee)
    if function is None or not function.regions:
        fail(op, f"there is no function '{text(op, 'callee')}'")
    return function


def _assert(frame: Frame, op: Operation) -> Values:
    holds = frame.first(op)
    if holds.all():
        return []
    wrong = frame.active[np.flatnonzero(np.broadcast_to(~holds, frame.count))]
    fail(
        op, f"assertion failed for {frame.threads.describe(int(wrong[0]))}: {text(op, 'msg')}"
    )


HANDLERS: Handlers = {
    "func.call": _call,
    "cf.assert": _assert,
}
