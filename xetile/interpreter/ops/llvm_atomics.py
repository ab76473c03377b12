"""Atomic ops of the llvm dialect, on addresses in bytes."""

from collections.abc import Mapping

import numpy as np
from xdsl.dialects import llvm
from xdsl.ir import Operation

from xetile.dialects.upstream.llvm import AtomicRMWOp, CmpXchgOp
from xetile.errors import fail
from xetile.interpreter.common.accesses import turns, update_elements
from xetile.interpreter.machine.crops import ADDRESS_BITS
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.nibbles import BYTE
from xetile.interpreter.machine.observer import Access
from xetile.interpreter.machine.reading import element, integers, number
from xetile.interpreter.machine.storage import Storage
from xetile.interpreter.machine.values import Array, Struct, Values

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
"""What `llvm.atomicrmw` does, by the kinds of `vector.kind`."""


def _atomic_rmw(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, AtomicRMWOp)
    kind = _KINDS.get(op.word)
    if kind is None:
        fail(op, f"cannot execute 'llvm.atomicrmw {op.word}'")
    addresses, values = number(frame, op.ptr), frame.array(op.val)
    return [update_elements(frame, op, addresses, element(op.val), values, kind=kind)]


def _compare_exchange(frame: Frame, op: Operation) -> Values:
    """Watched are the bytes that a thread wants to change: of a word, others may own the rest."""
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
    """The bytes of each value as storage holds them, the lowest first."""
    held = np.ascontiguousarray(storage.stored(values, of))
    return held.view(storage.held(BYTE)).reshape(-1, of.size)


def _inside(memory: Memory, at: Operation, places: Array) -> Array:
    """Which bytes of a word are in the memory that its last one is next to: a word may stick out of an array."""
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
    "llvm.atomicrmw": _atomic_rmw,
    "llvm.cmpxchg": _compare_exchange,
    "llvm.extractvalue": _extract_value,
}
