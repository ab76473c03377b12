"""Handlers for integers that carry pieces of floats: they compute the result, or raise."""

import numpy as np
from xdsl.ir import Operation, SSAValue

from xetile.interpreter.field.float_pieces import carried, refuse
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.execution import Frame, Handler, Handlers
from xetile.interpreter.machine.runtime_values import Values

_COMPUTING = ("arith.", "index.", "math.", "affine.")
"""Dialects whose ops read integers as numbers; others move them, or fail in numpy."""

_MOVING = ("arith.select", "arith.bitcast")


def carrying(handlers: Handlers) -> Handlers:
    """Return handlers that also accept integers that carry pieces of floats."""
    return {name: _carrying(handler) for name, handler in handlers.items()}


def _carrying(handler: Handler) -> Handler:
    def handle(frame: Frame, op: Operation) -> Values:
        if op.name.startswith(_COMPUTING) and op.name not in _MOVING and _carries(frame, op):
            if len(op.results) != 1:
                refuse(op)
            of = element_of(op.results[0].type, op)
            name = op.name.partition(".")[2]
            return [carried(op, name, frame.arrays(op.operands), of)]
        try:
            return handler(frame, op)
        except (TypeError, ValueError):
            if _carries(frame, op):
                refuse(op)
            raise

    return handle


def _carries(frame: Frame, op: Operation) -> bool:
    return any(_is_opaque(frame, value) for value in op.operands)


def _is_opaque(frame: Frame, value: SSAValue) -> bool:
    found = frame.get(value)
    return isinstance(found, np.ndarray) and found.dtype.kind == "V"
