"""Random matrices that lie anywhere in a buffer, and kernels that copy tiles from one to another.

What lies around a matrix in its buffer is guard: a test compares whole buffers, so that it sees what was written outside.
"""

from random import Random
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray
from support.subgroup import NUMPY
from support.tiled.case import Case

Array = NDArray[Any]

_ELEMENTS = ("f16", "bf16", "f32", "i8", "i16", "i32", "tf32", "f64")
_TILES = ((8, 16), (16, 32), (8, 1), (3, 5), (4, 8), (1, 32), (8, 8), (16, 16), (2, 3))
_GUARD = 64
"""Elements in front of a matrix and behind it, at least."""


class Surface(NamedTuple):
    """A matrix in a buffer; `form` is how a kernel gets it, all else in elements."""

    form: str
    offset: int
    height: int
    width: int
    pitch: int
    column_major: bool

    @property
    def size(self) -> int:
        """Elements of the buffer, with the guard."""
        slow = self.width if self.column_major else self.height
        return self.offset + slow * self.pitch + _GUARD + self.pitch

    @property
    def strides(self) -> tuple[int, int]:
        return (1, self.pitch) if self.column_major else (self.pitch, 1)


def random_surface(random: Random) -> Surface:
    """A matrix that is often no legal surface: pitches, widths, and offsets of any kind."""
    height, width = random.randint(1, 40), random.choice((1, 3, 7, 16, 31, 32, 48, 50, 64))
    column_major = random.random() < 0.25
    fast = height if column_major else width
    pitch = fast + random.choice((0, 0, 1, 2, 5, 16, 32 - fast % 32))
    offset = _GUARD + random.choice((0, 0, 1, 2, 8, 32, 37))
    form = random.choice(("static", "dynamic", "address"))
    return Surface(form, offset, height, width, pitch, column_major)


def _view(name: str, surface: Surface, element: str) -> tuple[str, str, str]:
    """Ops that make the matrix of a buffer, the source of its tiles with sizes and strides, and its type."""
    s, (down, across) = surface, surface.strides
    buffer = f"memref<{s.size}x{element}>"
    if s.form == "static":
        type = f"memref<{s.height}x{s.width}x{element}, strided<[{down}, {across}], offset: {s.offset}>>"
        op = (
            f"%{name}_view = memref.reinterpret_cast %{name} to offset: [{s.offset}], "
            f"sizes: [{s.height}, {s.width}], strides: [{down}, {across}] : {buffer} to {type}"
        )
        return op, f"%{name}_view[%r, %c]", type
    lists = f"[%{name}_h, %{name}_w], [%{name}_d, %{name}_a]"
    lists = lists.replace(f"%{name}_a" if across == 1 else f"%{name}_d", "1")
    if s.form == "dynamic":
        type = f"memref<?x?x{element}, strided<[?, ?], offset: ?>>"
        op = (
            f"%{name}_view = memref.reinterpret_cast %{name} to offset: [%{name}_o], "
            f"sizes: [%{name}_h, %{name}_w], strides: [%{name}_d, %{name}_a] : {buffer} to {type}"
        )
        return op, f"%{name}_view[%r, %c], {lists}", type
    bytes = numpy.dtype(NUMPY[element]).itemsize
    op = f"""%{name}_p = memref.extract_aligned_pointer_as_index %{name} : {buffer} -> index
    %{name}_b = arith.constant {bytes} : index
    %{name}_s = arith.muli %{name}_o, %{name}_b : index
    %{name}_q = arith.addi %{name}_p, %{name}_s : index
    %{name}_view = arith.index_cast %{name}_q : index to i64"""
    return op, f"%{name}_view[%r, %c], {lists}", "i64"


def random_copy(seed: int) -> Case:
    """A kernel that copies tiles along a way, from one random matrix to another of the same type."""
    random = Random(seed)
    element, (rows, columns) = random.choice(_ELEMENTS), random.choice(_TILES)
    surfaces = {name: random_surface(random) for name in ("from", "to")}
    rounds = random.randint(1, 3)
    parameters: list[str] = []
    arrays: list[Array | int] = []
    lines: list[str] = []
    made: list[tuple[str, list[int]]] = []
    for name, surface in surfaces.items():
        parameters.append(f"%{name}: memref<{surface.size}x{element}>")
        arrays.append(_values(random, surface.size, element))
        down, across = surface.strides
        numbers = {
            "o": surface.offset,
            "h": surface.height,
            "w": surface.width,
            "d": down,
            "a": across,
        }
        for letter, number in numbers.items():
            parameters.append(f"%{name}_{letter}: index")
            arrays.append(number)
        op, source, type = _view(name, surface, element)
        order = ", #xetile.tile_attr<order = [0, 1]>" if surface.column_major else ""
        tile = f"!xetile.tile<{rows}x{columns}x{element}{order}>"
        corner = [random.choice((0, 0, 0, -2, -5, 3, 16)) for _ in range(2)]
        step = [random.choice((0, 0, 1, 4, 16, -3)) for _ in range(2)]
        source = source.replace("%r", str(corner[0])).replace("%c", str(corner[1]))
        lines += [op, f"%{name}_t = xetile.init_tile {source} : {type} -> {tile}"]
        made.append((tile, step))
    (from_tile, from_step), (to_tile, to_step) = made
    padding = random.choice(
        ("", "", " {padding = 2.0}" if element[0] in "fbt" else " {padding = 2}")
    )
    vector = f"vector<{rows}x{columns}x{element}>"
    body = "\n    ".join(lines)
    return Case(
        f"copy_{seed}",
        parameters,
        f"""
    {body}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {rounds} : index
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %from_t, %b = %to_t) -> ({from_tile}, {to_tile}) {{
      %v = xetile.load_tile %a{padding} : {from_tile} -> {vector}
      xetile.store_tile %v, %b : {vector}, {to_tile}
      %a2 = xetile.update_tile_offset %a, {from_step} : {from_tile}
      %b2 = xetile.update_tile_offset %b, {to_step} : {to_tile}
      scf.yield %a2, %b2 : {from_tile}, {to_tile}
    }}""",
        arrays,
        {},
    )


def _values(random: Random, size: int, element: str) -> Array:
    numbers = numpy.array([random.randint(-50, 50) for _ in range(size)])
    return numbers.astype(NUMPY[element])
