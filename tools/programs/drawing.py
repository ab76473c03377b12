"""A program drawn at random: each op takes values that are there and makes one."""

from collections.abc import Callable, Sequence
from random import Random

import numpy

from tools.programs.body import (
    DTYPES,
    MATRIX,
    Body,
    Program,
    Shape,
    Value,
    tile,
    vector,
)

LARGEST = 1024
"""Elements of a value."""

BINARY = {
    "f": ("addf", "subf", "mulf", "maximumf", "minimumf"),
    "i": ("addi", "subi", "muli", "andi", "xori", "maxsi", "minui"),
}
KINDS = {
    "f": ("add", "mul", "minimumf", "maximumf"),
    "i": ("add", "mul", "minui", "maxsi", "and", "or", "xor"),
}
"""Of zeros of both signs minnumf and maxnumf may give either."""

CASTS = {
    "f32": (("truncf", "f16"), ("truncf", "bf16"), ("bitcast", "i32")),
    "f16": (("extf", "f32"),),
    "bf16": (("extf", "f32"),),
    "i32": (("trunci", "i8"), ("sitofp", "f32")),
    "i8": (("extsi", "i32"), ("sitofp", "f16")),
}
COMPARISONS = {"f": "cmpf olt", "i": "cmpi slt"}


def draw(seed: int, number: int) -> Program:
    """The program of a seed with a number."""
    return _Drawing(Random(f"{seed}/{number}"), number).program()


