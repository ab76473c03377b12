"""Buffers in shared memory whose types XeGPU lacks: elements become bytes, swizzled buffers one row."""

from xdsl.dialects.builtin import IndexType, i1, i8
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream import arith
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import (
    Buffer,
    buffer_of,
    buffer_type,
    message_element,
)
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import XeGPUView
from xetile.rewriting.rewriter import Handlers, remade


def allocate(view: XeGPUView, op: Operation) -> None:
    """Allocate a buffer of a type that XeGPU has."""
    type = buffer_type(op.results[0].type)
    if type is None:
        view.copy(op)
        return
    made = view.new(remade(op, [view.single(operand) for operand in op.operands], [type]))
    view.bind(op.results[0], buffer_of(made, op.results[0].type))


def _look_at(view: XeGPUView, op: Operation) -> None:
    """Rewrite a view of a buffer as a view of the new one; a swizzle already describes the places of elements."""
    (result,), became = op.results, view.get(op.operands[0])
    if not isinstance(became, Buffer):
        view.copy(op)
        return
    if became.swizzle is not None:
        view.bind(result, buffer_of(became.memory, result.type))
        return
    others = [view.single(operand) for operand in op.operands[1:]]
    type = buffer_type(result.type) or result.type
    made = view.new(remade(op, [became.memory, *others], [type]))
    view.bind(result, buffer_of(made, result.type))


def _release(view: XeGPUView, op: Operation) -> None:
    became = view.get(op.operands[0])
    if isinstance(became, Buffer):
        view.emit(remade(op, [became.memory], []))
    else:
        view.copy(op)


def _load(view: XeGPUView, op: Operation) -> None:
    became = _in_rows(view, op.operands[0])
    if became is None:
        view.copy(op)
        return
    element = op.results[0].type
    indices = [view.single(index) for index in op.operands[1:]]
    found = view.new(remade(op, [became, *indices], [message_element(element)]))
    view.bind(op.results[0], view.new(_as_element(view, found, element)))


def _store(view: XeGPUView, op: Operation) -> None:
    value, target, *indices = op.operands
    became = _in_rows(view, target)
    if became is None:
        view.copy(op)
        return
    bits = view.new(_as_message(view.single(value)))
    view.emit(remade(op, [bits, became, *(view.single(index) for index in indices)], []))


def _in_rows(view: XeGPUView, memory: SSAValue) -> SSAValue | None:
    """Return the new memref of a buffer whose element type changed, or None for other memory."""
    became = view.get(memory)
    if not isinstance(became, Buffer):
        return None
    if became.swizzle is not None:
        view.refuse(f"reaches a single element of {memory.type}; tiles reach swizzled memory")
    return became.memory


def _as_element(view: XeGPUView, value: SSAValue, element: Attribute) -> Operation:
    if element == i1:
        return arith.CmpiOp(value, view.constant(0, i8), "ne")
    if isinstance(element, IndexType):
        return arith.IndexCastOp(value, element)
    return arith.BitcastOp(value, element)


def _as_message(value: SSAValue) -> Operation:
    type = message_element(value.type)
    if value.type == i1:
        return arith.ExtUIOp(value, type)
    if isinstance(value.type, IndexType):
        return arith.IndexCastOp(value, type)
    return arith.BitcastOp(value, type)


_VIEWS = ("transpose", "subview", "expand_shape", "collapse_shape", "cast", "reinterpret_cast")

HANDLERS: Handlers[XeGPUView] = {
    "memref.alloc": allocate,
    "memref.dealloc": _release,
    "memref.load": _load,
    "memref.store": _store,
    **dict.fromkeys((f"memref.{name}" for name in _VIEWS), _look_at),
}
