"""The few llvm ops that stand beside XeVM: a pointer is an address in bytes."""

from xdsl.ir import Operation

from xetile.interpreter.common.scalars import unchanged
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import element, number
from xetile.interpreter.machine.values import Values


def _to_pointer(frame: Frame, op: Operation) -> Values:
    return [number(frame, op.operands[0])]


def _from_pointer(frame: Frame, op: Operation) -> Values:
    return [number(frame, op.operands[0]).astype(element(op.results[0]).dtype, copy=False)]


HANDLERS: Handlers = {
    "llvm.inttoptr": _to_pointer,
    "llvm.ptrtoint": _from_pointer,
    # It only renames a type, as from i64 to ui64.
    "builtin.unrealized_conversion_cast": unchanged,
}
