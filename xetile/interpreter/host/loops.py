"""Loops on the host: those that run long are compiled, the others are interpreted.

A compiled loop is machine code that is called a few iterations at a time.
"""

import ctypes
import time
from typing import cast

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation

from xetile.dialects.known_integers import known_integer
from xetile.errors import XetileError
from xetile.interpreter.common.divergence import check_rounds, check_step
from xetile.interpreter.host.allocations import host_array_of
from xetile.interpreter.host.host_machine import DEEPEST_CALL, HostMachine, host
from xetile.interpreter.host.llvm_text import FOUND_SLOTS, SLOT, Unsupported, held, slot_of
from xetile.interpreter.host.native import Native
from xetile.interpreter.host.translation import Translation
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import number
from xetile.interpreter.machine.runtime_values import Array, Values, contradiction
from xetile.interpreter.ops.math_ops import FUNCTIONS

CALL_SECONDS = 0.05
"""The approximate time of a call, so that a run can be interrupted and can report its progress."""

_ASK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
_COMPUTE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double, ctypes.c_double)
_LOOP = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, _ASK, _COMPUTE
)


def compile_loop(frame: Frame, op: Operation) -> "CompiledLoop | None":
    """Return the loop as machine code, or None if it cannot be compiled."""
    try:
        return CompiledLoop(op, Translation(frame, op))
    except Unsupported:
        return None


class CompiledLoop:
    """A loop `scf.for` that runs outside of Python."""

    def __init__(self, op: Operation, translation: Translation) -> None:
        self._op = op
        self._parts = translation
        self._native = Native(translation.text)
        self._function = _LOOP(self._native.address)

    def run(self, frame: Frame, trips: int, start: Values) -> Values | None:
        """Run `trips` iterations and return the carried values, or None if the interpreter must run the loop."""
        parts, slots = self._parts, np.zeros(self._parts.slots, SLOT)
        if host(frame).calls + parts.depth > DEEPEST_CALL:
            return None  # the interpreter reports the call that is too deep
        if not self._place_memrefs(frame, slots):
            return None
        results = list(enumerate(self._op.results, parts.carried))
        given = [(slot, value.type, frame.get(value)) for value, slot in parts.scalars.items()]
        given += [
            (slot, result.type, value)
            for (slot, result), value in zip(results, start, strict=True)
        ]
        for slot, type, value in given:
            assert isinstance(value, np.ndarray)
            slot_of(slots, slot, held(type))[:] = value
        self._call(host(frame), trips, slots, _Asked(frame, parts, slots))
        return [slot_of(slots, slot, held(result.type)) for slot, result in results]

    def _place_memrefs(self, frame: Frame, slots: Array) -> bool:
        """Write the addresses of memrefs; return False if one is read-only or contradicts its type.

        The code takes static extents and strides from the type, and does not check them against the memory.
        """
        for value, first in self._parts.memrefs.items():
            try:
                array = host_array_of(frame, self._op, value)
            except XetileError:
                return False
            if value in self._parts.stored and not array.flags.writeable:
                return False
            found = frame.memref(value)
            assert isinstance(value.type, MemRefType)
            if contradiction(cast("MemRefType[Attribute]", value.type), found) is not None:
                return False
            shape = [int(part[0]) for part in (*found.sizes, *found.strides)]
            place = [array.__array_interface__["data"][0], *shape]
            slots[first : first + len(place)] = place
        return True

    def _call(self, machine: HostMachine, trips: int, slots: Array, asked: "_Asked") -> None:
        ask, compute, address = _ASK(asked.execute), _COMPUTE(asked.compute), slots.ctypes.data
        done, number = 0, 1
        with machine.steps(trips) as report:
            while done < trips:
                end, started = min(done + number, trips), time.perf_counter()
                answer = int(self._function(done, end, address, ask, compute))
                if asked.error is not None:
                    raise asked.error
                if answer:
                    self._parts.code.refusals[answer - 1](*slots[:FOUND_SLOTS].tolist())
                done = end
                report(done)
                if time.perf_counter() - started < CALL_SECONDS:
                    number *= 2


