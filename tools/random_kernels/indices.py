"""Drawing arrays and indices, of which many are data."""

from collections.abc import Callable
from random import Random

import numpy as np

from tools.random_kernels.arrays import BYTES, Array
from tools.random_kernels.nodes import (
    EXACT,
    INDEX,
    Frame,
    Kind,
    Node,
    Step,
    Value,
    assigned,
    constant,
    name,
)
from xetile.targets.target import Assume

FLOATS = tuple(EXACT)
BOUNDARY = 64
"""Bytes of a row at least, and of a row's multiples a quarter: what block messages ask for."""


class Drawing:
    """What is known at a place of the kernel, and names that are not used yet."""

    def __init__(self, random: Random, grid: tuple[int, int], assume: Assume) -> None:
        self.random = random
        self.grid = grid
        self.assume: Assume = assume
        self.arrays: list[Array] = []
        self.block: list[Step] = []
        self.names: dict[str, Node] = {}
        self.counters: list[Node] = []
        self.count = 0

    def fresh(self, letter: str) -> str:
        """A name that there is not yet."""
        self.count += 1
        return f"{letter}{self.count}"

    def bind(self, node: Node, letter: str) -> Node:
        """Assign an expression to a name of its own."""
        target = self.fresh(letter)
        self.block.append(assigned(target, node))
        bound = name(target, node.kind, node.low, node.high)
        self.names[target] = bound
        return bound

    def array(self, element: str, data: Value, *, written: bool = False) -> Array:
        """A new argument with these elements."""
        random = self.random
        named: list[int | str] = list(data.shape)
        column_major = data.ndim > 1 and random.random() < 0.25
        bytes = BYTES[element]
        width = data.shape[-2 if column_major else -1] if data.ndim else 0
        legal = width * bytes >= BOUNDARY and width * bytes % 16 == 0
        if data.ndim and random.random() < (0.3 if legal or self.assume != "block" else 0.05):
            chosen = self.fresh("E")
            named[random.randrange(data.ndim)] = chosen
        array = Array(self.fresh("A"), element, data, tuple(named), column_major, written)
        self.arrays.append(array)
        return array

    def numbers(self, shape: tuple[int, ...], low: int, high: int) -> Value:
        """Data, which the kernel's own generator makes."""
        generator = np.random.default_rng(self.random.getrandbits(32))
        return generator.integers(low, high + 1, shape)

    def index(self, low: int, high: int, multiple: int = 1) -> Node:
        """An index between bounds, a multiple of a number."""
        random = self.random
        steps = max(0, (high - low) // multiple)
        low += -low % multiple
        fixed = low + multiple * random.randint(0, steps)
        # The language refuses a constant that lies before the beginning.
        forms: list[Callable[[], Node]] = [lambda: constant(max(0, fixed))]
        if steps:
            forms += [self.data_index(low, steps, multiple)] * 3
            forms += [self.counted_index(low, steps, multiple)] * 2
        return random.choice(forms)()

    def data_index(self, low: int, steps: int, multiple: int) -> Callable[[], Node]:
        """An element of an array, or a number that is an argument."""

        def make() -> Node:
            if self.random.random() < 0.25:
                array = self.array("i32", self.numbers((), 0, steps))
                return affine(scalar_argument(array), low, multiple)
            length = self.random.choice((1, 3, 5))
            array = self.array("i32", self.numbers((length,), 0, steps))
            place = self.counter()
            form = f"xt.index({array.name}[{{}} % {length}])"

            def compute(frame: Frame, values: list[Value]) -> Value:
                (at,) = values
                return frame.arrays[array.name][int(at) % length]

            node = Node(INDEX, form, compute, 0, steps, (place,))
            return affine(node, low, multiple)

        return make

    def counted_index(self, low: int, steps: int, multiple: int) -> Callable[[], Node]:
        """An index of the loop or the workgroup, kept in bounds."""

        def make() -> Node:
            scale, shift = self.random.choice((1, 2, 3)), self.random.choice((0, 1, 5))
            form = f"({{}} * {scale} + {shift}) % {steps + 1}"

            def compute(frame: Frame, values: list[Value]) -> Value:
                (at,) = values
                return (at * scale + shift) % (steps + 1)

            return affine(
                Node(INDEX, form, compute, 0, steps, (self.counter(),)), low, multiple
            )

        return make

    def counter(self) -> Node:
        """The counter of a loop, or a number of the workgroup."""
        if self.counters and self.random.random() < 0.7:
            return self.random.choice(self.counters)
        return program_id(self.random.randrange(2), self.grid)

    def condition(self) -> Node:
        """A truth value that is the same in the whole workgroup."""
        limit = self.random.randint(0, 2)
        form = f"{{}} {self.random.choice(('<', '=='))} {limit}"

        def compute(_: Frame, values: list[Value]) -> Value:
            (a,) = values
            return np.asarray(a < limit if "<" in form else a == limit, np.int64)

        return Node(Kind("i1"), form, compute, 0, 1, (self.index(0, 3),))


def program_id(axis: int, grid: tuple[int, int]) -> Node:
    """Which workgroup this is."""

    def compute(frame: Frame, values: list[Value]) -> Value:
        return np.asarray(frame.programs[axis])

    return Node(INDEX, f"xt.program_id({axis})", compute, 0, grid[axis] - 1)


def scalar_argument(array: Array) -> Node:
    """A number that is an argument, as an index."""
    number = int(array.data)
    return Node(
        INDEX,
        f"xt.index({array.name})",
        lambda frame, _: frame.arrays[array.name],
        number,
        number,
    )


def affine(node: Node, low: int, multiple: int) -> Node:
    """A multiple of an index and a first one."""
    if (low, multiple) == (0, 1):
        return node
    form = f"({{}}) * {multiple}" if multiple > 1 else "{}"
    form = f"{form} + {low}" if low else form
    return Node(
        INDEX,
        form,
        lambda _, v: v[0] * multiple + low,
        node.low * multiple + low,
        node.high * multiple + low,
        (node,),
    )


def start(drawing: Drawing, extent: int, size: int, element: str | None) -> Node:
    """Where a tile begins; `element` where the dimension is contiguous in memory."""
    random = drawing.random
    unit = 1
    if element is not None and random.random() < 0.95:
        unit = max(1, 4 // BYTES[element])
    low, high = 0, max(0, extent - size)
    if random.random() < 0.2:
        low, high = -3, extent + 2
    return drawing.index(low, high, unit)