class _Drawing(Body):
    @property
    def simple(self) -> Sequence[Callable[[], Value]]:
        """Ops that stand in loops and branches too."""
        return (
            *(self.elementwise, self.elementwise, self.cast, self.reduce, self.reduce),
            *(self.broadcast, self.select, self.scalar, self.steps, self.splat, self.slice),
            *(self.put, self.transpose),
        )

    @property
    def ops(self) -> Sequence[Callable[[], Value]]:
        """All of them."""
        return (*self.simple, self.transpose, self.product, self.loop, self.branch)

    def program(self) -> Program:
        for name in ("m", "n"):
            self.parameters.append(f"%{name}: index")
            self.arrays.append(self.random.randint(0, 33))
        for _ in range(2):
            self.load()
        for _ in range(self.random.randint(2, 7)):
            self.random.choice(self.ops)()
        for value in dict.fromkeys([self.values[-1], self.value()]):
            self.store(value)
        sizes = (
            "known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>"
        )
        body = "".join(f"\n    {line}" for line in self.lines)
        text = f"""
  gpu.func @{self.name}({", ".join(self.parameters)}) kernel attributes {{{sizes}}} {{{body}
    gpu.return
  }}"""
        return Program(self.name, text, self.arrays)

    def store(self, value: Value) -> None:
        if value.shape[1] < 16:  # narrower stores have their own tests
            value = self.widened(value)
        name, type = self.parameter(value.element, numpy.ones(MATRIX, DTYPES[value.element]))
        of, t = tile(value.shape, value.element), self.fresh()
        self.lines.append(f"%{t} = xetile.init_tile %{name}[0, 0] : {type} -> {of}")
        self.lines.append(f"xetile.store_tile %{value.name}, %{t} : {value.type}, {of}")

    def widened(self, value: Value) -> Value:
        """Turned where it has enough rows, else a column or an element for each of 16."""
        rows, columns = value.shape
        if rows >= 16:
            return self.transpose(value)
        if columns > 1:
            value = self.box(value, (0, 0), (rows, 1))
        return self.broadcast(value, (rows, 16))

    # Ops.

    def elementwise(self) -> Value:
        one = self.value()
        other, op = self.like(one), self.random.choice(BINARY[one.kind])
        return self.emit(f"arith.{op} %{one.name}, %{other.name} : {one.type}", *one[1:])

    def cast(self) -> Value:
        value = self.value()
        op, element = self.random.choice(CASTS[value.element])
        to = vector(value.shape, element)
        return self.emit(
            f"arith.{op} %{value.name} : {value.type} to {to}", value.shape, element
        )

    def transpose(self, value: Value | None = None) -> Value:
        value = value or self.value()
        shape = (value.shape[1], value.shape[0])
        to = vector(shape, value.element)
        return self.emit(
            f"xetile.tile_transpose %{value.name}, [1, 0] : {value.type} -> {to}",
            shape,
            value.element,
        )

    def reduce(self) -> Value:
        value = self.value()
        dimensions = self.random.choice([[0], [1], [1], [0, 1]])
        shape = (
            1 if 0 in dimensions else value.shape[0],
            1 if 1 in dimensions else value.shape[1],
        )
        kind, to = self.random.choice(KINDS[value.kind]), vector(shape, value.element)
        line = self.emit(
            f"xetile.tile_reduce <{kind}>, %{value.name} {dimensions} : {value.type} -> {to}",
            shape,
            value.element,
        )
        if self.random.random() < 0.7:  # back to what it was reduced from, as norms do
            return self.broadcast(line, value.shape)
        return line

    def broadcast(self, value: Value | None = None, shape: Shape | None = None) -> Value:
        if value is None:
            value = self.random.choice(
                [v for v in self.values if 1 in v.shape] or [self.reduce()]
            )
        rows, columns = value.shape
        if shape is None:
            shape = (
                self.random.choice([8, 16, 32]) if rows == 1 else rows,
                self.random.choice([16, 32]) if columns == 1 else columns,
            )
        dimensions = [d for d in range(2) if shape[d] != value.shape[d]]
        if not dimensions:
            return value
        to = vector(shape, value.element)
        return self.emit(
            f"xetile.tile_broadcast %{value.name} {dimensions} : {value.type} -> {to}",
            shape,
            value.element,
        )

    def scalar(self) -> Value:
        """An element of a value, for each element of a vector."""
        value, name = self.value(), self.fresh()
        place = [self.random.randrange(extent) for extent in value.shape]
        self.lines.append(
            f"%{name} = vector.extract %{value.name}{place} : {value.element} from {value.type}"
        )
        return self.emit(
            f"vector.broadcast %{name} : {value.element} to {value.type}",
            value.shape,
            value.element,
        )

    def steps(self) -> Value:
        """Numbers of columns or of rows."""
        value = self.value()
        rows, columns = value.shape
        down = self.random.random() < 0.5
        extent = rows if down else columns
        index, line, column = self.fresh(), self.fresh(), self.fresh()
        self.lines.append(f"%{index} = vector.step : vector<{extent}xindex>")
        self.lines.append(
            f"%{line} = arith.index_cast %{index} : vector<{extent}xindex> to vector<{extent}xi32>"
        )
        to = vector(value.shape, "i32")
        if not down:
            return self.emit(
                f"vector.broadcast %{line} : vector<{extent}xi32> to {to}", value.shape, "i32"
            )
        self.lines.append(
            f"%{column} = vector.shape_cast %{line} : vector<{extent}xi32> to vector<{extent}x1xi32>"
        )
        return self.emit(
            f"vector.broadcast %{column} : vector<{extent}x1xi32> to {to}", value.shape, "i32"
        )

    def select(self) -> Value:
        """One of two values by a mask: of bounds, or of a comparison."""
        one = self.value()
        other, mask = self.like(one), self.fresh()
        bits = vector(one.shape, "i1")
        comparison = f"arith.{COMPARISONS[one.kind]}, %{one.name}, %{other.name} : {one.type}"
        bounds = [self.random.randint(1, extent) for extent in one.shape]
        self.lines.append(
            f"%{mask} = "
            + self.random.choice(
                [
                    f"vector.create_mask %m, %n : {bits}",
                    f"vector.constant_mask {bounds} : {bits}",
                    comparison,
                ]
            )
        )
        if one == other:
            other = self.splat(one)
        return self.emit(
            f"arith.select %{mask}, %{one.name}, %{other.name} : {bits}, {one.type}", *one[1:]
        )

    def splat(self, like: Value | None = None) -> Value:
        value = like or self.value()
        number = {"f": "0xFF800000" if value.element == "f32" else "-2.5", "i": "-3"}[
            value.kind
        ]
        return self.emit(f"arith.constant dense<{number}> : {value.type}", *value[1:])

    def slice(self) -> Value:
        """A box of a value, at places that are whole boxes."""
        value = self.value()
        sizes = [self.random.choice([extent, max(1, extent // 2)]) for extent in value.shape]
        places = zip(value.shape, sizes, strict=True)
        offsets = [self.random.randrange(0, extent, size) for extent, size in places]
        return self.box(value, (offsets[0], offsets[1]), (sizes[0], sizes[1]))

    def box(self, value: Value, offsets: Shape, sizes: Shape) -> Value:
        """The slice of a value that begins at these offsets."""
        box = f"{{offsets = {list(offsets)}, sizes = {list(sizes)}, strides = [1, 1]}}"
        to = vector(sizes, value.element)
        return self.emit(
            f"vector.extract_strided_slice %{value.name} {box} : {value.type} to {to}",
            sizes,
            value.element,
        )

    def put(self) -> Value:
        """A slice put into another value of the size that it came from."""
        part, before = self.slice(), self.values[-2]
        whole = self.like(before) if before.element == part.element else part
        if any(small > large for small, large in zip(part.shape, whole.shape, strict=True)):
            return part
        places = zip(whole.shape, part.shape, strict=True)
        offsets = [
            self.random.randrange(0, extent - size + 1, size) for extent, size in places
        ]
        return self.emit(
            f"vector.insert_strided_slice %{part.name}, %{whole.name} {{offsets = {offsets}, strides = [1, 1]}}"
            f" : {part.type} into {whole.type}",
            *whole[1:],
        )

    def product(self) -> Value:
        """A value as operand A, with a B and a C that are loaded."""
        a = self.value("f16", "bf16", "i8")
        (m, k), least = a.shape, 32 if a.element == "i8" else 16
        if k % least or m * 16 > LARGEST:
            return self.elementwise()
        n, c_element = self.random.choice([16, 32]), "i32" if a.element == "i8" else "f32"
        b, c = self.loaded((k, n), a.element), self.loaded((m, n), c_element)
        return self.emit(
            f"xetile.tile_mma %{a.name}, %{b.name}, %{c.name} : {a.type}, {b.type}, {c.type} -> {c.type}",
            *c[1:],
        )

    # Control flow.

    def grown(self, start: Value) -> Value:
        """A value of the same type after a few ops."""
        self.values.append(start)
        for _ in range(self.random.randint(1, 3)):
            self.random.choice(self.simple)()
        one = self.like(start)
        return self.emit(
            f"arith.{self.random.choice(BINARY[start.kind])} %{one.name}, %{start.name} : {start.type}",
            *start[1:],
        )

    def loop(self) -> Value:
        """A value that is carried through three rounds."""
        start, carried, result = self.value(), self.fresh(), self.fresh()
        low, high, step = self.fresh(), self.fresh(), self.fresh()
        for name, number in ((low, 0), (high, 3), (step, 1)):
            self.lines.append(f"%{name} = arith.constant {number} : index")
        self.lines.append(
            f"%{result} = scf.for %i_{result} = %{low} to %{high} step %{step} iter_args(%{carried} = %{start.name})"
            f" -> ({start.type}) {{"
        )
        with self.inside():
            end = self.grown(Value(carried, *start[1:]))
        self.lines += [f"scf.yield %{end.name} : {end.type}", "}"]
        self.values.append(Value(result, *start[1:]))
        return self.values[-1]

    def branch(self) -> Value:
        """One of two ways, by an argument."""
        start, bound, condition, result = (
            self.value(),
            self.fresh(),
            self.fresh(),
            self.fresh(),
        )
        self.lines.append(f"%{bound} = arith.constant {self.random.randint(0, 33)} : index")
        self.lines.append(f"%{condition} = arith.cmpi slt, %m, %{bound} : index")
        self.lines.append(f"%{result} = scf.if %{condition} -> ({start.type}) {{")
        with self.inside():
            end = self.grown(start)
        self.lines += [f"scf.yield %{end.name} : {end.type}", "} else {"]
        self.lines += [f"scf.yield %{start.name} : {start.type}", "}"]
        self.values.append(Value(result, *start[1:]))
        return self.values[-1]
