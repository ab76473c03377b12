"""LLVM IR text in the making: types, literals, blocks, and the places where a program may be refused."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from xdsl.ir import Attribute, Operation

from xetile.interpreter.host.native import FUNCTION, has_half_conversions
from xetile.interpreter.machine.elements import Element, find_element
from xetile.interpreter.machine.values import Array

SLOT = np.dtype(np.int64)
"""What a compiled loop and the interpreter hand to each other: the bits of a value, zeros above them."""

FAULT_SLOTS = 2
"""The first slots say what was found where a program is refused: an index, and the extent that it is outside of."""

FLOATS = {"f16": "half", "f32": "float", "f64": "double"}


class Unsupported(Exception):
    """A loop that stays with the interpreter; the text says why."""


class Fault(NamedTuple):
    """A place where a program may be refused.

    `kind` says how: the index along `dimension` is outside; the step of a loop is not positive; a divisor is zero; the
    smallest number is divided by -1; an assertion does not hold; the interpreter refused what it was asked to execute.
    """

    op: Operation
    kind: Literal["index", "step", "zero", "overflow", "assert", "asked"]
    dimension: int = 0


def held(type: Attribute) -> Element:
    """How a scalar type is held, where compiled code can hold it: integers, index, f16, bf16, f32, f64."""
    found = find_element(type)
    if found is None or found.unsigned:
        raise Unsupported(f"a value of type {type}")
    if found.is_float and found.name not in (*FLOATS, "bf16"):
        raise Unsupported(f"a value of type {type}")
    if found.name == "f16" and not has_half_conversions():
        raise Unsupported("f16 on this processor")
    return found


def llvm_type(of: Element) -> str:
    """The LLVM type of a value; bf16 is held as its bits."""
    if not of.is_float:
        return f"i{of.bits}"
    return FLOATS.get(of.name, "i16")


def memory_type(of: Element) -> str:
    """The LLVM type of an element in memory: integers in whole bytes."""
    return llvm_type(of) if of.is_float else f"i{8 * of.size}"


def bits_of(value: Array) -> int:
    """The bits of one number, zeros above them."""
    return int(np.ascontiguousarray(value).reshape(1).view(f"u{value.dtype.itemsize}")[0])


def value_of(bits: int, of: Element) -> Array:
    """The number that has these bits, as a value of the interpreter."""
    size = of.size
    return np.array([bits & (1 << 8 * size) - 1], f"u{size}").view(of.dtype)


def literal(value: Array, of: Element) -> str:
    """A number as LLVM writes it."""
    if not of.is_float or of.name == "bf16":
        return str(bits_of(value) if of.is_float else int(value[0]))
    if of.name == "f16":
        return f"0xH{bits_of(value):04X}"
    wide = np.array(value[0], np.float64)
    return f"0x{bits_of(wide):016X}"


class Code:
    """The text of one function `i64 (i64 first, i64 end, ptr slots, ptr ask, ptr compute)`.

    Result 0 is done, n is the n-th fault. `ask` is `i64 (i64 number)`, not 0 if an op was refused; `compute` is
    `double (i64 number, double, double)`.
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0

    def name(self, word: str) -> str:
        """A new name."""
        self._count += 1
        return f"{word}.{self._count}"

    def let(self, text: str) -> str:
        """The name of a new value."""
        name = f"%{self.name('v')}"
        self._lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """An instruction without a value."""
        self._lines.append(f"  {text}")

    def block(self, label: str) -> None:
        """Begin a block."""
        self._lines.append(f"{label}:")

    def variable(self, type: str) -> str:
        """A new variable of the function."""
        name = f"%{self.name('p')}"
        self._entry.append(f"  {name} = alloca {type}")
        return name

    def load_slot(self, number: int) -> str:
        """A slot's value, loaded when the function begins."""
        name = f"%{self.name('s')}"
        self._entry.append(f"  {name}.at = getelementptr i64, ptr %slots, i64 {number}")
        self._entry.append(f"  {name} = load i64, ptr {name}.at")
        return name

    def let_in_entry(self, text: str) -> str:
        """The name of a new value, computed when the function begins."""
        name = f"%{self.name('e')}"
        self._entry.append(f"  {name} = {text}")
        return name

    def slot(self, number: int) -> str:
        """The address of a slot."""
        return self.let(f"getelementptr i64, ptr %slots, i64 {number}")

    def refuse_if(self, condition: str, fault: Fault, found: Sequence[str] = ()) -> None:
        """End the function where a condition (i1) holds; `found` (i64 each) goes to the first slots."""
        self.faults.append(fault)
        bad, good = self.name("refused"), self.name("fine")
        self.do(f"br i1 {condition}, label %{bad}, label %{good}, !prof !0")
        self.block(bad)
        for number, value in enumerate(found):
            self.do(f"store i64 {value}, ptr {self.slot(number)}")
        self.do(f"ret i64 {len(self.faults)}")
        self.block(good)

    def text(self) -> str:
        """The whole function."""
        head = (
            f"define i64 @{FUNCTION}(i64 %first, i64 %end, ptr %slots, ptr %ask, ptr %compute) {{"
        )
        unlikely = '!0 = !{!"branch_weights", i32 1, i32 1000000}'
        lines = [
            head,
            "entry:",
            *self._entry,
            "  br label %body",
            "body:",
            *self._lines,
            "}",
            unlikely,
        ]
        return "\n".join(lines)
