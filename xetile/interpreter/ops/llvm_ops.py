"""The few llvm ops that occur next to XeVM: a pointer is an address in bytes.

Atomic ops of the llvm dialect, on addresses in bytes.
"""

from collections.abc import Mapping

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream.llvm import AtomicRMWOp, CmpXchgOp
from xetile.errors import fail
from xetile.interpreter.common.accesses import turns, update_elements
from xetile.interpreter.common.ieee import IEEE
from xetile.interpreter.common.scalars import dense_values, unchanged
from xetile.interpreter.common.variables import find_variable
from xetile.interpreter.machine.crops import ADDRESS_BITS
from xetile.interpreter.machine.elements import BYTE, Element, element_of
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Access
from xetile.interpreter.machine.reading import element, integers, number, shape_of
from xetile.interpreter.machine.runtime_values import Array, Struct, Values, uniform
from xetile.interpreter.machine.storage import Storage


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
    """Return the addresses of the elements of a scalar or a vector: [threads or 1, *shape]."""
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
    """Return the address of a constant of the module, the same for all threads of the launch."""
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


_KINDS: Mapping[str, str] = {
    "xchg": "assign",
    "add": "add",
    "_and": "and",
    "_or": "or",
    "_xor": "xor",
    "max": "maxsi",
    "min": "minsi",
    "umax": "maxui",
    "umin": "minui",
    "fadd": "add",
    "fmax": "maxnumf",
    "fmin": "minnumf",
    "fmaximum": "maximumf",
    "fminimum": "minimumf",
}
"""The kinds of `vector.kind` by those of `llvm.atomicrmw`."""


def _atomic_rmw(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, AtomicRMWOp)
    kind = _KINDS.get(op.word)
    if kind is None:
        fail(op, f"cannot execute 'llvm.atomicrmw {op.word}'")
    addresses, values = number(frame, op.ptr), frame.array(op.val)
    return [update_elements(frame, op, addresses, element(op.val), values, kind=kind)]


def _compare_exchange(frame: Frame, op: Operation) -> Values:
    """Compare and exchange; observers see only the bytes that a thread changes: others may own the rest of a word."""
    assert isinstance(op, CmpXchgOp)
    of, shape = element(op.val), (frame.count,)
    addresses = np.broadcast_to(number(frame, op.ptr), shape)
    expected, values = (
        np.broadcast_to(frame.array(value), shape) for value in (op.cmp, op.val)
    )
    if (addresses % of.size).any():
        fail(op, f"the address is no multiple of the {of.size} bytes of an element")
    storage = frame.memory.storage
    before, after = (_bytes(storage, value, of) for value in (expected, values))
    changed = before != after
    places = addresses[:, None] + np.arange(of.size)
    inside = _inside(frame.memory, op, places)
    if (changed & ~inside).any():
        fail(op, f"'{op.name}' changes bytes outside of {_name(frame.memory, op, addresses)}")
    frame.machine.observer.write(Access(op, frame.active, places, BYTE, changed), None)
    found = np.zeros((*shape, of.size), storage.held(BYTE))
    for turn in turns(addresses):
        own, at, there = inside[turn], places[turn], found[turn]
        there[own] = storage.stored(frame.memory.read(op, at[own], BYTE), BYTE)
        found[turn] = there
        equal = (there == before[turn]).all(axis=1)
        stored = changed[turn] & equal[:, None]
        frame.memory.write(op, at[stored], BYTE, after[turn][stored])
    words = storage.loaded(op, found.view(storage.held(of))[:, 0], of)
    return [Struct((words, (found == before).all(axis=1)))]


def _bytes(storage: Storage, values: Array, of: Element) -> Array:
    """Return the bytes of each value in storage, the lowest first."""
    held = np.ascontiguousarray(storage.stored(values, of))
    return held.view(storage.held(BYTE)).reshape(-1, of.size)


def _inside(memory: Memory, at: Operation, places: Array) -> Array:
    """Return which bytes of a word are in the buffer of its last byte: a word may extend beyond an array."""
    numbers, which = np.unique(places[:, -1] >> ADDRESS_BITS, return_inverse=True)
    buffers = [memory.buffer(int(number) << ADDRESS_BITS, at) for number in numbers]
    starts, ends = (
        np.array([getattr(buffer, name) for buffer in buffers])[which][:, None]
        for name in ("start", "end")
    )
    return (places >= starts) & (places < ends)


def _name(memory: Memory, at: Operation, addresses: Array) -> str:
    return memory.buffer(int(addresses[0]), at).name


def _extract_value(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, llvm.ExtractValueOp)
    found, place = frame.get(op.container), integers(op, "position")
    if not isinstance(found, Struct) or len(place) != 1:
        fail(op, f"cannot execute '{op.name}' at {place} of {op.container.type}")
    return [found.members[place[0]]]


HANDLERS: Handlers = {
    "llvm.mlir.addressof": _address_of,
    "llvm.getelementptr": _element_pointer,
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.inttoptr": _to_pointer,
    "llvm.ptrtoint": _from_pointer,
    # It only renames a type, as from i64 to ui64.
    "builtin.unrealized_conversion_cast": unchanged,
    "llvm.atomicrmw": _atomic_rmw,
    "llvm.cmpxchg": _compare_exchange,
    "llvm.extractvalue": _extract_value,
}
