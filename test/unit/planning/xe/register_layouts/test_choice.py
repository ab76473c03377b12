"""The choice of layouts costs no more than the cheapest that there is."""

from collections.abc import Iterator
from itertools import product
from math import prod
from random import Random

import pytest

from xetile.analysis.module_kernels import functions
from xetile.api import parse
from xetile.planning.xe.register_layouts.candidates import spread
from xetile.planning.xe.register_layouts.choice import Choice, State, choose
from xetile.planning.xe.register_layouts.classes import Graph, LayoutClass
from xetile.planning.xe.register_layouts.conversion_prices import Conversions
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

MOST_CHOICES = 4000


def program(random: Random) -> str:
    """Loads, products, sums and transposes of 16x16 values, some of them in a loop."""
    c = "vector<16x16xf16>"
    lines = [
        "func.func @k(%A: memref<64x64xf16>, %W: memref<64x64xi32>) {",
        "%c0 = arith.constant 0 : index",
        "%c16 = arith.constant 16 : index",
        "%a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>",
        "%w = xegpu.create_nd_tdesc %W : memref<64x64xi32> -> !xegpu.tensor_desc<16x8xi32>",
        f"%v0 = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> {c}",
    ]
    values = ["%v0"]
    inside = random.randrange(7)
    for number in range(1, 7):
        if number == inside:
            start = random.choice(values)
            lines.append(
                f"%r = scf.for %i = %c0 to %c16 step %c16 iter_args(%x = {start}) -> ({c}) {{"
            )
            values.append("%x")
        one, other = random.choice(values), random.choice(values)
        new = f"%v{number}"
        made = random.choice(("add", "transpose", "load", "product", "add", "transpose"))
        if made == "add":
            lines.append(f"{new} = arith.addf {one}, {other} : {c}")
        elif made == "transpose":
            lines.append(f"{new} = vector.transpose {one}, [1, 0] : {c} to {c}")
        elif made == "load":
            lines += [
                f"%l{number} = xegpu.load_nd %w[%c0, %c0] : !xegpu.tensor_desc<16x8xi32> -> vector<16x8xi32>",
                f"{new} = vector.bitcast %l{number} : vector<16x8xi32> to {c}",
            ]
        else:
            part = "offsets = [8, 0], sizes = [8, 16], strides = [1, 1]"
            lines += [
                f"%s{number} = vector.extract_strided_slice {one} {{{part}}} : {c} to vector<8x16xf16>",
                f"%d{number} = xegpu.dpas %s{number}, {other} : vector<8x16xf16>, {c} -> vector<8x16xf16>",
                f"{new} = vector.insert_strided_slice %d{number}, {other} {{offsets = [0, 0], strides = [1, 1]}} "
                f": vector<8x16xf16> into {c}",
            ]
        values.append(new)
    if inside > 0:
        lines += [f"scf.yield {values[-1]} : {c}", "}"]
        values = ["%r"]
    stored = values[-1]
    part = "offsets = [0, 0], sizes = [8, 16], strides = [1, 1]"
    lines += [
        f"%o = vector.extract_strided_slice {stored} {{{part}}} : {c} to vector<8x16xf16>",
        "%t = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>",
        "xegpu.store_nd %o, %t[%c0, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>",
        "return",
        "}",
    ]
    return "\n".join(lines)


def price(classes: list[LayoutClass], choice: Choice, conversions: Conversions) -> float:
    state = State(conversions)
    for made in classes:
        state.set(made, choice[made])
    return state.price


def small_graphs(count: int) -> Iterator[Graph]:
    """Graphs of which all choices can be tried, and that have some."""
    device = find("bmg")
    assert isinstance(device, XeDevice)
    random = Random(0)
    while count:
        (function,) = functions(parse(program(random)))
        graph = Graph(function, device)
        spread(graph)
        if 1 < prod(len(made.candidates) for made in graph.classes) <= MOST_CHOICES:
            count -= 1
            yield graph


@pytest.mark.parametrize("graph", [*small_graphs(40)])
def test_no_choice_is_cheaper(graph: Graph) -> None:
    conversions = Conversions(graph.device.prices)
    found = price(graph.classes, choose(graph.classes, conversions), conversions)
    assert found == min(
        price(graph.classes, dict(zip(graph.classes, helds, strict=True)), conversions)
        for helds in product(*(made.candidates for made in graph.classes))
    )
