"""Barriers and buffers of exchanges: as few as the sanitizer lets pass, none of which can be taken away."""

from itertools import groupby
from typing import Any, cast

import numpy
import pytest
from support.subgroup import memref, vector
from support.workgroup import (
    Map,
    executed,
    kernel,
    load,
    random_array,
    same_below,
    store,
    wg_map,
)
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, Operation

from xetile.dialects.modules import context, parse
from xetile.dialects.xetile import TileType
from xetile.dialects.xetile.xetile_attributes import SHARED
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg

SHAPE = (32, 32)
V = vector(SHAPE, "f32")
ROWS: Map = ((4, 1), (8, 32))
COLUMNS: Map = ((1, 4), (32, 8))
BLOCKS: Map = ((2, 2), (16, 16))


def conv(result: str, value: str, map: Map) -> str:
    return (
        f"%{result} = xetile.tile_conv_layout %{value} {{wg_map_result = {wg_map(map)}}} : {V}"
    )


def turned(result: str, value: str, map: Map) -> str:
    maps = f"wg_map_result = {wg_map(map)}, wg_map_source = {wg_map(map)}"
    return f"%{result} = xetile.tile_transpose %{value}, [1, 0] {{{maps}}} : {V} -> {V}"


def total(result: str, left: str, right: str) -> str:
    return f"%{result} = arith.addf %{left}, %{right} : {V}"


def loop(body: str, *, steps: int = 3, step: int = 1, first: int = 0, value: str = "v") -> str:
    """A loop that carries %x, of which `body` makes %s; its result is %r."""
    last = first + steps * step
    return f"""
        %first = arith.constant {first} : index
        %last = arith.constant {last} : index
        %step = arith.constant {step} : index
        %r = scf.for %i = %first to %last step %step iter_args(%x = %{value}) -> ({V}) {{
          {body}
          scf.yield %s : {V}
        }}"""


NESTED = f"""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %r = scf.for %j = %c0 to %c2 step %c1 iter_args(%y = %v) -> ({V}) {{
          %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %y) -> ({V}) {{
            {turned("z", "x", ROWS)}
            {total("s", "z", "x")}
            scf.yield %s : {V}
          }}
          scf.yield %q : {V}
        }}"""

BRANCH = loop(f"""
          %one = arith.constant 1 : index
          %is = arith.cmpi eq, %i, %one : index
          %s = scf.if %is -> ({V}) {{
            {turned("z", "x", ROWS)}
            scf.yield %z : {V}
          }} else {{
            {turned("y", "x", ROWS)}
            {turned("w", "y", ROWS)}
            scf.yield %w : {V}
          }}""")

WHILE = f"""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %w:2 = scf.while (%i = %c0, %x = %v) : (index, {V}) -> (index, {V}) {{
          %more = arith.cmpi ult, %i, %c3 : index
          scf.condition(%more) %i, %x : index, {V}
        }} do {{
        ^bb0(%i: index, %x: {V}):
          {turned("z", "x", ROWS)}
          %j = arith.addi %i, %c1 : index
          scf.yield %j, %z : index, {V}
        }}
        {turned("r", "w#1", ROWS)}"""

ONE = f"{turned('z', 'x', ROWS)}\n{total('s', 'z', 'x')}"
THREE = "\n".join(
    (
        conv("y", "x", COLUMNS),
        turned("z", "y", COLUMNS),
        conv("w", "z", ROWS),
        total("s", "w", "x"),
    )
)

TWO = "\n".join(
    (
        conv("a", "v", COLUMNS),
        f"%double = arith.addf %v, %v : {V}",
        turned("b", "double", ROWS),
        conv("c", "a", ROWS),
        total("r", "b", "c"),
    )
)
TWO_IN_A_LOOP = "\n".join(
    (
        turned("a", "x", ROWS),
        f"%double = arith.addf %x, %x : {V}",
        turned("b", "double", ROWS),
        total("s", "a", "b"),
    )
)

CASES: dict[str, tuple[str, int, int]] = {
    "one": (conv("a", "v", COLUMNS) + "\n" + conv("r", "a", ROWS), 2, 2),
    "three, of which two share": (
        "\n".join(turned(b, a, ROWS) for a, b in (("v", "a"), ("a", "b"), ("b", "r"))),
        3,
        2,
    ),
    "twice the same": (
        "\n".join(
            (
                conv("a", "v", COLUMNS),
                conv("b", "v", COLUMNS),
                total("c", "a", "b"),
                conv("r", "c", ROWS),
            )
        ),
        2,
        2,
    ),
    "two at once": (TWO, 2, 3),
    "two at once in a loop": (loop(TWO_IN_A_LOOP), 1, 4),
    "one waits": (
        "\n".join(
            (
                turned("a", "v", ROWS),
                total("b", "a", "v"),
                turned("c", "b", ROWS),
                total("r", "c", "a"),
            )
        ),
        2,
        2,
    ),
    "loop": (loop(ONE), 1, 2),
    "loop of other steps": (loop(ONE, step=4, first=3, steps=4), 1, 2),
    "loop of three": (loop(THREE), 3, 3),
    "nested": (NESTED, 2, 2),
    "branch": (BRANCH, 4, 2),
    "while": (WHILE, 3, 2),
    "user's barrier": (loop(f"{ONE}\ngpu.barrier"), 2, 1),
}
"""Programs that make %r of %v, with the barriers that stay and the buffers, two in turn counted twice."""


