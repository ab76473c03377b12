"""Calls of functions, and assertions."""

from typing import NoReturn

from xdsl.ir import Operation

from xetile.errors import fail, remark
from xetile.interpreter.host.host_machine import DEEPEST_CALL, HostMachine, host
from xetile.interpreter.host.runner import FUNCTIONS
from xetile.interpreter.machine.branches import run_region
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import text
from xetile.interpreter.machine.runtime_values import Values


def _call(frame: Frame, op: Operation) -> Values:
    machine, name = host(frame), text(op, "callee")
    function = machine.functions.get(name)
    if function is None:
        listed = ", ".join(machine.functions)
        fail(op, f"there is no function '{name}'; the module has: {listed}")
    if not function.regions[0].blocks:
        return _external(frame, op, name)
    if machine.calls >= DEEPEST_CALL:
        fail(op, f"'{name}' is called inside of {DEEPEST_CALL} other calls")
    return run_function(machine, function, [frame.get(value) for value in op.operands])


def _external(frame: Frame, op: Operation, name: str) -> Values:
    known = FUNCTIONS.get(name)
    if known is not None:
        given = (len(op.operands), len(op.results))
        if (known.arguments, known.results) != given:
            takes = f"takes {known.arguments} arguments and gives {known.results} results"
            fail(op, f"'{name}' {takes}, the call has {given[0]} and {given[1]}")
        return known.execute(frame, op)
    if op.results:
        fail(op, f"'{name}' is declared only, and its results are not known")
    told = host(frame).told
    if name not in told:
        told.add(name)
        remark(op, f"'{name}' is declared only; calls of it are ignored")
    return []


def run_function(machine: HostMachine, function: Operation, arguments: Values) -> Values:
    """Execute a function and return its results."""
    machine.calls += 1
    with machine.memory.scope():
        results = run_region(machine.frame(), function.regions[0], arguments)
    machine.calls -= 1
    return results


def _assert(frame: Frame, op: Operation) -> Values:
    if not frame.first(op)[0]:
        refuse_assertion(op)
    return []


def refuse_assertion(op: Operation) -> NoReturn:
    """Raise for a `cf.assert` that is false."""
    fail(op, f"assertion failed: {text(op, 'msg')}")


HANDLERS: Handlers = {
    "func.call": _call,
    "cf.assert": _assert,
}
