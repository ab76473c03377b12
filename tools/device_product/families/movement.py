"""Tiles that are loaded, stored and prefetched: types, places over the edges, padding, columns first, cache hints.

Each is a part: a load of one matrix and a store to a matrix of its own.
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy

from tools.device_product.case import Array, Case, Program, Result
from tools.device_product.families.numbers import DTYPES

ROWS, COLUMNS = 48, 64
TYPES = (
    "i8",
    "f8E4M3FN",
    "i16",
    "f16",
    "bf16",
    "i32",
    "f32",
    "tf32",
    "i64",
    "f64",
    "i1",
    "index",
)
SHAPES = ((8, 16), (16, 32), (24, 16), (1, 16), (5, 48), (32, 8))
CORNERS = ((0, 0), (-3, 0), (20, 16), (40, 48), (16, -16))
LOAD_HINTS = ("cached", "uncached", "streaming", "read_invalidate")
STORE_HINTS = ("cached", "uncached", "write_back", "write_through")
KINDS = {
    "f": ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf"),
    "i": ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor"),
}


class Move(NamedTuple):
    """What makes %r of the matrix %A; the shape and the element of %r, attributes of its tile and of its store."""

    lines: str
    shape: tuple[int, int]
    element: str
    order: str = ""
    store: str = ""


def cases() -> list[Case]:
    """A case for the moves of each type, and one for each direction of hints."""
    return [
        *(
            Case(f"move {type} {name}", partial(_program, type, made), tuple(made))
            for type in TYPES
            for name, made in (
                ("loads", _loads(type)),
                ("rearranged", _rearranged(type)),
            )
        ),
        *(
            Case(f"move f16 hints of {name}", partial(_program, "f16", made), tuple(made))
            for name, made in _hints().items()
        ),
    ]


def tile(shape: tuple[int, int], element: str, more: str = "") -> str:
    """The type of a tile."""
    attributes = f", #xetile.tile_attr<{more}>" if more else ""
    return f"!xetile.tile<{shape[0]}x{shape[1]}x{element}{attributes}>"


def vector(shape: tuple[int, int], element: str) -> str:
    """The type of what is loaded from it."""
    return f"vector<{shape[0]}x{shape[1]}x{element}>"


def load(
    shape: tuple[int, int],
    element: str,
    corner: tuple[int, int] = (0, 0),
    attributes: str = "",
    name: str = "r",
) -> str:
    """Load `%NAME` of %A."""
    source = f"memref<{ROWS}x{COLUMNS}x{element}>"
    return f"""
    %t_{name} = xetile.init_tile %A[{corner[0]}, {corner[1]}] : {source} -> {tile(shape, element)}
    %{name} = xetile.load_tile %t_{name}{attributes} : {tile(shape, element)} -> {vector(shape, element)}"""


def _loads(t: str) -> dict[str, Move]:
    moves = {
        f"{shape[0]}x{shape[1]}": Move(load(shape, t, (8, 16)), shape, t) for shape in SHAPES
    }
    moves |= {f"at {corner}": Move(load((8, 32), t, corner), (8, 32), t) for corner in CORNERS}
    padding = "2.0" if t[0] != "i" else "1"
    if t != "i1":
        moves["padded"] = Move(
            load((16, 32), t, (40, 48), f" {{padding = {padding}}}"), (16, 32), t
        )
    return moves


def _rearranged(t: str) -> dict[str, Move]:
    kind = "i" if t.startswith("i") else "f"
    box, turned = (16, 32), (32, 16)
    v = vector(box, t)
    moves = {
        "transposed": Move(
            load(box, t, name="v")
            + f"\n%r = xetile.tile_transpose %v, [1, 0] : {v} -> {vector(turned, t)}",
            turned,
            t,
        ),
        "slice": Move(
            load(box, t, name="v")
            + "\n%r = vector.extract_strided_slice %v {offsets = [8, 16], sizes = [8, 16], strides = [1, 1]}"
            + f" : {v} to {vector((8, 16), t)}",
            (8, 16),
            t,
        ),
        "stored by columns": Move(load(box, t), box, t, order="order = [0, 1]"),
        "broadcast": Move(
            load((1, 32), t, name="v")
            + f"\n%r = xetile.tile_broadcast %v [0] : {vector((1, 32), t)} -> {v}",
            box,
            t,
        ),
    }
    for dimension, shape in ((0, (1, 32)), (1, (16, 1))):
        for name in KINDS[kind]:
            result = vector(shape, t)
            moves[f"reduced {name} {dimension}"] = Move(
                load(box, t, name="v")
                + f"\n%r0 = xetile.tile_reduce <{name}>, %v [{dimension}] : {v} -> {result}"
                + f"\n%r = xetile.tile_broadcast %r0 [{dimension}] : {result} -> {v}",
                box,
                t,
            )
    return moves


def _hints() -> dict[str, dict[str, Move]]:
    box = (8, 16)
    found: dict[str, dict[str, Move]] = {"loads": {}, "prefetches": {}, "stores": {}}
    for one, two, three in _combinations(LOAD_HINTS):
        hints = _attributes(one, two, three)
        found["loads"][hints] = Move(load(box, "f16", (0, 16), f" {{{hints}}}"), box, "f16")
        prefetch = f"\nxetile.prefetch_tile %t_r {{{hints}}} : {tile(box, 'f16')}"
        found["prefetches"][hints] = Move(load(box, "f16") + prefetch, box, "f16")
    for one, two, three in _combinations(STORE_HINTS):
        hints = _attributes(one, two, three)
        found["stores"][hints] = Move(load(box, "f16"), box, "f16", store=f" {{{hints}}}")
    return found


def _combinations(hints: Sequence[str]) -> list[tuple[str, str, str]]:
    pairs = [(one, "", three) for one, three in product(("", *hints), repeat=2)]
    return [*pairs[1:], *(("cached", two, "cached") for two in hints)]


def _attributes(*hints: str) -> str:
    return ", ".join(
        f"l{level}_hint = #xetile.cache_hint<{hint}>"
        for level, hint in enumerate(hints, 1)
        if hint
    )


def _program(type: str, moves: dict[str, Move], parts: Sequence[str]) -> Program:
    arrays: list[Array] = [_numbers(type)]
    parameters = [f"%A: memref<{ROWS}x{COLUMNS}x{type}>"]
    results: dict[int, Result] = {}
    body: list[str] = []
    for number, part in enumerate(parts, 1):
        move = moves[part]
        filled = numpy.full((ROWS, COLUMNS), 1, _dtype(move.element))
        arrays.append(filled.T.copy().T if move.order else filled)
        results[number] = Result(part)
        layout = f", strided<[1, {ROWS}]>" if move.order else ""
        target = f"memref<{ROWS}x{COLUMNS}x{move.element}{layout}>"
        to = tile(move.shape, move.element, move.order)
        parameters.append(f"%C{number}: {target}")
        lines = f"""{move.lines}
    %to = xetile.init_tile %C{number}[0, 0] : {target} -> {to}
    xetile.store_tile %r, %to{move.store} : {vector(move.shape, move.element)}, {to}"""
        for name in ("r", "v", "t_r", "t_v", "to", "r0"):
            lines = _with_number(lines, name, number)
        body.append(lines)
    text = f"""
    gpu.module @m {{ gpu.func @k({", ".join(parameters)}) kernel attributes {{
        known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{{"".join(body)}
      gpu.return
    }} }}"""
    return Program(text, arrays, "k", results=results)


def _with_number(lines: str, name: str, number: int) -> str:
    return re.sub(rf"%{name}\b", f"%{name}_{number}", lines)


def _dtype(type: str) -> "numpy.dtype[numpy.generic]":
    return numpy.dtype(numpy.bool) if type == "i1" else DTYPES[type]


def _numbers(type: str) -> Array:
    random = numpy.random.default_rng(len(type))
    dtype = _dtype(type)
    if dtype.kind in "ib":
        low, high = (0, 2) if type == "i1" else (-100, 101)
        return random.integers(low, high, (ROWS, COLUMNS)).astype(dtype)
    return (random.standard_normal((ROWS, COLUMNS)) * 4).astype(dtype)