def text_of(body: str) -> str:
    return kernel(
        [f"%A: {memref(SHAPE, 'f32')}", f"%B: {memref(SHAPE, 'f32')}"],
        4,
        load("v", "A", memref(SHAPE, "f32"), SHAPE, "f32", ROWS)
        + body
        + store("r", "B", memref(SHAPE, "f32"), SHAPE, "f32", ROWS),
    )


def arrays() -> list[Any]:
    return [random_array(SHAPE, "f32"), numpy.zeros(SHAPE, numpy.float32)]


def distributed(module: ModuleOp, exchange_bytes: int = 65536) -> None:
    XeTileWgToSg(exchange_bytes, "mapped").apply(context(), module)


def barriers_of(module: ModuleOp) -> list[Any]:
    return [op for op in module.walk() if op.name == "gpu.barrier"]


def loop_of(module: ModuleOp) -> Operation:
    (found,) = (op for op in module.walk() if op.name == "scf.for")
    return found


def buffers_of(module: ModuleOp) -> int:
    """Buffers of the exchanged value's size; gaps behind rows or columns do not count, two used in turn are two."""
    found = 0
    for op in module.walk():
        if op.name == "memref.alloc":
            type = cast("MemRefType[Attribute]", op.results[0].type)
            found += type.element_count() // (SHAPE[0] * SHAPE[1])
    return found


@pytest.mark.parametrize("name", CASES)
def test_barriers_are_few_and_enough(name: str) -> None:
    body, barriers, buffers = CASES[name]
    same_below(text_of(body), arrays(), distributed)
    module = parse(text_of(body))
    distributed(module)
    assert len(barriers_of(module)) == barriers
    assert buffers_of(module) == buffers


@pytest.mark.parametrize("name", CASES)
def test_no_barrier_can_be_taken_away(name: str) -> None:
    body, barriers, _ = CASES[name]
    for number in range(barriers):
        module = parse(text_of(body))
        distributed(module)
        barrier = barriers_of(module)[number]
        barrier.detach()
        barrier.erase()
        with pytest.raises(XetileError, match=r"no barrier between|nothing has written"):
            execute(module, "k", arrays(), sanitize=True)


def test_what_does_not_fit_twice_has_one_buffer_and_two_barriers() -> None:
    text = text_of(loop(ONE))

    def small(module: ModuleOp) -> None:
        distributed(module, 8000)

    same_below(text, arrays(), small)
    module = parse(text)
    small(module)
    assert len(barriers_of(module)) == 2
    assert buffers_of(module) == 1


def test_two_buffers_are_used_in_turn_up_to_the_last_byte() -> None:
    text = text_of(loop(ONE))

    def made(limit: int) -> tuple[int, int]:
        """Barriers, and bytes of the buffer."""
        module = parse(text)
        distributed(module, limit)
        (buffer,) = (op for op in module.walk() if op.name == "memref.alloc")
        type = cast("MemRefType[Attribute]", buffer.results[0].type)
        return len(barriers_of(module)), 4 * type.element_count()

    barriers, size = made(8000)
    assert barriers == 2
    assert made(2 * size) == (1, 2 * size)
    assert made(2 * size - 1) == (2, size)


def test_whose_turn_it_is_is_computed_once_for_all_buffers_of_a_loop() -> None:
    module = parse(text_of(loop(TWO_IN_A_LOOP)))
    distributed(module)
    assert sum(op.name == "arith.remui" for op in loop_of(module).walk()) == 1


def shared_accesses(module: ModuleOp) -> list[str]:
    """What happens to shared memory, in order: runs of loads, runs of stores, barriers."""
    found: list[str] = []
    for op in module.walk():
        if op.name == "gpu.barrier":
            found.append("barrier")
        elif op.name in ("xetile.load_tile", "xetile.store_tile"):
            tile = next(v.type for v in op.operands if isinstance(v.type, TileType))
            if tile.memory_space == SHARED:
                found.append("loads" if op.name == "xetile.load_tile" else "stores")
    return [name for name, _ in groupby(found)]


