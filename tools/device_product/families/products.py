"""GEMM: every product of the device tables, sizes that divide and that do not, tiles, sources of all forms, hints."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy

from tools.device_product.case import Array, Case, Given, Program
from tools.device_product.families.numbers import DTYPES
from xetile.api import text
from xetile.kernels import gemm_module
from xetile.targets.xe.dpas import FLOAT_8_PRODUCTS, PRODUCTS, Products

SIZES = {"dividing": (64, 64, 128), "ragged": (56, 80, 144)}
RESULTS = (
    ("f16", "f32", ("f16", "bf16")),
    ("bf16", "f32", ("bf16", "f16")),
    ("f16", "f16", ("f32",)),
    ("tf32", "f32", ("f16",)),
    ("i8", "i32", ("i8", "i16", "i64", "f32", "f16")),
)
"""Results that are converted from the accumulator."""
TILES = (
    # workgroup's tile, subgroup's tile, K step
    *(((rows, 32), (rows, 32), 32) for rows in (8, 12, 16, 24, 40, 64)),
    *(((16, columns), (8, columns), 32) for columns in (16, 48, 80, 128)),
    ((32, 64), (16, 32), 16),
    ((32, 64), (16, 32), 64),
    ((64, 64), (32, 16), 96),
    ((96, 96), (32, 96), 16),
    ((128, 128), (32, 64), 32),
    ((1, 64), (1, 64), 32),
)
PREFETCHES = (None, 1, 3)


class Gemm(NamedTuple):
    """What `gemm` takes."""

    size: tuple[int, int, int]
    a: str
    b: str
    accumulator: str
    c: str
    workgroup_tile: tuple[int, int] = (32, 64)
    subgroup_tile: tuple[int, int] = (16, 32)
    k_step: int = 32
    prefetch: int | None = None


def cases() -> list[Case]:
    """One case per kernel; its name says what is special."""
    return [Case(f"gemm {name}", partial(_program, wanted)) for name, wanted in _wanted()]


def _wanted() -> Iterator[tuple[str, Gemm]]:
    for a, b, accumulator in _products((*PRODUCTS, *FLOAT_8_PRODUCTS)):
        for name, size in SIZES.items():
            yield (
                f"{a} {b} {accumulator} {name}",
                Gemm(size, a, b, accumulator, accumulator, k_step=32),
            )
    for t in ("f32", "f64"):
        yield f"{t} {t} {t}", Gemm(SIZES["dividing"], t, t, t, t)
    for a, accumulator, results in RESULTS:
        for c in results:
            yield f"{a} to {c} by {accumulator}", Gemm(SIZES["ragged"], a, a, accumulator, c)
    for a, accumulator in (("f16", "f32"), ("i8", "i32"), ("tf32", "f32")):
        for workgroup_tile, subgroup_tile, k_step in TILES if a == "f16" else TILES[::4]:
            size = (workgroup_tile[0] + 8, workgroup_tile[1] + 32, 2 * k_step + 64)
            tiles = f"{_times(workgroup_tile)} {_times(subgroup_tile)} {k_step}"
            yield (
                f"{a} tiles {tiles}",
                Gemm(
                    size, a, a, accumulator, accumulator, workgroup_tile, subgroup_tile, k_step
                ),
            )
        for ahead in PREFETCHES:
            wanted = Gemm((72, 96, 160), a, a, accumulator, accumulator, prefetch=ahead)
            yield f"{a} prefetch {ahead}", wanted


def _times(tile: tuple[int, int]) -> str:
    return f"{tile[0]}x{tile[1]}"


def _products(table: Products) -> Iterator[tuple[str, str, str]]:
    for operands, accumulators in table:
        for a, b, accumulator in product(operands, operands, accumulators):
            if accumulator != "si32":
                yield a, b, accumulator


def _program(wanted: Gemm, parts: Sequence[str]) -> Program:
    m, n, k = wanted.size
    module = gemm_module(
        m=m,
        n=n,
        k=k,
        a=wanted.a,
        b=wanted.b,
        accumulator=wanted.accumulator,
        c=wanted.c,
        workgroup_tile=wanted.workgroup_tile,
        subgroup_tile=wanted.subgroup_tile,
        k_step=wanted.k_step,
        prefetch=wanted.prefetch,
    )
    arrays = [matrix((m, k), wanted.a, 0), matrix((k, n), wanted.b, 1)]
    c = numpy.full((m, n), 77, DTYPES[wanted.c])
    return Program(text(module), [*arrays, c], "gemm")


def matrix(shape: Sequence[int], type: str, seed: int) -> Array:
    """Normally distributed numbers; integers of the whole range."""
    random = numpy.random.default_rng([seed, *shape])
    if "i" in type:
        info = numpy.iinfo(DTYPES[type].name)
        return random.integers(info.min, info.max, shape, endpoint=True).astype(DTYPES[type])
    return random.standard_normal(shape).astype(DTYPES[type])


HEAD = """
!ta = !xetile.tile<16x32xf16>
!tb = !xetile.tile<32x32xf16>
!tc = !xetile.tile<16x32xf32>
gpu.module @m { gpu.func @k(PARAMETERS) kernel attributes {known_block_size = array<i32: 16, 1, 1>,
    known_grid_size = array<i32: GRID>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %bx = gpu.block_id x
  %by = gpu.block_id y
  %bz = gpu.block_id z
  %i = arith.muli %bx, %c16 : index
  %j = arith.muli %by, %c32 : index
  %K = arith.constant DEPTH : index
  BEFORE
  %ta = xetile.init_tile A -> !ta
  %tb = xetile.init_tile B -> !tb
  %tc = xetile.init_tile C -> !tc
  %zero = xetile.load_tile %tc : !tc -> vector<16x32xf32>
  %r:3 = scf.for %k = %c0 to %K step %c32 iter_args(%u = %ta, %w = %tb, %acc = %zero) -> (!ta, !tb, vector<16x32xf32>) {
    %a = xetile.load_tile %u : !ta -> vector<16x32xf16>
    %b = xetile.load_tile %w : !tb -> vector<32x32xf16>
    %d = xetile.tile_mma %a, %b, %acc : vector<16x32xf16>, vector<32x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
    %un = xetile.update_tile_offset %u, [0, 32] : !ta
    %wn = xetile.update_tile_offset %w, [32, 0] : !tb
    scf.yield %un, %wn, %d : !ta, !tb, vector<16x32xf32>
  }
  xetile.store_tile %r#2, %tc : vector<16x32xf32>, !tc
  gpu.return
} }
"""
"""A product that adds to C, whose matrices come in the form that is put in."""


class Source(NamedTuple):
    """How a matrix is given: its type, what init_tile says of it, ops before; more columns than it has, in memory."""

    type: str
    tile: str = "%{name}[{top}, {left}] : {type}"
    before: str = ""
    spare: int = 0


_EXTENTS = (
    "%{name}[{top}, {left}], [%rows_{name}, %columns_{name}], [%columns_{name}, 1] : {type}"
)
_LOWER = "memref<{rows}x{columns}x{element}, strided<[{columns}, 1], offset: {start}>>"
SOURCES = {
    "static": Source("memref<{rows}x{columns}x{element}>"),
    "dynamic": Source("memref<?x?x{element}>", _EXTENTS),
    "dynamic rows": Source("memref<?x{columns}x{element}>", _EXTENTS),
    "dynamic pitched": Source(
        "memref<?x?x{element}, strided<[?, 1]>>",
        _EXTENTS.replace("[%columns_{name}, 1]", "[{pitch}, 1]"),
        spare=32,
    ),
    "pitched": Source("memref<{rows}x{columns}x{element}, strided<[{pitch}, 1]>>", spare=32),
    "offset": Source(
        "memref<{rows}x{columns}x{element}, strided<[{pitch}, 1], offset: 64>>", spare=32
    ),
    "batch": Source(
        "memref<3x{rows}x{columns}x{element}>", "%{name}[%bz, {top}, {left}] : {type}"
    ),
    "address": Source("i64", _EXTENTS),
    "subview": Source(
        "memref<{whole}x{columns}x{element}>",
        "%v{name}[{top}, {left}] : " + _LOWER,
        "%v{name} = memref.subview %{name}[8, 0] [{rows}, {columns}] [1, 1] : {type} to "
        + _LOWER,
    ),
}
SKIPPED = 8
"""Rows before a subview."""


def source_cases() -> list[Case]:
    """A case for each form of the matrices, at sizes that divide and that do not."""
    return [
        Case(f"gemm of {form} matrices, {name}", partial(_of_source, form, size))
        for form in SOURCES
        for name, size in (("dividing", (32, 64, 64)), ("ragged", (40, 72, 88)))
    ]


def _of_source(form: str, size: tuple[int, int, int], parts: Sequence[str]) -> Program:
    m, n, k = size
    source, body = SOURCES[form], HEAD
    matrices = {
        "A": (m, k, "f16", "%i", "0"),
        "B": (k, n, "f16", "0", "%j"),
        "C": (m, n, "f32", "%i", "%j"),
    }
    parameters: list[str] = []
    before: list[str] = []
    arrays: list[Given] = []
    for name, (rows, columns, element, top, left) in matrices.items():
        words = {
            **{"name": name, "element": element, "top": top, "left": left, "rows": rows},
            **{"columns": columns, "pitch": columns + source.spare, "whole": rows + SKIPPED},
            "start": SKIPPED * columns,
        }
        words["type"] = source.type.format(**words)
        parameters.append(f"%{name}: {words['type']}")
        before += [
            f"%rows_{name} = arith.constant {rows} : index",
            f"%columns_{name} = arith.constant {columns} : index",
            source.before.format(**words),
        ]
        body = body.replace(f"init_tile {name} ", f"init_tile {source.tile.format(**words)} ")
        high = rows + (SKIPPED if form == "subview" else 0)
        shape = (*((3,) if form == "batch" else ()), high, columns + source.spare)
        arrays.append(matrix(shape, element, len(arrays))[..., :columns])
    grid = f"{-(-m // 16)}, {-(-n // 32)}, {3 if form == 'batch' else 1}"
    body = body.replace("PARAMETERS", ", ".join(parameters)).replace("GRID", grid)
    body = body.replace("DEPTH", str(k)).replace("BEFORE", "\n  ".join(before))
    return Program(body, arrays, "k")
