"""Drawing kernels: arguments, statements that bind tiles, and stores of them."""

from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.random_kernels.arrays import Array, laid_out
from tools.random_kernels.expressions import Expressions
from tools.random_kernels.nodes import (
    INDEX,
    INTEGERS,
    Frame,
    Kind,
    Node,
    Step,
    assigned,
    limits,
    name,
    run_block,
    step,
)
from tools.random_kernels.stores import Stores
from xetile.targets.target import Assume

LAYOUTS = ((1, 1), (1, 1), (1, 1), (2, 1), (1, 2), (2, 2), (4, 1))
GRIDS = ((1, 1), (1, 1), (2, 1), (3, 1), (2, 2))
ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 12, 16, 16, 17, 20, 24, 32, 33, 40)
COLUMNS = (1, 2, 3, 4, 5, 8, 12, 16, 16, 16, 24, 32, 32, 48, 64)
ASSUMED: tuple[Assume, ...] = ("block", "block", "check", "gather")


class Program(NamedTuple):
    """A kernel: its arguments, its statements, and how it is compiled and launched."""

    name: str
    arrays: list[Array]
    body: list[Step]
    sg_layout: tuple[int, int]
    grid: tuple[int, int]
    assume: Assume
    device: str

    def text(self) -> str:
        """The file of the kernel."""
        names = ", ".join(array.name for array in self.arrays)
        body = [line for one in self.body for line in one.lines(1)]
        head = [
            "import xetile.language as xt",
            f"@xt.kernel(sg_layout={self.sg_layout}, grid={(*self.grid, 1)})",
            f"def kernel({names}):",
        ]
        return "\n".join([*head, *body, f"TYPES = {self.types()}"]) + "\n"

    def types(self) -> str:
        """The types of the arguments."""
        return f"({', '.join(array.type() for array in self.arrays)},)"

    def given(self) -> list[Any]:
        """Arguments of a call."""
        return [
            array.given() if array.shape else int(array.data.item()) for array in self.arrays
        ]

    def expected(self) -> dict[str, NDArray[Any]]:
        """What numpy computes: each array that the kernel stores to, as it is afterwards."""
        state = {array.name: array.data.copy() for array in self.arrays}
        width, height = self.grid
        for y in range(height):
            for x in range(width):
                run_block(Frame((x, y), state), self.body)
        return {
            array.name: laid_out(
                state[array.name], array.element, column_major=array.column_major
            )
            for array in self.arrays
            if array.written
        }


def draw(seed: int, number: int, devices: tuple[str, ...] = ("bmg",)) -> Program:
    """The kernel of a number; the same each time but for the device, which is the list's in turn."""
    drawing = _Drawing(Random(f"{seed}:{number}"))
    body = drawing.body()
    return Program(
        f"kernel_{seed}_{number}",
        drawing.arrays,
        body,
        drawing.layout,
        drawing.grid,
        drawing.assume,
        devices[number % len(devices)],
    )


class _Drawing(Stores, Expressions):
    """Statements, of expressions and stores."""

    def __init__(self, random: Random) -> None:
        layout, grid = random.choice(LAYOUTS), random.choice(GRIDS)
        rows, columns = random.choice(ROWS), random.choice(COLUMNS)
        if random.random() < 0.9:
            rows, columns = _multiple(rows, layout[0]), _multiple(columns, layout[1])
        super().__init__(random, grid, random.choice(ASSUMED))
        self.layout = layout
        self.rows, self.columns = rows, columns
        self.element = random.choice(("f32", "f32", "f16", "bf16", "i32", "i8", "ui8", "i16"))

    def body(self) -> list[Step]:
        """All statements."""
        kind = Kind(self.element, self.rows, self.columns)
        for _ in range(self.random.randint(0, 2)):
            self.statement(kind)
        for number in range(self.random.choice((1, 1, 1, 1, 2, 3))):
            self.output(self.tile(self.shape(kind), 2), number)
        return self.block

    def shape(self, kind: Kind) -> Kind:
        """Mostly the same kind, at times a row or a column of it."""
        element, rows, columns = kind
        narrow = Kind(element, rows, 1), Kind(element, 1, columns)
        return self.random.choice((kind, kind, kind, *narrow))

    def statement(self, kind: Kind) -> None:
        """One that binds a tile, at times in a loop or a branch."""
        chosen = self.random.random()
        if chosen < 0.3:
            self.loop(self.shape(kind))
        elif chosen < 0.5:
            self.branch(self.shape(kind))
        else:
            self.bind(self.tile(self.shape(kind), 2), "x")

    def loop(self, kind: Kind) -> None:
        """A sum, or a maximum, over the rounds of a loop whose bounds may be data."""
        first, last = self.index(0, 2), self.index(0, 4)
        pace = self.random.choice((1, 1, 2))
        initial = self.tile(kind, 0)
        target, counter = self.fresh("x"), self.fresh("k")
        self.block.append(assigned(target, initial))
        outer, self.block = self.block, []
        known = dict(self.names)
        k = name(counter, INDEX, first.low, max(first.high, last.high))
        self.counters.append(k)
        part = self.tile(kind, 1)
        self.counters.pop()
        low, high = limits(kind.element)
        rounds = max(0, last.high - first.low)
        sums = (
            initial.low + rounds * min(part.low, 0),
            initial.high + rounds * max(part.high, 0),
        )
        before = name(target, kind, initial.low, initial.high)
        if kind.element in INTEGERS or (low <= sums[0] and sums[1] <= high):
            result = Node(kind, "({} + {})", lambda _, v: v[0] + v[1], *sums, (before, part))
            if kind.element in INTEGERS:
                sums = low, high
        else:
            sums = min(initial.low, part.low), max(initial.high, part.high)
            result = Node(
                kind,
                "xt.maximum({}, {})",
                lambda _, v: np.maximum(v[0], v[1]),
                *sums,
                (before, part),
            )
        self.block.append(assigned(target, result))

        def run(frame: Frame, self: Step) -> None:
            begin, end = (int(node.value(frame)) for node in self.nodes)
            for i in range(begin, end, pace):
                frame.names[counter] = np.asarray(i)
                run_block(frame, self.blocks[0])

        outer.append(
            step(
                f"for {counter} in xt.range({{}}, {{}}, {pace}):",
                run,
                first,
                last,
                blocks=[self.block],
            )
        )
        self.block, self.names = outer, known
        self.names[target] = name(target, kind, *sums)

    def branch(self, kind: Kind) -> None:
        """A name that gets one of two values."""
        condition = self.condition()
        target = self.fresh("x")
        known, outer = dict(self.names), self.block
        blocks, ends = list[list[Step]](), list[Node]()
        for _ in range(2):
            self.block, self.names = [], dict(known)
            ends.append(self.tile(kind, 1))
            self.block.append(assigned(target, ends[-1]))
            blocks.append(self.block)
        self.block, self.names = outer, known

        def run(frame: Frame, self: Step) -> None:
            run_block(frame, self.blocks[0 if self.nodes[0].value(frame) else 1])

        self.block.append(step("if {}:", run, condition, blocks=blocks))
        low, high = min(end.low for end in ends), max(end.high for end in ends)
        self.names[target] = name(target, kind, low, high)


def _multiple(number: int, of: int) -> int:
    return -(-number // of) * of