def test_what_does_not_fit_together_shares_bytes_behind_barriers() -> None:
    """Two exchanges of 72 KiB each: between them stands a barrier, so that they can have the same bytes."""
    shape, other = (144, 128), (128, 144)
    v, w = vector(shape, "f32"), vector(other, "f32")
    rows, across = ((4, 1), (36, 128)), ((4, 1), (32, 144))
    maps = f"wg_map_result = {wg_map(across)}, wg_map_source = {wg_map(rows)}"
    back = f"wg_map_result = {wg_map(rows)}, wg_map_source = {wg_map(across)}"
    text = kernel(
        [f"%A: {memref(shape, 'f32')}", f"%B: {memref(shape, 'f32')}"],
        4,
        load("v", "A", memref(shape, "f32"), shape, "f32", rows)
        + f"""
        %a = xetile.tile_transpose %v, [1, 0] {{{maps}}} : {v} -> {w}
        %b = arith.addf %a, %a : {w}
        %r = xetile.tile_transpose %b, [1, 0] {{{back}}} : {w} -> {v}"""
        + store("r", "B", memref(shape, "f32"), shape, "f32", rows),
    )
    given = [random_array(shape, "f32"), numpy.zeros(shape, numpy.float32)]
    found = executed(text, given, distributed)[1]
    assert (found == 2 * given[0]).all()
    module = parse(text)
    distributed(module)
    of_both = ["stores", "barrier", "loads"]
    assert shared_accesses(module) == [*of_both, "barrier", *of_both]


def test_bands_take_turns_too() -> None:
    """Bands of a fifth: two buffers fit, so that the first band does not wait for the last of the iteration before."""
    shape = (40, 40)
    v, of = vector(shape, "f32"), memref(shape, "f32")
    map = ((5, 1), (8, 8))
    maps = f"wg_map_result = {wg_map(map)}, wg_map_source = {wg_map(map)}"
    text = kernel(
        [f"%A: {of}", f"%B: {of}"],
        5,
        load("v", "A", of, shape, "f32", map)
        + f"""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %v) -> ({v}) {{
          %s = xetile.tile_transpose %x, [1, 0] {{{maps}}} : {v} -> {v}
          scf.yield %s : {v}
        }}"""
        + store("r", "B", of, shape, "f32", map),
    )
    given = [random_array(shape, "f32"), numpy.zeros(shape, numpy.float32)]

    def banded(module: ModuleOp) -> None:
        distributed(module, 40 * 40 * 4 - 1)

    same_below(text, given, banded)
    assert (executed(text, given, banded)[1] == given[0].T).all()
    module = parse(text)
    banded(module)
    assert len(barriers_of(module)) == 2 * 5 - 1


def waiting(number: int, body: str) -> str:
    """A loop of no known number of rounds that carries %v<number>, of which `body` makes %s<number> in round %j."""
    return f"""
        %w{number}:2 = scf.while (%i = %c0, %x = %v{number}) : (index, {V}) -> (index, {V}) {{
          %more = arith.cmpi ult, %i, %c3 : index
          scf.condition(%more) %i, %x : index, {V}
        }} do {{
        ^bb0(%j: index, %y: {V}):
          {body}
          %n = arith.addi %j, %c1 : index
          scf.yield %n, %s : index, {V}
        }}
        %v{number + 1} = arith.negf %w{number}#1 : {V}"""


UNNEEDED = f"""%is = arith.cmpi eq, %j, %c1 : index
          %b = scf.if %is -> ({V}) {{
            {turned("a", "y", ROWS)}
            scf.yield %a : {V}
          }} else {{
            scf.yield %y : {V}
          }}
          %s = scf.for %k = %c0 to %j step %c1 iter_args(%x = %b) -> ({V}) {{
            {turned("z", "x", ROWS)}
            scf.yield %z : {V}
          }}"""
"""The buffers in turn of the inner loop need a barrier before it, which lets the branch do without one."""


@pytest.mark.parametrize(("others", "unneeded"), [(0, 0), (3, 0), (63, 0), (64, 1)])
def test_the_first_64_barriers_are_tried_without(others: int, unneeded: int) -> None:
    """Two for each exchange that is in a loop of its own, three for both of the last loop; all buffers are small."""
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 3))
    loops = "".join(waiting(n, turned("s", "y", ROWS)) for n in range(others))
    body = constants + loops + waiting(others, UNNEEDED)
    text = text_of(body.replace("%v0", "%v").replace(f"%v{others + 1} ", "%r "))
    module = parse(text.replace("32x32", "8x8").replace("[8, 32]", "[2, 8]"))
    distributed(module)
    assert len(barriers_of(module)) == 2 * others + 3 + unneeded
