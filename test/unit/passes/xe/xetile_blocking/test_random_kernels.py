"""Random chains of ops on tiles: blocked level gives the bits of subgroup level, and XeGPU where it has the ops."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from support.subgroup import (
    FLOATS,
    TYPES,
    Argument,
    Shape,
    assert_blocked,
    fresh,
    kernel,
    made,
    memref,
    random,
    store,
    tile,
    turned,
    vector,
)
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.pipelines import lower
from xetile.passes.xe.xetile_blocking import XeTileBlocking

MATRIX = (64, 128)
EXTENTS = (1, 2, 3, 7, 8, 12, 16, 19, 24, 32, 56)
DEVICES = ("pvc", "bmg", "lnl", "ptl", "cri")
WIDER = {"f16": "f32", "bf16": "f32", "i8": "i32"}
FLOAT_KINDS = ("add", "mul", "minnumf", "maximumf")
INTEGER_KINDS = ("add", "minui", "maxsi", "xor")


class Value(NamedTuple):
    """A vector of the kernel."""

    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        return vector(self.shape, self.element)


class Body:
    """A kernel that grows by one op at a time; each takes values that are there and makes one."""

    def __init__(self, choose: Random, *, by_messages: bool = False) -> None:
        """`by_messages` keeps to what 2D block messages and matrix instructions take."""
        self.choose = choose
        self.by_messages = by_messages
        self.extents = (16, 32, 48) if by_messages else EXTENTS
        self.lines: list[str] = []
        self.values: list[Value] = []
        self.arguments: list[Argument] = []
        self.count = 0

    def value(self) -> Value:
        return self.choose.choice(self.values[-4:])

    def fresh_name(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def emit(self, text: str, shape: Shape, element: str) -> None:
        name = self.fresh_name()
        self.lines.append(f"    %{name} = {text}")
        self.values.append(Value(name, shape, element))

    def source(self, shape: Shape, element: str) -> Argument:
        """A matrix that is larger than the tile."""
        name = f"A{len(self.arguments)}"
        extents = MATRIX if self.by_messages else (shape[0] + 3, shape[1] + 5)
        values = random(element, extents, len(self.arguments))
        self.arguments.append(Argument(name, memref(values.shape, element), values, values))
        return self.arguments[-1]

    def load(self) -> None:
        """A tile that hangs over an edge, with or without padding, of rows or of columns."""
        shape = (self.choose.choice(self.extents), self.choose.choice(self.extents))
        element = self.choose.choice(list(TYPES))
        self.load_of(shape, element)

    def load_of(self, shape: Shape, element: str) -> None:
        source, type = self.source(shape, element), tile(shape, element)
        top = self.choose.randint(-4, 4)
        left = (
            self.choose.randint(-1, 7) * 16 if self.by_messages else self.choose.randint(-4, 6)
        )
        padding = self.choose.choice(
            ["", " {padding = 3.0}" if element in FLOATS else " {padding = 3}"]
        )
        name = self.fresh_name()
        self.lines.append(
            f"    %{name} = xetile.init_tile %{source.name}[{top}, {left}] : {source.type} -> {type}"
        )
        self.emit(
            f"xetile.load_tile %{name}{padding} : {type} -> {vector(shape, element)}",
            shape,
            element,
        )

    def transpose(self) -> None:
        v = self.value()
        other = turned(v.shape)
        self.emit(
            f"xetile.tile_transpose %{v.name}, [1, 0] : {v.type} -> {vector(other, v.element)}",
            other,
            v.element,
        )

    def slice(self) -> None:
        """A box of a vector, which begins and ends inside of blocks at times."""
        v = self.value()
        grain = self.choose.choice([1, 4, 8, 16])
        offsets, sizes = [0, 0], list(v.shape)
        for d in self.choose.choice([[0], [1], [0, 1]]):
            offsets[d] = self.choose.randrange(0, v.shape[d], min(grain, v.shape[d]))
            left = v.shape[d] - offsets[d]
            sizes[d] = self.choose.choice([left, *range(grain, left, grain)])
        shape = (sizes[0], sizes[1])
        self.emit(
            f"vector.extract_strided_slice %{v.name} {{offsets = {offsets}, sizes = {sizes}, strides = [1, 1]}}"
            f" : {v.type} to {vector(shape, v.element)}",
            shape,
            v.element,
        )

    def reduce(self) -> None:
        v = self.value()
        dimensions = self.choose.choice([[0], [1], [0, 1]])
        kind = self.choose.choice(FLOAT_KINDS if v.element in FLOATS else INTEGER_KINDS)
        rows, columns = (1 if d in dimensions else n for d, n in enumerate(v.shape))
        result = vector((rows, columns), v.element)
        self.emit(
            f"xetile.tile_reduce <{kind}>, %{v.name} {dimensions} : {v.type} -> {result}",
            (rows, columns),
            v.element,
        )

    def broadcast(self) -> None:
        v = self.value()
        dimensions = [d for d, extent in enumerate(v.shape) if extent == 1]
        rows, columns = (self.choose.choice(self.extents) if n == 1 else n for n in v.shape)
        result = vector((rows, columns), v.element)
        self.emit(
            f"xetile.tile_broadcast %{v.name} {dimensions} : {v.type} -> {result}",
            (rows, columns),
            v.element,
        )

    def arithmetic(self) -> None:
        v = self.value()
        w = self.choose.choice(
            [o for o in self.values if (o.shape, o.element) == (v.shape, v.element)]
        )
        name = self.choose.choice(["add", "sub", "mul"]) + (
            "f" if v.element in FLOATS else "i"
        )
        self.emit(f"arith.{name} %{v.name}, %{w.name} : {v.type}", v.shape, v.element)

    def widen(self) -> None:
        v = self.value()
        wide = WIDER.get(v.element)
        if wide is None:
            self.transpose()
            return
        name = "extf" if v.element in FLOATS else "extsi"
        self.emit(
            f"arith.{name} %{v.name} : {v.type} to {vector(v.shape, wide)}", v.shape, wide
        )

    def constant(self) -> None:
        v = self.value()
        rows = [
            [(3 * i - 2 * j) % 23 - 11 for j in range(v.shape[1])] for i in range(v.shape[0])
        ]
        values = str(rows).replace(",", ".0,").replace("]", ".0]").replace("].0", "]")
        dense = values if v.element in FLOATS else str(rows)
        self.emit(f"arith.constant dense<{dense}> : {v.type}", v.shape, v.element)

    def product(self) -> None:
        """A times its transpose, or another operand where one fits; with or without an accumulator."""
        v = self.value()
        if v.element == "i32" or (v.element == "f32" and self.by_messages):
            self.transpose()
            return
        depth = v.shape[1]
        fitting = [o for o in self.values if o.shape[0] == depth and o.element == v.element]
        if not fitting:
            self.load_of((depth, self.choose.choice(self.extents)), v.element)
            fitting = self.values[-1:]
        w = self.choose.choice(fitting)
        result = WIDER.get(v.element, "f32")
        shape = (v.shape[0], w.shape[1])
        sums = [o for o in self.values if (o.shape, o.element) == (shape, result)]
        operands = [v, w, *self.choose.choice([[], sums[-1:]])]
        names = ", ".join(f"%{o.name}" for o in operands)
        types = ", ".join(o.type for o in operands)
        self.emit(
            f"xetile.tile_mma {names} : {types} -> {vector(shape, result)}", shape, result
        )

    def gather(self) -> None:
        """Elements of a line by computed indices, some out of range, some masked off."""
        v = self.value()
        rows, columns = v.shape
        name = f"A{len(self.arguments)}"
        line = random(v.element, (rows * columns + 1,), len(self.arguments))
        self.arguments.append(Argument(name, memref(line.shape, v.element), line, line))
        at = [
            [(7 * i + 5 * j) % (rows * columns + 9) - 3 for j in range(columns)]
            for i in range(rows)
        ]
        index, bits = vector(v.shape, "index"), vector(v.shape, "i1")
        scattered = tile(v.shape, v.element, "scattered = true")
        i, b, m, t = (self.fresh_name() for _ in range(4))
        self.lines += [
            f"    %{i} = arith.constant dense<{at}> : {index}",
            f"    %{b} = arith.constant {self.choose.choice([0, 1, 5, 19, 60])} : index",
            f"    %{m} = vector.create_mask %{b}, %{b} : {bits}",
            f"    %{t} = xetile.init_tile %{name}, %{i} : {memref(line.shape, v.element)}, {index} -> {scattered}",
        ]
        self.emit(
            f"xetile.load_gather %{t}, %{m} : {scattered}, {bits} -> {v.type}",
            v.shape,
            v.element,
        )

    def branch(self) -> None:
        v = self.value()
        w = self.choose.choice(
            [o for o in self.values if (o.shape, o.element) == (v.shape, v.element)]
        )
        c = self.fresh_name()
        self.lines.append(f"    %{c} = arith.constant {self.choose.choice(['true', 'false'])}")
        self.emit(
            f"scf.if %{c} -> ({v.type}) {{ scf.yield %{v.name} : {v.type} }}"
            f" else {{ scf.yield %{w.name} : {v.type} }}",
            v.shape,
            v.element,
        )

    def loop(self) -> None:
        """Two values that change places in each round."""
        v = self.value()
        w = self.choose.choice(
            [o for o in self.values if (o.shape, o.element) == (v.shape, v.element)]
        )
        zero, one, three, name = (self.fresh_name() for _ in range(4))
        self.lines += [
            f"    %{zero} = arith.constant 0 : index",
            f"    %{one} = arith.constant 1 : index",
            f"    %{three} = arith.constant 3 : index",
            f"    %{name}:2 = scf.for %i = %{zero} to %{three} step %{one} iter_args(%p = %{v.name}, %q = %{w.name})"
            f" -> ({v.type}, {v.type}) {{ scf.yield %q, %p : {v.type}, {v.type} }}",
        ]
        self.values.append(Value(f"{name}#0", v.shape, v.element))

    def text(self) -> str:
        """The kernel, which stores what it has computed last."""
        stores: list[str] = []
        kept = [v for v in self.values if v.shape[1] % 16 == 0 or not self.by_messages]
        for number, value in enumerate(kept[-6:]):
            zeros = numpy.zeros(
                MATRIX if self.by_messages else value.shape, TYPES[value.element]
            )
            out = made(f"C{number}", zeros, value.element)
            self.arguments.append(out)
            text = store(value.name, out, value.shape, value.element)
            stores.append(text.replace(f"%to_{value.name}", f"%to{number}"))
        return kernel("\n" + "\n".join(self.lines) + "".join(stores), self.arguments)


STEPS: tuple[Callable[[Body], None], ...] = (
    Body.load,
    Body.transpose,
    Body.slice,
    Body.reduce,
    Body.broadcast,
    Body.arithmetic,
    Body.widen,
    Body.constant,
    Body.product,
    Body.gather,
    Body.branch,
    Body.loop,
)


def executed(module: ModuleOp, arguments: list[Argument]) -> list[bytes]:
    module.verify()
    arrays = [fresh(argument.before) for argument in arguments]
    execute(module, "k", arrays)
    return [array.tobytes() for array in arrays]


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.randoms(use_true_random=False), st.sampled_from(DEVICES))
def test_subgroup_and_blocked_level_agree(choose: Random, device: str) -> None:
    body = Body(choose)
    body.load()
    for _ in range(choose.randint(1, 12)):
        choose.choice(STEPS)(body)
    text = body.text()
    expected = executed(parse(text), body.arguments)
    alone, whole = parse(text), parse(text)
    XeTileBlocking(device).apply(context(), alone)
    lower(context(), whole, "blocked", device)
    for module in (alone, whole):
        assert_blocked(module)
        assert executed(module, body.arguments) == expected, text


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.randoms(use_true_random=False), st.sampled_from(DEVICES))
def test_subgroup_level_and_xegpu_agree(choose: Random, device: str) -> None:
    """A kernel that XeGPU has no form for is refused; there is no other way out than the same bits."""
    body = Body(choose, by_messages=True)
    body.load()
    for _ in range(choose.randint(1, 10)):
        choose.choice([step for step in STEPS if step is not Body.gather])(body)
    text = body.text()
    expected = executed(parse(text), body.arguments)
    module = parse(text)
    refusal = ""
    try:
        lower(context(), module, "xegpu", device)
    except XetileError as error:
        refusal = error.message
    if refusal:
        assert "matrix instruction" in refusal, text
    else:
        assert executed(module, body.arguments) == expected, text
