"""Loops of the host as machine code, called a few iterations at a time."""

import ctypes
import time
from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from xdsl.ir import Operation

from xetile.errors import XetileError, fail
from xetile.interpreter.common.scalars import overflow_message
from xetile.interpreter.host.allocations import host_array_of
from xetile.interpreter.host.code import SLOT, Fault, Unsupported, bits_of, held, value_of
from xetile.interpreter.host.functions import refuse_assertion
from xetile.interpreter.host.machine import HostMachine, host
from xetile.interpreter.host.native import Native
from xetile.interpreter.host.translation import Translation, Translator
from xetile.interpreter.machine.frame import Frame
from xetile.interpreter.machine.values import Array, Value
from xetile.interpreter.ops.math import FUNCTIONS

CALL_SECONDS = 0.05
"""A call takes about this long, so that a run can be interrupted and shows how far it is."""

_ASK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
_COMPUTE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double, ctypes.c_double)
_LOOP = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, _ASK, _COMPUTE
)


def compile_loop(frame: Frame, op: Operation) -> "CompiledLoop | None":
    """The loop as machine code; None where something in it stays with the interpreter."""
    machine = host(frame)
    try:
        translation = Translator(frame, machine.handlers, machine.functions).translate(op)
    except Unsupported:
        return None
    return CompiledLoop(op, translation)


class CompiledLoop:
    """A loop `scf.for` that runs outside of Python."""

    def __init__(self, op: Operation, translation: Translation) -> None:
        self._op = op
        self._parts = translation
        self._native = Native(translation.text)
        self._function = _LOOP(self._native.address)

    def run(self, frame: Frame, trips: int, start: Sequence[Value]) -> Sequence[Value] | None:
        """What the loop carries after `trips` iterations; None where the interpreter has to look at the memory."""
        slots = np.zeros(self._parts.slots, SLOT)
        bits = slots.view(np.uint64)
        arrays = self._place_memrefs(frame, slots)
        if arrays is None:
            return None
        for value, slot in self._parts.scalars.items():
            bits[slot] = bits_of(frame.array(value))
        for number, value in enumerate(start):
            assert isinstance(value, np.ndarray)
            bits[self._parts.carried + number] = bits_of(value)
        asked = _Asked(frame, self._parts, bits)
        fault = self._call(host(frame), trips, slots, asked)
        if fault is not None:
            _refuse(fault, slots)
        return [
            value_of(int(bits[self._parts.carried + number]), held(result.type))
            for number, result in enumerate(self._op.results)
        ]

    def _place_memrefs(self, frame: Frame, slots: Array) -> list[Array] | None:
        """Write where memrefs are; None where one is not as its type says, or not to be written."""
        arrays: list[Array] = []
        for value, first in self._parts.memrefs.items():
            try:
                array = host_array_of(frame, self._op, value)
            except XetileError:
                return None
            if value in self._parts.stored and not array.flags.writeable:
                return None
            found, rank = frame.memref(value), array.ndim
            slots[first] = array.__array_interface__["data"][0]
            slots[first + 1 : first + 1 + rank] = [int(size[0]) for size in found.sizes]
            slots[first + 1 + rank : first + 1 + 2 * rank] = [int(s[0]) for s in found.strides]
            arrays.append(array)
        return arrays

    def _call(
        self, machine: HostMachine, trips: int, slots: Array, asked: "_Asked"
    ) -> Fault | None:
        ask, compute, address = _ASK(asked.execute), _COMPUTE(asked.compute), slots.ctypes.data
        done, number = 0, 1
        with machine.steps(trips) as report:
            while done < trips:
                end, started = min(done + number, trips), time.perf_counter()
                answer: int = self._function(done, end, address, ask, compute)
                if asked.error is not None:
                    raise asked.error
                if answer:
                    return self._parts.faults[int(answer) - 1]
                done = end
                report(done)
                if time.perf_counter() - started < CALL_SECONDS:
                    number *= 2
        return None


def _refuse(fault: Fault, slots: Array) -> NoReturn:
    op = fault.op
    found, extent = slots[:2].tolist()
    match fault.kind:
        case "index":
            fail(
                op,
                f"index {found} is outside of dimension {fault.dimension} of extent {extent}",
            )
        case "step":
            fail(op, f"the step of 'scf.for' is {found}; expected a positive one")
        case "zero":
            fail(op, f"'{op.name}' divides by zero")
        case "overflow":
            fail(op, overflow_message(op, held(op.operands[0].type)))
        case "assert":
            refuse_assertion(op)
        case "asked":
            raise AssertionError("it was raised when the call came back")


class _Asked:
    """Executes ops for a compiled loop; `error` is what one raised."""

    def __init__(self, frame: Frame, parts: Translation, bits: Array) -> None:
        self._frame = frame
        self._parts = parts
        self._bits = bits
        self._functions = [FUNCTIONS[op.name] for op in parts.computed]
        self._operands = [len(op.operands) for op in parts.computed]
        self._x, self._y = np.zeros(1), np.zeros(1)
        self.error: BaseException | None = None

    def compute(self, number: int, x: float, y: float) -> float:
        """A function of one or two numbers; the second of one is not looked at."""
        try:
            self._x[0], self._y[0] = x, y
            arguments = (self._x, self._y)[: self._operands[number]]
            return self._functions[number](*arguments)[0]
        except BaseException as error:  # it cannot pass through machine code
            self.error = error
            return 0.0

    def execute(self, number: int) -> int:
        """The op of that number, on the operands in the slots; 0 if all is well."""
        op, room = self._parts.asked[number], self._parts.room
        try:
            frame = host(self._frame).frame()
            for position, value in enumerate(op.operands):
                frame.bind(value, value_of(int(self._bits[room + position]), held(value.type)))
            values = frame.machine.handlers[op.name](frame, op)
            for position, value in enumerate(values):
                assert isinstance(value, np.ndarray)
                self._bits[room + position] = bits_of(value)
        except BaseException as error:  # it cannot pass through machine code
            self.error = error
            return 1
        return 0
