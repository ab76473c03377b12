"""Expressions and statements of a kernel that can be printed as Python and evaluated with numpy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tools.language_programs.statements import Statement

Value: TypeAlias = NDArray[np.int64]
"""What a node evaluates to: a matrix of whole numbers, or an array without dimensions for a single one."""

INTEGERS = {
    "i8": (-128, 127),
    "ui8": (0, 255),
    "i16": (-(2**15), 2**15 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "i1": (0, 1),
}
"""The lowest and highest number of each integer type."""

EXACT = {"f16": 2**11, "bf16": 2**8, "f32": 2**24}
"""Whole numbers up to these are exact in a float type, with every number between."""


class Kind(NamedTuple):
    """The element type and shape of a value; 0 rows for a single number."""

    element: str
    rows: int = 0
    columns: int = 0

    def of(self, element: str) -> "Kind":
        """The same shape with other elements."""
        return Kind(element, self.rows, self.columns)


INDEX = Kind("index")


@dataclass
class Frame:
    """The state of one workgroup: which one it is, its variables, and all arrays in memory."""

    programs: tuple[int, int]
    arrays: dict[str, Value]
    names: dict[str, Value] = field(default_factory=dict[str, Value])


Compute: TypeAlias = Callable[[Frame, list[Value]], Value]
"""A function of a frame and the values of a node's parts."""


@dataclass(frozen=True)
class Node:
    """An expression; `form` has a pair of braces for each part. Its values are between `low` and `high`."""

    kind: Kind
    form: str
    compute: Compute
    low: int
    high: int
    parts: "tuple[Node, ...]" = ()

    def text(self) -> str:
        """The expression in Python."""
        return self.form.format(*(part.text() for part in self.parts))

    def value(self, frame: Frame) -> Value:
        """Evaluate it; integers wrap as their type does."""
        found = self.compute(frame, [part.value(frame) for part in self.parts])
        return wrapped(np.asarray(found, np.int64), self.kind.element)

    def simpler(self) -> "Iterator[Node]":
        """Nodes that may replace this one, the smallest first."""
        if self.kind == INDEX and self.form != "0":
            yield constant(0)
        yield from (part for part in self.parts if part.kind == self.kind)
        for number, part in enumerate(self.parts):
            for other in part.simpler():
                parts = (*self.parts[:number], other, *self.parts[number + 1 :])
                yield Node(self.kind, self.form, self.compute, self.low, self.high, parts)


def constant(number: int) -> Node:
    """A Python number as an index."""

    def compute(frame: Frame, values: list[Value]) -> Value:
        return np.asarray(number)

    return Node(INDEX, str(number), compute, number, number)


def name(text: str, kind: Kind, low: int, high: int) -> Node:
    """A variable."""
    return Node(kind, text, lambda frame, _: frame.names[text], low, high)


def wrapped(value: Value, element: str) -> Value:
    """Numbers modulo the width of an integer type; unchanged for the others."""
    if element not in INTEGERS:
        return value
    low, high = INTEGERS[element]
    return (value - low) % (high - low + 1) + low


def limits(element: str) -> tuple[int, int]:
    """The numbers that a type holds exactly."""
    if element in INTEGERS:
        return INTEGERS[element]
    return -EXACT[element], EXACT[element]


@dataclass
class Step(Statement):
    """A statement with its meaning: `run` evaluates the nodes and blocks of the step that it is given."""

    run: "Callable[[Frame, Step], None]" = field(kw_only=True)
    form: str = ""
    nodes: tuple[Node, ...] = ()


def step(
    form: str,
    run: Callable[[Frame, Step], None],
    *nodes: Node,
    blocks: list[list[Step]] | None = None,
) -> Step:
    """A statement whose text is a form with the texts of nodes."""
    text = form.format(*(node.text() for node in nodes))
    return Step(text, blocks or [], run=run, form=form, nodes=nodes)


def run_block(frame: Frame, block: list[Step]) -> None:
    """Evaluate statements one after the other."""
    for one in block:
        one.run(frame, one)


def assigned(target: str, node: Node) -> Step:
    """Bind a name."""

    def run(frame: Frame, self: Step) -> None:
        frame.names[target] = self.nodes[0].value(frame)

    return step(f"{target} = {{}}", run, node)
