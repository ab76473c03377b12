"""`xetile-infer-wg-map` on random kernels: what it writes is what the kernel was made with, and nothing else changes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.api import parse_text, text
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.tiles.xetile_infer_wg_map import XeTileInferWgMap
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg

Map = tuple[tuple[int, int], tuple[int, int]]
"""sg_layout and sg_data."""
Shape = tuple[int, int]
Line = Callable[[frozenset[str]], str]

SIZE = 32
"""Rows and columns of the memrefs (elements)."""


def wg_map(map: Map) -> str:
    return f"#xetile.wg_map<sg_layout = {list(map[0])}, sg_data = {list(map[1])}>"


def vector(shape: Shape, element: str = "f32") -> str:
    return f"vector<{shape[0]}x{shape[1]}x{element}>"


@dataclass(frozen=True)
class Value:
    """A vector of the kernel, and what it was made with."""

    name: str
    shape: Shape
    map: Map


@dataclass
class Kernel:
    """A kernel whose annotations can be left out: each has a key."""

    lines: list[Line] = field(default_factory=list[Line])
    values: list[Value] = field(default_factory=list[Value])
    first: set[str] = field(default_factory=set[str])
    """What determines all maps forward: the types of loaded tiles, maps that change."""
    last: set[str] = field(default_factory=set[str])
    """What determines all maps backward: the types of stored tiles, maps that change, products."""
    other: set[str] = field(default_factory=set[str])
    outputs: int = 0
    count: int = 0

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self.first | self.last | self.other)

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def add(self, line: Line) -> None:
        self.lines.append(line)

    def made(self, name: str, shape: Shape, map: Map) -> Value:
        value = Value(name, shape, map)
        self.values.append(value)
        return value

    def render(self, kept: frozenset[str]) -> str:
        """The text with the annotations of these keys."""
        body = "\n".join(line(kept) for line in self.lines)
        outputs = "".join(f", %o{n}: memref<{SIZE}x{SIZE}xf32>" for n in range(self.outputs))
        return (
            f"gpu.module @m {{ gpu.func @k(%m: memref<{SIZE}x{SIZE}xf32>{outputs}) kernel attributes "
            '{xetile.level = "workgroup", known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {\n'
            "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
            f"{body}\ngpu.return\n}} }}\n"
        )


def tile(shape: Shape, map: Map, key: str, kept: frozenset[str]) -> str:
    written = f", {wg_map(map)}" if key in kept else ""
    return f"!xetile.tile<{shape[0]}x{shape[1]}xf32{written}>"


def attributes(kept: frozenset[str], **maps: tuple[str, Map]) -> str:
    """`{wg_map_c = ...}` of what is kept; a key and a map for each name."""
    written = [f"{name} = {wg_map(map)}" for name, (key, map) in maps.items() if key in kept]
    return f"{{{', '.join(written)}}}" if written else ""


# The steps that a random kernel is made of; each takes what hypothesis draws.

LAYOUTS = ((2, 2), (4, 1), (1, 4))
SHAPES = ((32, 32), (16, 32), (32, 16))


def even_maps(shape: Shape) -> list[Map]:
    """Maps of four subgroups: one or two units for each."""
    return [
        ((rows, columns), (shape[0] // rows // more, shape[1] // columns))
        for rows, columns in LAYOUTS
        for more in (1, 2)
    ]


def load(kernel: Kernel, draw: Any, shape: Shape, map: Map) -> Value:
    name = kernel.name()
    key = f"load {name}"
    kernel.first.add(key)
    row = draw(st.integers(-4, 4))
    kernel.add(
        lambda kept: (
            f"%t{name} = xetile.init_tile %m[{row}, 0] : memref<{SIZE}x{SIZE}xf32> -> {tile(shape, map, key, kept)}\n"
            f"%{name} = xetile.load_tile %t{name} : {tile(shape, map, key, kept)} -> {vector(shape)}"
        )
    )
    return kernel.made(name, shape, map)


def any_load(kernel: Kernel, draw: Any) -> None:
    shape = draw(st.sampled_from(SHAPES))
    load(kernel, draw, shape, draw(st.sampled_from(even_maps(shape))))


def elementwise(kernel: Kernel, draw: Any) -> None:
    value = draw(st.sampled_from(kernel.values))
    same = [
        other
        for other in kernel.values
        if (other.shape, other.map) == (value.shape, value.map)
    ]
    other = draw(st.sampled_from(same))
    name, op, key = kernel.name(), draw(st.sampled_from(("addf", "subf", "maximumf"))), "op"
    key = f"op {name}"
    kernel.other.add(key)
    kernel.add(
        lambda kept: (
            f"%{name} = arith.{op} %{value.name}, %{other.name} "
            f"{attributes(kept, wg_map=(key, value.map))} : {vector(value.shape)}"
        )
    )
    kernel.made(name, value.shape, value.map)


def constant(kernel: Kernel, draw: Any) -> None:
    """A constant that values of several maps are added to."""
    value = draw(st.sampled_from(kernel.values))
    name = kernel.name()
    users = [other for other in kernel.values if other.shape == value.shape]
    results = [(kernel.name(), other) for other in users[-2:]]
    kernel.add(lambda _: f"%c{name} = arith.constant dense<2.0> : {vector(value.shape)}")
    for result, other in results:
        kernel.add(
            lambda _, result=result, other=other: (
                f"%{result} = arith.addf %c{name}, %{other.name} : {vector(value.shape)}"
            )
        )
        kernel.made(result, other.shape, other.map)


def transpose(kernel: Kernel, draw: Any) -> None:
    value = draw(st.sampled_from(kernel.values))
    shape, map = value.shape[::-1], (value.map[0][::-1], value.map[1][::-1])
    name = kernel.name()
    result, source = f"result {name}", f"source {name}"
    kernel.other.update((result, source))
    kernel.add(
        lambda kept: (
            f"%{name} = xetile.tile_transpose %{value.name}, [1, 0] "
            f"{attributes(kept, wg_map_result=(result, map), wg_map_source=(source, value.map))} "
            f": {vector(value.shape)} -> {vector(shape)}"
        )
    )
    kernel.made(name, shape, map)


def change(kernel: Kernel, draw: Any) -> None:
    value = draw(st.sampled_from(kernel.values))
    if 1 in value.shape:
        return
    map = draw(st.sampled_from(even_maps(value.shape)))
    name = kernel.name()
    source = f"source {name}"
    kernel.last.add(source)
    kernel.add(
        lambda kept: (
            f"%{name} = xetile.tile_conv_layout %{value.name} {{wg_map_result = {wg_map(map)}"
            + (f", wg_map_source = {wg_map(value.map)}" if source in kept else "")
            + f"}} : {vector(value.shape)}"
        )
    )
    kernel.made(name, value.shape, map)


def reduce_and_spread(kernel: Kernel, draw: Any) -> None:
    """A reduction where one unit holds the dimension, and a broadcast of it to another shape."""
    found = [
        (value, d)
        for value in kernel.values
        for d in range(2)
        if value.shape[d] == value.map[1][d] and value.shape[d] > 1
    ]
    if not found:
        return
    value, d = draw(st.sampled_from(found))
    shape = (1, value.shape[1]) if d == 0 else (value.shape[0], 1)
    data = (1, value.map[1][1]) if d == 0 else (value.map[1][0], 1)
    reduced, spread = kernel.name(), kernel.name()
    keys = [f"{word} {name}" for name in (reduced, spread) for word in ("result", "source")]
    kernel.other.update((keys[0], keys[3]))
    kernel.first.add(keys[2])
    map: Map = (value.map[0], data)
    kernel.add(
        lambda kept: (
            f"%{reduced} = xetile.tile_reduce <maximumf>, %{value.name} [{d}] "
            f"{attributes(kept, wg_map_result=(keys[0], map))} : {vector(value.shape)} -> {vector(shape)}\n"
            f"%{spread} = xetile.tile_broadcast %{reduced} [{d}] "
            f"{attributes(kept, wg_map_result=(keys[2], value.map), wg_map_source=(keys[3], map))} "
            f": {vector(shape)} -> {vector(value.shape)}"
        )
    )
    kernel.made(reduced, shape, map)
    kernel.made(spread, value.shape, value.map)


def product(kernel: Kernel, draw: Any) -> None:
    layout = draw(st.sampled_from(LAYOUTS))
    m, n, k = SIZE, 16, draw(st.sampled_from((16, 32)))
    data = (m // layout[0], n // layout[1])
    a = load(kernel, draw, (m, k), (layout, (data[0], k)))
    b = load(kernel, draw, (k, n), (layout, (k, data[1])))
    name = kernel.name()
    keys = [f"{operand} {name}" for operand in "abc"]
    kernel.other.update(keys[:2])
    kernel.last.add(keys[2])
    maps = dict(
        zip(
            ("wg_map_a", "wg_map_b", "wg_map_c"),
            zip(keys, (a.map, b.map, (layout, data)), strict=True),
            strict=True,
        )
    )
    kernel.add(
        lambda kept: (
            f"%{name} = xetile.tile_mma %{a.name}, %{b.name} {attributes(kept, **maps)} "
            f": {vector(a.shape)}, {vector(b.shape)} -> {vector((m, n))}"
        )
    )
    kernel.made(name, (m, n), (layout, data))


def loop(kernel: Kernel, draw: Any) -> None:
    """A loop that adds what a moving tile loads to a value."""
    value = draw(st.sampled_from(kernel.values))
    if 1 in value.shape:
        return
    name, key = kernel.name(), f"load l{kernel.count}"
    kernel.first.add(key)
    of, shape = vector(value.shape), value.shape

    def line(kept: frozenset[str]) -> str:
        type = tile(shape, value.map, key, kept)
        return (
            f"%i{name} = xetile.init_tile %m[0, 0] : memref<{SIZE}x{SIZE}xf32> -> {type}\n"
            f"%r{name}, %{name} = scf.for %k{name} = %c0 to %c2 step %c1 iter_args(%t{name} = %i{name}, %a{name} = %{value.name}) -> ({type}, {of}) {{\n"
            f"%l{name} = xetile.load_tile %t{name} : {type} -> {of}\n"
            f"%s{name} = arith.addf %a{name}, %l{name} : {of}\n"
            f"%u{name} = xetile.update_tile_offset %t{name}, [%c1, 1] : {type}\n"
            f"scf.yield %u{name}, %s{name} : {type}, {of}\n}}"
        )

    kernel.add(line)
    kernel.made(name, shape, value.map)
    for inner in ("a", "l", "s"):
        kernel.made(f"{inner}{name}", shape, value.map)
        kernel.values.pop()  # not defined behind the loop


STEPS = (
    any_load,
    elementwise,
    elementwise,
    constant,
    transpose,
    change,
    reduce_and_spread,
    product,
    loop,
)


def is_shared(value: Value) -> bool:
    return any(
        extent // unit < subgroups
        for extent, unit, subgroups in zip(
            value.shape, value.map[1], value.map[0], strict=True
        )
    )


def store(kernel: Kernel, value: Value) -> None:
    key, output = f"store {value.name}", kernel.outputs
    kernel.outputs += 1
    kernel.last.add(key)
    kernel.add(
        lambda kept: (
            f"%o_{value.name} = xetile.init_tile %o{output}[0, 0] : memref<{SIZE}x{SIZE}xf32> -> {tile(value.shape, value.map, key, kept)}\n"
            f"xetile.store_tile %{value.name}, %o_{value.name} : {vector(value.shape)}, {tile(value.shape, value.map, key, kept)}"
        )
    )


@st.composite
def kernels(draw: Any) -> Kernel:
    """A kernel of some random steps, which stores all of its values that each subgroup holds alone."""
    kernel = Kernel()
    any_load(kernel, draw)
    for _ in range(draw(st.integers(1, 6))):
        draw(st.sampled_from(STEPS))(kernel, draw)
    for value in list(kernel.values):
        if is_shared(value):
            name = kernel.name()
            kernel.add(
                lambda kept, value=value, name=name: (
                    f"%{name} = arith.negf %{value.name} {{wg_map = {wg_map(value.map)}}} : {vector(value.shape)}"
                )
            )
        else:
            store(kernel, value)
    return kernel


def parsed(kernel: Kernel, kept: frozenset[str]) -> ModuleOp:
    return parse_text(kernel.render(kept), "k.mlir")


def maps_of(module: ModuleOp) -> dict[str, Map]:
    function = next(op for op in module.walk() if op.name == "gpu.func")
    found: dict[str, Map] = {}
    for value, map in infer_workgroup_maps(function).items():
        rows, columns = map.sg_layout
        height, width = map.sg_data
        found[value.name_hint or ""] = ((rows, columns), (height, width))
    return found


def inferred(kernel: Kernel, kept: frozenset[str]) -> ModuleOp:
    module = parsed(kernel, kept)
    XeTileInferWgMap().apply(context(), module)
    module.verify()
    return module


def expected(kernel: Kernel) -> dict[str, Map]:
    return {value.name: value.map for value in kernel.values}


@given(kernels())
@settings(max_examples=25, deadline=None)
def test_loads_determine_the_rest(kernel: Kernel) -> None:
    found = maps_of(inferred(kernel, frozenset(kernel.first)))
    assert {name: found[name] for name in expected(kernel)} == expected(kernel)


@given(kernels())
@settings(max_examples=25, deadline=None)
def test_stores_determine_the_rest(kernel: Kernel) -> None:
    found = maps_of(inferred(kernel, frozenset(kernel.last)))
    assert {name: found[name] for name in expected(kernel)} == expected(kernel)


def maps_or_question(kernel: Kernel, kept: frozenset[str]) -> dict[str, Map] | str:
    try:
        return maps_of(inferred(kernel, kept))
    except XetileError as error:
        return error.message


@given(kernels(), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_any_annotations_determine_the_same_maps_or_ask_for_more(
    kernel: Kernel, random: Any
) -> None:
    kept = frozenset(key for key in sorted(kernel.keys) if random.random() < 0.7)
    found = maps_or_question(kernel, kept)
    if isinstance(found, str):
        assert "no wg_map is known" in found or "is open" in found
    else:
        assert {name: found[name] for name in expected(kernel)} == expected(kernel)


@given(kernels())
@settings(max_examples=10, deadline=None)
def test_a_second_run_changes_nothing(kernel: Kernel) -> None:
    module = inferred(kernel, frozenset(kernel.last))
    once = text(module)
    XeTileInferWgMap().apply(context(), module)
    assert text(module) == once
    again = parse_text(once, "k.mlir")
    XeTileInferWgMap().apply(context(), again)
    assert text(again) == once


def outputs(module: ModuleOp, kernel: Kernel) -> list[bytes]:
    source = numpy.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(numpy.float32)
    results = [numpy.zeros((SIZE, SIZE), numpy.float32) for _ in range(kernel.outputs)]
    execute(module, "k", [source, *results])
    return [result.tobytes() for result in results]


@given(kernels())
@settings(max_examples=8, deadline=None)
def test_the_kernel_computes_the_same_bits(kernel: Kernel) -> None:
    """At workgroup level and at subgroup level, with the maps written and with those that follow."""
    whole = parsed(kernel, kernel.keys)
    before = outputs(whole, kernel)
    few = inferred(kernel, frozenset(kernel.first))
    assert outputs(few, kernel) == before
    for module in (whole, few):
        XeTileWgToSg().apply(context(), module)
        assert outputs(module, kernel) == before


@given(kernels())
@settings(max_examples=8, deadline=None)
def test_distribution_is_the_same_without_it(kernel: Kernel) -> None:
    modules = [
        parsed(kernel, frozenset(kernel.first)),
        inferred(kernel, frozenset(kernel.first)),
    ]
    for module in modules:
        XeTileWgToSg().apply(context(), module)
    assert text(modules[0]) == text(modules[1])


def with_other_maps(source: str, random: Any) -> str:
    """The text with some of its maps replaced, in all places where a map of the same numbers stands."""
    found = sorted(set(re.findall(r"#xetile.wg_map<[^>]*>", source)))
    for old in random.sample(found, min(len(found), 1 + random.randrange(2))):
        layout = random.choice((*LAYOUTS, (2, 4), (1, 1)))
        data = (random.choice((1, 4, 8, 12, 16, 32)), random.choice((1, 8, 16, 32)))
        source = source.replace(old, wg_map((layout, data)))
    return source


@given(kernels(), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_other_maps_are_refused_or_compute_the_same_bits(kernel: Kernel, random: Any) -> None:
    kept = frozenset(key for key in sorted(kernel.keys) if random.random() < 0.5)
    try:
        module = parse_text(with_other_maps(kernel.render(kept), random), "k.mlir")
        before = outputs(module, kernel)
        XeTileWgToSg().apply(context(), module)
    except XetileError as error:
        refusal = error
    else:
        assert outputs(module, kernel) == before
        return
    assert refusal.location is not None
    assert len(str(refusal).splitlines()) == 1
