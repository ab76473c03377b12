"""The few llvm ops that stand beside XeVM: a pointer is an address in bytes."""

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.common.ieee import IEEE
from xetile.interpreter.common.scalars import dense_values, unchanged
from xetile.interpreter.common.variables import find_variable
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import element, number, shape_of
from xetile.interpreter.machine.values import Array, Values, uniform


def _to_pointer(frame: Frame, op: Operation) -> Values:
    return [number(frame, op.operands[0])]


def _from_pointer(frame: Frame, op: Operation) -> Values:
    return [number(frame, op.operands[0]).astype(element(op.results[0]).dtype, copy=False)]


def _element_pointer(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, llvm.GEPOp)
    indices = list(op.rawConstantIndices.iter_values())
    if len(indices) != 1:
        fail(op, f"'{op.name}' has {len(indices)} indices; one is executed")
    size = element_of(op.elem_type, op).size
    (index,) = indices
    steps = number(frame, op.ssa_indices[0]) if index == llvm.GEP_USE_SSA_VAL else index
    return [number(frame, op.ptr) + steps * size]


def _addresses(frame: Frame, pointer: SSAValue, value: SSAValue) -> Array:
    """Where the elements of a scalar or a vector lie: [threads or 1, *shape]."""
    first = number(frame, pointer)
    shape = shape_of(value)
    if not shape:
        return first
    return first[:, None] + np.arange(shape[0]) * element(value).size


def _load(frame: Frame, op: Operation) -> Values:
    (pointer,), (result,) = op.operands, op.results
    return [frame.read(op, _addresses(frame, pointer, result), element(result))]


def _store(frame: Frame, op: Operation) -> Values:
    value, pointer = op.operands
    frame.write(op, _addresses(frame, pointer, value), element(value), frame.array(value))
    return []


def _address_of(frame: Frame, op: Operation) -> Values:
    """Where a constant of the module lies, the same for all threads of the launch."""
    assert isinstance(op, llvm.AddressOfOp)
    name = op.global_name.root_reference.data
    variable, known = find_variable(op, "llvm.mlir.global", name), frame.memory.globals
    assert isinstance(variable, llvm.GlobalOp)
    if variable.constant is None:
        fail(op, f"cannot execute on the variable '{name}'; expected a constant")
    if variable not in known:
        values = _constant_bytes(variable)
        values.flags.writeable = False
        known[variable] = frame.memory.add(values, f"the constant '{name}'")
    return [uniform(known[variable])]


def _constant_bytes(variable: llvm.GlobalOp) -> Array:
    match variable.value:
        case StringAttr(data=text):
            return np.frombuffer(text.encode(), np.uint8).copy()
        case BytesAttr(data=data):
            return np.frombuffer(data, np.uint8).copy()
        case DenseIntOrFPElementsAttr() as dense:
            of = element_of(dense.get_element_type(), variable)
            values = np.broadcast_to(dense_values(dense, of, IEEE), dense.get_shape())
            return values.reshape(-1).copy()
        case _:
            fail(variable, f"cannot execute on a constant with the value {variable.value}")


HANDLERS: Handlers = {
    "llvm.mlir.addressof": _address_of,
    "llvm.getelementptr": _element_pointer,
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.inttoptr": _to_pointer,
    "llvm.ptrtoint": _from_pointer,
    # It only renames a type, as from i64 to ui64.
    "builtin.unrealized_conversion_cast": unchanged,
}
