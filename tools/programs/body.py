"""A kernel that grows: its lines, the values that are there, the matrices that it is launched with."""

from collections.abc import Generator
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import ml_dtypes
import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, int]

MATRIX: Shape = (64, 64)
SHAPES: tuple[Shape, ...] = (
    (8, 16),
    (16, 16),
    (16, 32),
    (32, 16),
    (8, 32),
    (1, 16),
    (1, 32),
    (4, 16),
)
"""What is loaded."""

DTYPES: dict[str, Any] = {
    "f32": numpy.float32,
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": numpy.int32,
    "i8": numpy.int8,
}
FLOATS = ("f32", "f16", "bf16")


class Value(NamedTuple):
    """A vector of the program."""

    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        """As it is written."""
        return vector(self.shape, self.element)

    @property
    def kind(self) -> str:
        """F or i."""
        return "f" if self.element in FLOATS else "i"


class Program(NamedTuple):
    """A kernel of one subgroup, and what it is launched with; the arrays of results are the last."""

    name: str
    text: str
    arrays: list[Array | int]

    @property
    def module(self) -> str:
        """The kernel in a module of its own."""
        return module_of([self])


def module_of(programs: "list[Program]") -> str:
    """All of them as kernels of one module."""
    return f"gpu.module @m {{{''.join(program.text for program in programs)}\n}}\n"


def vector(shape: Shape, element: str) -> str:
    """The type of a vector."""
    return f"vector<{shape[0]}x{shape[1]}x{element}>"


def tile(shape: Shape, element: str) -> str:
    """The type of a tile."""
    return f"!xetile.tile<{shape[0]}x{shape[1]}x{element}>"


class Body:
    """What was drawn so far."""

    def __init__(self, random: Random, number: int) -> None:
        self.random = random
        self.name = f"program_{number}"
        self.lines: list[str] = []
        self.values: list[Value] = []
        self.arrays: list[Array | int] = []
        self.parameters: list[str] = []
        self.count = 0

    # What is there.

    def value(self, *elements: str) -> Value:
        """One of the last values, of these elements where some are asked for."""
        fitting = [v for v in self.values if not elements or v.element in elements]
        if not fitting:
            return self.load(self.random.choice(elements))
        return self.random.choice(fitting[-4:])

    def like(self, value: Value) -> Value:
        """A value of the same shape and element, perhaps itself."""
        return self.random.choice([v for v in self.values if v[1:] == value[1:]])

    def fresh(self) -> str:
        """A name that nothing has."""
        self.count += 1
        return f"v{self.count}"

    def emit(self, text: str, shape: Shape, element: str) -> Value:
        """A value that an op, as text, makes."""
        value = Value(self.fresh(), shape, element)
        self.lines.append(f"%{value.name} = {text}")
        self.values.append(value)
        return value

    # Memory.

    def parameter(self, element: str, array: Array) -> tuple[str, str]:
        """The name and the type of a matrix that is handed in."""
        name, type = f"A{len(self.parameters)}", f"memref<{MATRIX[0]}x{MATRIX[1]}x{element}>"
        self.parameters.append(f"%{name}: {type}")
        self.arrays.append(array)
        return name, type

    def load(self, element: str = "") -> Value:
        """A tile at a place of a matrix, over its edges at times, where it may be padded."""
        element = element or self.random.choice(list(DTYPES))
        shape = self.random.choice(SHAPES)
        name, type = self.parameter(element, numbers(self.random, element))
        top, left = self.random.choice([0, 8, 24, 56, -4]), self.random.choice([0, 16, 48])
        padding = self.random.choice(["", "", " {padding = 2}"])
        of, t = tile(shape, element), self.fresh()
        self.lines.append(f"%{t} = xetile.init_tile %{name}[{top}, {left}] : {type} -> {of}")
        return self.emit(
            f"xetile.load_tile %{t}{padding} : {of} -> {vector(shape, element)}",
            shape,
            element,
        )

    def loaded(self, shape: Shape, element: str) -> Value:
        """The first tile of a new matrix."""
        name, type = self.parameter(element, numbers(self.random, element))
        of, t = tile(shape, element), self.fresh()
        self.lines.append(f"%{t} = xetile.init_tile %{name}[0, 0] : {type} -> {of}")
        return self.emit(
            f"xetile.load_tile %{t} : {of} -> {vector(shape, element)}", shape, element
        )

    @contextmanager
    def inside(self) -> Generator[None]:
        """What is made inside is not seen afterwards."""
        before = [*self.values]
        yield
        self.values = before


def numbers(random: Random, element: str) -> Array:
    """A matrix of small numbers of both signs, of which sums and products are not all exact."""
    generator = numpy.random.default_rng(random.getrandbits(32))
    if element in FLOATS:
        return (generator.standard_normal(MATRIX) * 2).astype(DTYPES[element])
    return generator.integers(-100, 101, MATRIX).astype(DTYPES[element])
