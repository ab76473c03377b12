"""Ops of the vector dialect that take parts of what several subgroups hold: numpy's results, at every level."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.spread import spread
from support.workgroup import Map, kernel, load, store

from xetile.api import lower
from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.levels import LevelName
from xetile.passes.xe.convert_xetile_to_xegpu import ConvertXeTileToXeGPU

Array = NDArray[Any]
SHAPE = (32, 32)
V = "vector<32x32xf32>"
LEVELS: tuple[LevelName, ...] = ("workgroup", "subgroup", "blocked", "xegpu", "xevm")
GRIDS = ((2, 2), (4, 1), (1, 4), (1, 1))


@dataclass(frozen=True)
class Case:
    """Ops that make `%r` of `%v`, the type of `%r`, and what numpy says of it."""

    body: str
    result: tuple[int, int]
    wanted: Callable[[Array], Array]


def inserted(into: Array, part: Array, row: int, column: int) -> Array:
    copy = into.copy()
    copy[row : row + part.shape[0], column : column + part.shape[1]] = part
    return copy


SLICE = (
    "vector.extract_strided_slice %v {offsets = [3, 8], sizes = [16, 16], strides = [1, 1]}"
    f" : {V} to vector<16x16xf32>"
)
ROWS = (
    "vector.extract_strided_slice %v {offsets = [5], sizes = [8], strides = [1]}"
    f" : {V} to vector<8x32xf32>"
)
CASES: dict[str, Case] = {
    "slice": Case(f"%r = {SLICE}", (16, 16), lambda a: a[3:19, 8:24]),
    "slice of rows": Case(f"%r = {ROWS}", (8, 32), lambda a: a[5:13]),
    "insert": Case(
        f"""%s = {SLICE}
        %r = vector.insert_strided_slice %s, %v {{offsets = [1, 2], strides = [1, 1]}} : vector<16x16xf32> into {V}""",
        SHAPE,
        lambda a: inserted(a, a[3:19, 8:24], 1, 2),
    ),
    "insert a line": Case(
        f"""%zero = arith.constant dense<0.0> : vector<16xf32>
        %r = vector.insert_strided_slice %zero, %v {{offsets = [9, 4], strides = [1]}} : vector<16xf32> into {V}""",
        SHAPE,
        lambda a: inserted(a, numpy.zeros((1, 16), a.dtype), 9, 4),
    ),
    "longer rows": Case(
        f"%r = vector.shape_cast %v : {V} to vector<16x64xf32>",
        (16, 64),
        lambda a: a.reshape(16, 64),
    ),
    "shorter rows": Case(
        f"%r = vector.shape_cast %v : {V} to vector<128x8xf32>",
        (128, 8),
        lambda a: a.reshape(128, 8),
    ),
    "a line and back": Case(
        f"""%line = vector.shape_cast %v : {V} to vector<1024xf32>
        %r = vector.shape_cast %line : vector<1024xf32> to {V}""",
        SHAPE,
        lambda a: a,
    ),
    "bits": Case(
        f"""%b = vector.bitcast %v : {V} to vector<32x32xi32>
        %one = arith.constant dense<-2147483648> : vector<32x32xi32>
        %n = arith.xori %b, %one : vector<32x32xi32>
        %r = vector.bitcast %n : vector<32x32xi32> to {V}""",
        SHAPE,
        lambda a: -a,
    ),
    "narrower elements": Case(
        f"""%b = vector.bitcast %v : {V} to vector<32x64xi16>
        %r = vector.bitcast %b : vector<32x64xi16> to {V}""",
        SHAPE,
        lambda a: a,
    ),
    "a computed start": Case(
        f"""%zero = arith.constant dense<0.0> : vector<32xf32>
        %m = vector.multi_reduction <maxnumf>, %v, %zero [1] : {V} to vector<32xf32>
        %s = vector.multi_reduction <add>, %v, %m [1] : {V} to vector<32xf32>
        %r = vector.shape_cast %s : vector<32xf32> to vector<32x1xf32>""",
        (32, 1),
        lambda a: (numpy.maximum(a.max(1), 0) + a.sum(1)).reshape(32, 1),
    ),
    "groups of columns": Case(
        f"%r = xetile.tile_reduce <add>, %v [1] {{reduction_size = 8}} : {V} -> vector<32x4xf32>",
        (32, 4),
        lambda a: a.reshape(32, 4, 8).sum(2),
    ),
    "groups of rows": Case(
        f"%r = xetile.reduction <maximumf> %v [0] {{reduction_size = 4 : i64}} : {V} -> vector<8x32xf32>",
        (8, 32),
        lambda a: a.reshape(8, 4, 32).max(1),
    ),
    "groups of one": Case(
        f"%r = xetile.tile_reduce <mul>, %v [1] {{reduction_size = 1}} : {V} -> {V}",
        SHAPE,
        lambda a: a,
    ),
    "one group": Case(
        f"%r = xetile.tile_reduce <add>, %v [0] {{reduction_size = 32}} : {V} -> vector<1x32xf32>",
        (1, 32),
        lambda a: a.sum(0, keepdims=True),
    ),
}


def dealt_out(shape: tuple[int, int], grid: tuple[int, int]) -> Map:
    rows, columns = (max(1, n // g) for n, g in zip(shape, grid, strict=True))
    return grid, (rows, columns)


def text_of(case: Case, grid: tuple[int, int]) -> str:
    result = f"memref<{case.result[0]}x{case.result[1]}xf32>"
    taken, made = dealt_out(SHAPE, grid), dealt_out(case.result, grid)
    return kernel(
        ["%A: memref<32x32xf32>", f"%B: {result}"],
        grid[0] * grid[1],
        load("v", "A", "memref<32x32xf32>", SHAPE, "f32", taken)
        + case.body
        + store("r", "B", result, case.result, "f32", made),
    )


def matrix() -> Array:
    """Whole numbers, whose sums are exact."""
    return (numpy.arange(1024) % 37 - 11).reshape(SHAPE).astype(numpy.float32)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, grid", spread(list(CASES), GRIDS), ids=str)
def test_every_level_agrees_with_numpy(name: str, grid: tuple[int, int]) -> None:
    case, a = CASES[name], matrix()
    module = parse(text_of(case, grid), "k.mlir")
    for level in LEVELS:
        lowered = module if level == "workgroup" else lower(module, to=level, device="bmg")
        found = numpy.full(case.result, -99, numpy.float32)
        execute(lowered, "k", [a, found], sanitize=True)
        assert (found == case.wanted(a)).all(), level


@pytest.mark.parametrize("dimension", [0, 1])
def test_one_subgroup_reduces_groups(dimension: int) -> None:
    """A kernel at subgroup level, where no pass deals anything out."""
    shape = (4, 32) if dimension == 0 else (32, 4)
    small = f"{shape[0]}x{shape[1]}xf32"
    text = f"""gpu.module @m {{ gpu.func @k(%A: memref<32x32xf32>, %B: memref<{small}>) kernel attributes {{
        known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
      %t = xetile.init_tile %A[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32>
      %v = xetile.load_tile %t : !xetile.tile<32x32xf32> -> {V}
      %r = xetile.tile_reduce <add>, %v [{dimension}] {{reduction_size = 8}} : {V} -> vector<{small}>
      %u = xetile.init_tile %B[0, 0] : memref<{small}> -> !xetile.tile<{small}>
      xetile.store_tile %r, %u : vector<{small}>, !xetile.tile<{small}>
      gpu.return
    }} }}"""
    module, a = parse(text, "k.mlir"), matrix()
    extents = (4, 8, 32) if dimension == 0 else (32, 4, 8)
    for level in LEVELS[1:]:
        lowered = module if level == "subgroup" else lower(module, to=level, device="pvc")
        found = numpy.zeros(shape, numpy.float32)
        execute(lowered, "k", [a, found])
        assert (found == a.reshape(extents).sum(1 + dimension)).all(), level


WHOLE: Map = ((2, 2), (32, 32))


@pytest.mark.parametrize("name", CASES)
def test_vectors_that_every_subgroup_holds_whole(name: str) -> None:
    """Nothing goes through shared memory."""
    case, a = CASES[name], matrix()
    result = f"memref<{case.result[0]}x{case.result[1]}xf32>"
    text = kernel(
        ["%A: memref<32x32xf32>", f"%B: {result}"],
        4,
        load("v", "A", "memref<32x32xf32>", SHAPE, "f32", WHOLE)
        + case.body
        + store("r", "B", result, case.result, "f32", ((2, 2), case.result)),
    )
    lowered = lower(parse(text, "k.mlir"), to="subgroup", device="bmg")
    assert "gpu.barrier" not in str(lowered)
    found = numpy.full(case.result, -99, numpy.float32)
    execute(lowered, "k", [a, found])
    assert (found == case.wanted(a)).all()


def test_what_is_larger_than_shared_memory_is_refused() -> None:
    body = (
        "%r = vector.extract_strided_slice %v {offsets = [3, 5], sizes = [128, 128], strides = [1, 1]}"
        " : vector<256x256xf32> to vector<128x128xf32>"
    )
    text = kernel(
        ["%A: memref<256x256xf32>", "%B: memref<128x128xf32>"],
        4,
        load("v", "A", "memref<256x256xf32>", (256, 256), "f32", ((2, 2), (128, 128)))
        + body
        + store("r", "B", "memref<128x128xf32>", (128, 128), "f32", ((2, 2), (64, 64))),
    )
    message = (
        "takes parts of several units of a vector<256x256xf32>, whose 262144 bytes are more"
    )
    with pytest.raises(XetileError, match=message):
        lower(parse(text, "k.mlir"), to="subgroup", device="bmg")


@pytest.mark.parametrize("level", ["workgroup", "subgroup"])
def test_a_race_behind_a_reduction_of_groups_is_seen(level: LevelName) -> None:
    """Who stores the groups is the same at both levels: the subgroups that hold their columns."""
    rows: Map = ((2, 2), (32, 16))
    other: Map = ((2, 2), (1, 16))
    of = "memref<4x32xf32>"
    text = kernel(
        ["%A: memref<32x32xf32>", f"%C: {of}", f"%B: {of}"],
        4,
        load("v", "A", "memref<32x32xf32>", SHAPE, "f32", rows)
        + f"""%r = xetile.tile_reduce <add>, %v [0] {{reduction_size = 8}} : {V} -> vector<4x32xf32>
        %u = xetile.init_tile %C[0, 0] : {of} -> !xetile.tile<4x32xf32>
        xetile.store_tile %r, %u : vector<4x32xf32>, !xetile.tile<4x32xf32>"""
        + load("x", "C", of, (4, 32), "f32", other)
        + store("x", "B", of, (4, 32), "f32", other),
    )
    module = parse(text, "k.mlir")
    lowered = module if level == "workgroup" else lower(module, to=level, device="bmg")
    zeros = [numpy.zeros((4, 32), numpy.float32) for _ in range(2)]
    with pytest.raises(XetileError, match=r"reads element \[1, 0\]"):
        execute(lowered, "k", [matrix(), *zeros], sanitize=True)


def test_groups_are_refused_where_blocking_was_left_out() -> None:
    text = """gpu.module @m { gpu.func @k(%B: memref<32x4xf32>) kernel attributes {
        known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
      %v = arith.constant dense<1.0> : vector<32x32xf32>
      %r = xetile.tile_reduce <add>, %v [1] {reduction_size = 8} : vector<32x32xf32> -> vector<32x4xf32>
      gpu.return
    } }"""
    with pytest.raises(XetileError, match="not in blocks, run xetile-blocking first"):
        ConvertXeTileToXeGPU("bmg").apply(context(), parse(text, "k.mlir"))