class _Asked:
    """Callbacks that execute ops for a compiled loop; `error` is the exception that one raised."""

    def __init__(self, frame: Frame, parts: Translation, slots: Array) -> None:
        self._frame = frame
        self._parts = parts
        self._slots = slots
        self._functions = [FUNCTIONS[op.name] for op in parts.computed]
        self._operands = [len(op.operands) for op in parts.computed]
        self._x, self._y = np.zeros(1), np.zeros(1)
        self.error: BaseException | None = None

    def compute(self, number: int, x: float, y: float) -> float:
        """Compute a function of one or two numbers; the second is ignored if it has one."""
        try:
            self._x[0], self._y[0] = x, y
            arguments = (self._x, self._y)[: self._operands[number]]
            return self._functions[number](*arguments)[0]
        except BaseException as error:  # it cannot pass through machine code
            self.error = error
            return 0.0

    def execute(self, number: int) -> int:
        """Execute the op of that number on the operands in the slots; return 0 on success."""
        op, room = self._parts.asked[number]
        try:
            frame = host(self._frame).frame()
            for slot, value in enumerate(op.operands, room):
                frame.bind(value, slot_of(self._slots, slot, held(value.type)))
            values = frame.machine.handlers[op.name](frame, op)
            for slot, (result, value) in enumerate(zip(op.results, values, strict=True), room):
                assert isinstance(value, np.ndarray)
                slot_of(self._slots, slot, held(result.type))[:] = value
        except BaseException as error:  # it cannot pass through machine code
            self.error = error
            return 1
        return 0


WORTH_COMPILING = 5_000
"""The number of ops that the interpreter executes in about the time of compiling a loop."""

USUAL_TRIPS = 16
"""The assumed iterations of an inner loop whose bounds are not constants."""

MOST_HOST_ROUNDS = 1 << 40
"""The most rounds of a loop times those around or inside of it: minutes, at a nanosecond for each."""


class _Loop:
    """The state of a loop `scf.for`: the ops executed so far, and its machine code."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._work = _ops_in(op)
        self._rounds_inside = _rounds_in(op)
        self._spent = 0
        self._considered = False
        self._code: CompiledLoop | None = None

    def run(self, frame: Frame) -> Values:
        check_step(self.op, number(frame, self.op.operands[2]))
        lower, upper, step = (int(number(frame, value)[0]) for value in self.op.operands[:3])
        trips = max(-((lower - upper) // step), 0)
        self._check_rounds(frame, trips)
        start = [frame.get(value) for value in self.op.operands[3:]]
        self._consider(frame, trips)
        if self._code is not None:
            values = self._code.run(frame, trips, start)
            if values is not None:
                return values
        return self._interpret(frame, range(lower, lower + trips * step, step), start)

    def _check_rounds(self, frame: Frame, trips: int) -> None:
        around = host(frame).rounds
        where = "" if around == 1 else " with the loops around it"
        check_rounds(self.op, trips * around, MOST_HOST_ROUNDS, where)
        inside = trips * self._rounds_inside
        check_rounds(self.op, inside, MOST_HOST_ROUNDS, " with the loops inside of it")

    def _consider(self, frame: Frame, trips: int) -> None:
        """Compile the loop, once, when the ops executed so far and to come are worth it."""
        if self._considered:
            return
        self._spent += trips * self._work
        self._considered = self._spent >= WORTH_COMPILING
        if self._considered:
            self._code = compile_loop(frame, self.op)

    def _interpret(self, frame: Frame, positions: range, values: Values) -> Values:
        body, dtype = self.op.regions[0].block, frame.array(self.op.operands[0]).dtype
        with host(frame).steps(len(positions)) as report:
            for done, position in enumerate(positions):
                values = frame.run(
                    body, [np.array([position], np.int64).astype(dtype), *values]
                )
                report(done + 1)
        return values


def _ops_in(op: Operation) -> int:
    inner = (op for region in op.regions for block in region.blocks for op in block.ops)
    return sum(1 + (_trips(op) if op.name == "scf.for" else 1) * _ops_in(op) for op in inner)


def _rounds_in(op: Operation) -> int:
    """Return the rounds of the loops inside of each round, as far as they are constant; at least 1."""
    loops = [inner for inner in op.regions[0].block.ops if inner.name == "scf.for"]
    return max(
        (max(_constant_trips(inner) or 1, 1) * _rounds_in(inner) for inner in loops), default=1
    )


def _trips(op: Operation) -> int:
    trips = _constant_trips(op)
    return USUAL_TRIPS if trips is None else trips


def _constant_trips(op: Operation) -> int | None:
    lower, upper, step = (known_integer(value) for value in op.operands[:3])
    if lower is None or upper is None or step is None or step <= 0:
        return None
    return max(-((lower - upper) // step), 0)


def _for(frame: Frame, op: Operation) -> Values:
    return host(frame).keep((op, "loop"), lambda: _Loop(op)).run(frame)


HANDLERS: Handlers = {"scf.for": _for}
