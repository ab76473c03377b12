"""LLVM IR text under construction: types, literals, blocks, and exits for errors.

xDSL 0.75 has too little of it to be used here (a test fails when that changes): no pass
converts arith, cf, func or index to llvm; `convert-memref-to-ptr` accepts static strides only
and checks no index; its back end has no bf16 and no unsigned integers as floats.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from string import Template
from typing import NamedTuple

import numpy as np
from xdsl.ir import Attribute

from xetile.interpreter.host.native import FUNCTION, has_half_conversions
from xetile.interpreter.machine.elements import Element, find_element
from xetile.interpreter.machine.runtime_values import Array

SLOT = np.dtype(np.int64)
"""The type of slots, in which a compiled loop and the interpreter exchange values as in memory."""

FOUND_SLOTS = 2
"""If a program fails, the first slots have an index and the extent that it exceeds."""

Refuse = Callable[[int, int], object]
"""Raises the error of a failed program, from the values in the first slots."""

FLOATS = {"f16": "half", "f32": "float", "f64": "double"}

ROOM = "ptr %slots, ptr %ask, ptr %compute"
"""The parameters of every function of a text, which passes them on to those that it calls."""

LOOP = f"define i64 @{FUNCTION}(i64 %first, i64 %end, {ROOM})"
"""The head of the function that the interpreter calls."""

UNLIKELY = '!0 = !{!"branch_weights", i32 1, i32 1000000}'
"""The metadata that a text ends with."""


INTEGER = Element("i64", 64, SLOT, is_float=False)


class Place(NamedTuple):
    """An address in memory, and the element type there."""

    address: str
    of: Element


class Unsupported(Exception):
    """An exception for a loop that cannot be compiled; the text is the reason."""


def held(type: Attribute) -> Element:
    """Return the `Element` of a scalar type that compiled code supports (integers, index, f16 to f64), else raise."""
    found = find_element(type)
    if found is None or found.unsigned:
        raise Unsupported(f"a value of type {type}")
    if found.is_float and found.name not in (*FLOATS, "bf16"):
        raise Unsupported(f"a value of type {type}")
    if found.name == "f16" and not has_half_conversions():
        raise Unsupported("f16 on this processor")
    return found


def llvm_type(of: Element) -> str:
    """Return the LLVM type of a value; bf16 is represented by its bits."""
    return FLOATS.get(of.name, f"i{of.bits}")


def slot_of(slots: Array, number: int, of: Element) -> Array:
    """Return a slot as an array of one value, which shares the memory."""
    first = number * (SLOT.itemsize // of.size)
    return slots.view(of.dtype)[first : first + 1]


def literal(value: Array, of: Element) -> str:
    """Return a number in LLVM's spelling: f32 as the bits of the f64 of the same value."""
    if of.name in ("f16", "bf16"):
        bits = int(value.view(np.uint16)[0])
        return f"0xH{bits:04X}" if of.name == "f16" else str(bits)
    if of.is_float:
        return f"0x{int(value.astype(np.float64).view(np.uint64)[0]):016X}"
    return str(int(value[0]))


class Code:
    """The text of one function that returns an i64: 0 is success, n is the n-th of the refusals.

    All functions of a text share the refusals; `text_of` is another function of the same text.
    `ask` is `i64 (i64 number)`, not 0 if an op raised; `compute` is
    `double (i64 number, double, double)`.
    """

    def __init__(self, head: str, text_of: "Code | None" = None) -> None:
        self.refusals: list[Refuse] = [] if text_of is None else text_of.refusals
        self._counter = count(1) if text_of is None else text_of._counter
        self._head = head
        self._entry: list[str] = []
        self._body: list[str] = []
        self._lines = self._body

    @contextmanager
    def at_entry(self) -> Generator[None]:
        """Write to the entry of the function within the context."""
        before, self._lines = self._lines, self._entry
        yield
        self._lines = before

    def name(self, word: str) -> str:
        return f"{word}.{next(self._counter)}"

    def let(self, text: str) -> str:
        name = f"%{self.name('v')}"
        self._lines.append(f"  {name} = {text}")
        return name

    def write(self, text: str, words: Mapping[str, str]) -> str:
        """Write lines `name = instruction` with `$word`s or `$name`s and return the last one's value."""
        known, value = dict(words), ""
        for line in text.strip().splitlines():
            name, _, instruction = line.rpartition(" = ")
            value = self.let(Template(instruction.strip()).substitute(known))
            known[name.strip()] = value
        return value

    def do(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def block(self, label: str) -> None:
        self._lines.append(f"{label}:")

    def variable(self, of: Element) -> Place:
        with self.at_entry():
            return Place(self.let(f"alloca {_memory_type(of)}"), of)

    def slot(self, number: int, of: Element) -> Place:
        return Place(self.let(f"getelementptr i64, ptr %slots, i64 {number}"), of)

    def load(self, place: Place) -> str:
        """Load a value from memory, where integers have whole bytes."""
        address, of = place
        memory, type = _memory_type(of), llvm_type(of)
        value = self.let(f"load {memory}, ptr {address}, align {of.size}")
        return value if memory == type else self.let(f"trunc {memory} {value} to {type}")

    def store(self, place: Place, value: str) -> None:
        """Store a value to memory, integers sign-extended."""
        address, of = place
        memory, type = _memory_type(of), llvm_type(of)
        if memory != type:
            word = "zext" if of.bits == 1 else "sext"
            value = self.let(f"{word} {type} {value} to {memory}")
        self.do(f"store {memory} {value}, ptr {address}, align {of.size}")

    def refuse_if(self, condition: str, refuse: Refuse, found: Sequence[str] = ()) -> None:
        """Exit from the function if a condition (i1) holds; `found` (i64 each) goes to the first slots."""
        self.refusals.append(refuse)
        bad, good = self.name("refused"), self.name("fine")
        self.do(f"br i1 {condition}, label %{bad}, label %{good}, !prof !0")
        self.block(bad)
        for number, value in enumerate(found):
            self.store(self.slot(number, INTEGER), value)
        self.do(f"ret i64 {len(self.refusals)}")
        self.block(good)

    def pass_on(self, answer: str) -> None:
        """Return the answer of a called function from this one unless it is 0."""
        bad, good = self.name("refused"), self.name("fine")
        wrong = self.let(f"icmp ne i64 {answer}, 0")
        self.do(f"br i1 {wrong}, label %{bad}, label %{good}, !prof !0")
        self.block(bad)
        self.do(f"ret i64 {answer}")
        self.block(good)

    def text(self) -> str:
        entry = [f"{self._head} {{", "entry:", *self._entry, "  br label %body", "body:"]
        return "\n".join([*entry, *self._body, "}"])


def _memory_type(of: Element) -> str:
    return llvm_type(of) if of.is_float else f"i{8 * of.size}"
