"""Every fact about an integer against its number: random programs of scalars, and of vectors with data among them."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from xetile.analysis.alignment import Alignments
from xetile.analysis.linear import linear
from xetile.analysis.ranges import infer_ranges
from xetile.dialects.modules import parse
from xetile.planning.xe.register_layouts.element_places import PlaceAnalysis
from xetile.planning.xe.register_layouts.places import (
    Places,
    Swizzle,
    as_swizzle,
    possible_bits,
)

Array = NDArray[np.int64]
Numbers = Mapping[SSAValue, int]
SHAPES = ((1,), (4,), (8,), (1, 4), (4, 1), (2, 4), (4, 4), (1, 1))

SCALARS: Mapping[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "minsi": min,
    "maxsi": max,
    "shli": lambda a, b: a << b,
    "shrsi": lambda a, b: a >> b,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "remsi": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
}
COUNTED = {
    "shli": (0, 5),
    "shrsi": (0, 5),
    "floordivsi": (1, 9),
    "ceildivsi": (1, 9),
    "remsi": (1, 9),
}
"""Between which numbers the second operand has to lie."""
MOST = 1 << 40
"""Larger numbers are not computed with: integers are taken as if none wrapped around."""


@dataclass
class Program:
    """A function that is written op by op, and the number of every value in it."""

    draw: random.Random
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    arrays: dict[str, Array] = field(default_factory=dict[str, Array])
    arguments: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])

    def name(self) -> str:
        return f"v{len(self.numbers) + len(self.arrays)}"

    def vector(self, text: str, array: Array) -> None:
        if np.abs(array).max() < MOST:
            name = self.name()
            self.arrays[name] = array
            self.lines.append(f"%{name} = {text}")

    def scalar(self) -> None:
        op = self.draw.choice([*SCALARS])
        left, right = self.draw.choice([*self.numbers]), self.draw.choice([*self.numbers])
        low, high = COUNTED.get(op, (-MOST, MOST))
        if not low <= self.numbers[right] <= high:
            return
        number = SCALARS[op](self.numbers[left], self.numbers[right])
        if abs(number) < MOST:
            name = self.name()
            self.numbers[name] = number
            self.lines.append(f"%{name} = arith.{op} %{left}, %{right} : index")

    def constant(self) -> None:
        name, number = self.name(), self.draw.choice([0, 1, 2, 3, 4, 8, 12, 64, -1, -8])
        self.numbers[name] = number
        self.lines.append(f"%{name} = arith.constant {number} : index")

    def source(self) -> None:
        shape = self.draw.choice(SHAPES)
        match self.draw.randrange(4):
            case 0:
                self.vector(f"vector.step : vector<{shape[0]}xindex>", np.arange(shape[0]))
            case 1:
                scalar = self.draw.choice([*self.numbers])
                full = np.full(shape, self.numbers[scalar], np.int64)
                self.vector(f"vector.broadcast %{scalar} : index to {typed(full)}", full)
            case 2:
                number = self.draw.choice([0, 1, 2, 3, 4, 16, 64, -4])
                full = np.full(shape, number, np.int64)
                self.vector(f"arith.constant dense<{number}> : {typed(full)}", full)
            case _:
                data = np.array([self.draw.randint(-9, 99) for _ in range(prod(shape))])
                name, data = self.name(), data.reshape(shape)
                self.arrays[name] = data
                self.arguments.append(f"%{name}: {typed(data)}")

    def moved(self) -> None:
        name = self.draw.choice([*self.arrays])
        array, shape = self.arrays[name], self.arrays[name].shape
        to = self.draw.choice(SHAPES)
        if self.draw.random() < 0.4:
            sizes = [self.draw.choice([n for n in (1, 2, 4, 8) if n <= e]) for e in shape]
            starts = [
                self.draw.randrange(e - n + 1) for e, n in zip(shape, sizes, strict=True)
            ]
            part = array[tuple(slice(s, s + n) for s, n in zip(starts, sizes, strict=True))]
            where = f"{{offsets = {starts}, sizes = {sizes}, strides = {[1] * len(sizes)}}}"
            self.vector(
                f"vector.extract_strided_slice %{name} {where} : {typed(array)} to {typed(part)}",
                part,
            )
        elif len(shape) == 2 and self.draw.random() < 0.3:
            row = self.draw.randrange(shape[0])
            self.vector(
                f"vector.extract %{name}[{row}] : {typed(array[row])} from {typed(array)}",
                array[row],
            )
        elif len(shape) == 2 and self.draw.random() < 0.3:
            turned = f"vector.transpose %{name}, [1, 0] : {typed(array)} to {typed(array.T)}"
            self.vector(turned, array.T)
        elif prod(to) == prod(shape):
            made = array.reshape(to)
            self.vector(f"vector.shape_cast %{name} : {typed(array)} to {typed(made)}", made)
        elif len(to) >= len(shape) and all(
            a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False)
        ):
            made = np.broadcast_to(array, to)
            self.vector(f"vector.broadcast %{name} : {typed(array)} to {typed(made)}", made)

    def combined(self) -> None:
        left = self.draw.choice([*self.arrays])
        a = self.arrays[left]
        right = self.draw.choice([n for n, b in self.arrays.items() if b.shape == a.shape])
        b, type = self.arrays[right], typed(a)
        op = self.draw.choice(
            ["addi", "addi", "muli", "subi", "ori", "xori", "minsi", "shli", "i8"]
        )
        if op == "i8":
            narrow = type.replace("index", "i8")
            name = self.name()
            self.lines.append(f"%n{name} = arith.index_cast %{left} : {type} to {narrow}")
            self.vector(
                f"arith.index_cast %n{name} : {narrow} to {type}",
                a.astype(np.int8).astype(np.int64),
            )
        elif op != "shli" or (b.min() >= 0 and b.max() <= 5):
            made: Any = np.frompyfunc(SCALARS[op], 2, 1)(a, b)
            made = np.asarray(made, np.int64)
            self.vector(f"arith.{op} %{left}, %{right} : {type}", made)

    def text(self) -> str:
        body = "\n  ".join(self.lines)
        return f"func.func @f({', '.join(self.arguments)}) {{\n  {body}\n  return\n}}"


def typed(array: Array) -> str:
    return f"vector<{'x'.join(map(str, array.shape))}xindex>"


def drawn(seed: int) -> Program:
    program = Program(random.Random(seed))
    for _ in range(2):
        name = program.name()
        program.numbers[name] = program.draw.randint(-20, 60)
        program.arguments.append(f"%{name}: index")
    steps = (program.scalar, program.constant, program.source, program.moved, program.combined)
    program.constant()
    for _ in range(3):
        program.source()
    program.vector("vector.step : vector<4xindex>", np.arange(4))
    for _ in range(40):
        program.draw.choices(steps, (3, 1, 2, 4, 5))[0]()
    return program


def product(values: Sequence[SSAValue], numbers: Numbers) -> int:
    return prod(numbers[value] for value in values)


def combined(swizzle: Swizzle, at: int, numbers: Numbers) -> int:
    found = sum(product(p, numbers) * count for p, count in swizzle.uniform) ^ swizzle.number
    for bit, column in enumerate(swizzle.columns):
        found ^= column if at >> bit & 1 else 0
    return found


def known_part(places: Places, at: int, numbers: Numbers) -> int:
    found = 0 if places.swizzle is None else combined(places.swizzle, at, numbers)
    for values, (number, weights) in places.terms.items():
        own = sum(weight for bit, weight in enumerate(weights) if at >> bit & 1)
        found += product(values, numbers) * (number + own)
    return found


def check_places(
    analysis: PlaceAnalysis, value: SSAValue, array: Array, numbers: Numbers
) -> None:
    places, rest = analysis.places(value), dict[int, int]()
    interval, swizzle = analysis.interval(places), as_swizzle(places)
    mask = analysis.possible(places)
    for index in np.ndindex(array.shape):
        at, start = 0, 0
        for place, extent in zip(index, array.shape, strict=True):
            at, start = at | place << start, start + extent.bit_length() - 1
        number = int(array[index])
        left = number - known_part(places, at, numbers)
        assert rest.setdefault(at & (places.unknown or 0), left) == left
        assert places.unknown is not None or left == 0
        assert places.number in (None, number)
        assert swizzle is None or combined(swizzle, at, numbers) == number
        assert interval is None or interval.low <= number <= interval.high
        assert number & ~mask == 0


@pytest.mark.parametrize("seed", range(4))
def test_facts_are_true(seed: int) -> None:
    for number in range(seed * 1000, seed * 1000 + 15):
        program = drawn(number)
        module: Any = parse(program.text())
        (function,) = module.body.block.ops
        block = function.regions[0].block
        values = [*block.args, *(result for op in block.ops for result in op.results)]
        names = {str(value.name_hint): value for value in values}
        numbers = {names[name]: found for name, found in program.numbers.items()}
        ranges, residues = infer_ranges(function), Alignments(trusting=False)
        for value, found in numbers.items():
            assert ranges[value].low <= found <= ranges[value].high
            residue = residues.value(value)
            apart = found - residue.remainder
            assert apart % residue.modulus == 0 if residue.modulus else apart == 0
            assert found & ~possible_bits(value, ranges) == 0
            form = linear(value)
            assert form.constant + sum(numbers[v] * n for v, n in form.terms.items()) == found
        analysis = PlaceAnalysis(ranges)
        for name, array in program.arrays.items():
            check_places(analysis, names[name], array, numbers)
