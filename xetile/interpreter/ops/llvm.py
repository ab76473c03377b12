"""The few llvm ops that stand beside XeVM: a pointer is an address in bytes."""

import numpy as np
from xdsl.ir import Operation

from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import element, number
from xetile.interpreter.machine.values import Values


def _to_pointer(frame: Frame, op: Operation) -> Values:
    return [number(frame, op.operands[0])]


def _from_pointer(frame: Frame, op: Operation) -> Values:
    address = frame.first(op).astype(np.int64, copy=False)
    return [address.astype(element(op.results[0]).dtype, copy=False)]


def _cast(frame: Frame, op: Operation) -> Values:
    return [frame.get(value) for value in op.operands]


HANDLERS: Handlers = {
    "llvm.inttoptr": _to_pointer,
    "llvm.ptrtoint": _from_pointer,
    "builtin.unrealized_conversion_cast": _cast,
}
