"""`assume=check`: one test in a kernel, both versions of what accesses matrices of which only running tells."""

from pathlib import Path
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Region

from xetile.api import parse as parse_file
from xetile.codegen import statistics
from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.passes.xe.xetile_blockop_fallback import XeTileBlockOpFallback

TILE = "!xetile.tile<16x16xf16>"
VECTOR = "vector<16x16xf16>"
LISTS = "[%h, %w], [%p, 1]"
NUMBERS = "%h: index, %w: index, %p: index"


def checked(body: str, arguments: str) -> ModuleOp:
    module = parse(
        f"gpu.module @m {{ gpu.func @k({arguments}) kernel attributes {{"
        "known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}"
        f" {{\n{body}\n gpu.return\n}} }}",
        "k.mlir",
    )
    XeTileBlockOpFallback("bmg", "check").apply(context(), module)
    module.verify()
    return module


def branches(module: ModuleOp) -> list[list[str]]:
    """The accesses in each branch of the tests."""
    tests = [op for op in module.walk() if op.name == "scf.if"]
    return [accesses(region) for op in tests for region in op.regions]


def accesses(region: Region) -> list[str]:
    words = ("load", "store", "prefetch")
    names = (op.name.removeprefix("xetile.") for op in region.walk())
    return [name for name in names if name.startswith(words)]


SUM = f"""%c0 = arith.constant 0 : index
    %t = xetile.init_tile %A[0, 0], {LISTS} : memref<?x?xf16> -> {TILE}
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : {VECTOR}
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t, %s = %zero) -> ({TILE}, {VECTOR}) {{
      %v = xetile.load_tile %a : {TILE} -> {VECTOR}
      %sum = arith.addf %v, %s : {VECTOR}
      %next = xetile.update_tile_offset %a, [0, 16] : {TILE}
      scf.yield %next, %sum : {TILE}, {VECTOR}
    }}
    %u = xetile.init_tile %B[0, 0] : memref<16x64xf16> -> {TILE}
    xetile.store_tile %r#1, %u : {VECTOR}, {TILE}"""


def test_one_test_stands_around_loop_and_stores() -> None:
    module = checked(SUM, f"%A: memref<?x?xf16>, %B: memref<16x64xf16>, {NUMBERS}")
    assert branches(module) == [["load_tile", "store_tile"], ["load_gather", "store_scatter"]]
    assert [op.name for op in module.walk()].count("scf.for") == 2


def test_what_is_proven_stays_outside() -> None:
    """The sum leaves the branches, and is stored once."""
    module = checked(
        SUM, f"%A: memref<?x?xf16>, %B: memref<16x64xf16> {{llvm.align = 64 : i64}}, {NUMBERS}"
    )
    assert branches(module) == [["load_tile"], ["load_gather"]]
    assert [op.name for op in module.walk()].count("xetile.store_tile") == 1


def test_no_test_where_all_is_proven() -> None:
    source = "memref<64x64xf16>"
    module = checked(
        f"""%t = xetile.init_tile %A[0, 0] : {source} -> {TILE}
        %v = xetile.load_tile %t : {TILE} -> {VECTOR}""",
        f"%A: {source} {{llvm.align = 128 : i64}}",
    )
    assert branches(module) == []


def test_what_never_reaches_stays_a_gather_in_both() -> None:
    module = checked(
        f"""%t = xetile.init_tile %A[0, 0] : memref<64x100xf16> -> {TILE}
        %u = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> {TILE}
        %v = xetile.load_tile %t : {TILE} -> {VECTOR}
        xetile.store_tile %v, %u : {VECTOR}, {TILE}""",
        "%A: memref<64x100xf16>, %B: memref<64x64xf16>",
    )
    assert branches(module) == [["store_tile"], ["store_scatter"]]


def test_tiles_that_begin_in_a_loop_are_tested_in_front_of_it() -> None:
    """Base, pitch and width are known there; where the tile begins does not matter."""
    module = checked(
        f"""%c0 = arith.constant 0 : index
        %c16 = arith.constant 16 : index
        scf.for %k = %c0 to %w step %c16 {{
          %t = xetile.init_tile %A[%k, 0], {LISTS} : memref<?x?xf16> -> {TILE}
          %v = xetile.load_tile %t : {TILE} -> {VECTOR}
          xetile.store_tile %v, %t : {VECTOR}, {TILE}
        }}""",
        f"%A: memref<?x?xf16>, {NUMBERS}",
    )
    assert branches(module) == [["load_tile", "store_tile"], ["load_gather", "store_scatter"]]


def test_a_matrix_that_is_known_in_a_loop_only(capsys: pytest.CaptureFixture[str]) -> None:
    """No test in front of the loop tells of it: it is gathered, and a remark says so."""
    module = checked(
        f"""%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        scf.for %i = %c0 to %h step %c1 {{
          %pitch = arith.muli %p, %i : index
          %t = xetile.init_tile %A[0, 0], [%h, %w], [%pitch, 1] : memref<?x?xf16> -> {TILE}
          %v = xetile.load_tile %t : {TILE} -> {VECTOR}
        }}""",
        f"%A: memref<?x?xf16>, {NUMBERS}",
    )
    assert branches(module) == []
    assert "xetile.load_gather" in str(module)
    assert "no test in front of them tells" in capsys.readouterr().err


BATCH = "memref<3x64x97xf32>"
WIDE = "!xetile.tile<8x16xf32>"


@pytest.mark.parametrize("offset", [0, 1])
def test_what_no_test_tells_of_is_gathered_in_both_branches(offset: int) -> None:
    """Matrix %k of the batch is known in the loop only; the test in front of the loop is of %B alone."""
    plain = "memref<16x64xf32, strided<[64, 1], offset: ?>>"
    module = checked(
        f"""%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        scf.for %k = %c0 to %c3 step %c1 {{
          %c8 = arith.constant 8 : index
          %t = xetile.init_tile %A[%k, 8, 0], [3, 64, 64], [%s, 64, 1] : {BATCH} -> {WIDE}
          %v = xetile.load_tile %t : {WIDE} -> vector<8x16xf32>
          %b = xetile.init_tile %B[0, 0] : {plain} -> {WIDE}
          %w = xetile.load_tile %b : {WIDE} -> vector<8x16xf32>
          %sum = arith.addf %v, %w : vector<8x16xf32>
          %row = arith.muli %k, %c8 : index
          %o = xetile.init_tile %O[%row, 0] : memref<24x16xf32> -> {WIDE}
          xetile.store_tile %sum, %o : vector<8x16xf32>, {WIDE}
        }}""",
        f"%A: {BATCH}, %B: {plain}, %O: memref<24x16xf32> {{llvm.align = 64 : i64}}, %s: index",
    )
    tested, fallen = branches(module)
    assert sorted(tested) == ["load_gather", "load_tile", "store_tile"]
    assert sorted(fallen) == ["load_gather", "load_gather", "store_tile"]
    batch = numpy.arange(3 * 64 * 97, dtype=numpy.float32).reshape(3, 64, 97)
    buffer = numpy.arange(16 * 64 + 16, dtype=numpy.float32)
    matrix = buffer[offset : offset + 1024].reshape(16, 64)
    found = numpy.zeros((24, 16), numpy.float32)
    step = 64 * 64 + 1
    execute(module, "k", [batch, matrix, found, step])
    flat = batch.reshape(-1)
    expected = [
        flat[k * step :][: 64 * 64].reshape(64, 64)[8:16, :16] + matrix[:8, :16]
        for k in range(3)
    ]
    assert numpy.array_equal(found, numpy.concatenate(expected))


@pytest.mark.parametrize(
    ("number", "wait", "tests"),
    [
        ("gpu.subgroup_id : index", "gpu.barrier", 0),
        ("gpu.subgroup_id : index", "", 1),
        ("gpu.block_id x", "gpu.barrier", 1),
    ],
)
def test_no_barrier_is_reached_by_some_subgroups_only(
    number: str, wait: str, tests: int, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "memref<?x16x32xf16, strided<[?, 32, 1]>>"
    module = checked(
        f"""%n = {number}
        %t = xetile.init_tile %A[%n, 0, 0], [4, 16, 32], [%p, 32, 1] : {source} -> {TILE}
        %v = xetile.load_tile %t : {TILE} -> {VECTOR}
        {wait}
        xetile.store_tile %v, %t : {VECTOR}, {TILE}""",
        f"%A: {source}, {NUMBERS}",
    )
    assert len(branches(module)) == 2 * tests
    assert ("on one way" in capsys.readouterr().err) == (tests == 0)


@pytest.mark.parametrize("width", [64, 63])
@pytest.mark.parametrize("pitch", [64, 65])
@pytest.mark.parametrize("offset", [0, 1])
def test_both_versions_compute_the_same(width: int, pitch: int, offset: int) -> None:
    strided = "memref<?x?xf16, strided<[?, 1]>>"
    body = SUM.replace("memref<?x?xf16>", strided)
    module = checked(body, f"%A: {strided}, %B: memref<16x64xf16>, {NUMBERS}")
    buffer = numpy.arange(66 * 70).astype(numpy.float16) % 11
    rows = numpy.lib.stride_tricks.as_strided(
        buffer[offset:], (40, width), (pitch * 2, 2), writeable=False
    )
    found: NDArray[Any] = numpy.zeros((16, 64), numpy.float16)
    execute(module, "k", [rows, found, 40, width, pitch])
    padded = numpy.zeros((16, 64), numpy.float16)
    padded[:, :width] = rows[:16]
    expected = sum(padded[:, 16 * k : 16 * (k + 1)] for k in range(4))
    assert numpy.array_equal(found[:, :16], expected)


COLUMNS = """%c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    scf.for %i = %c0 to %c32 step %c16 {{
      %n = {column}
      %t = xetile.init_tile %A[0, %n] : memref<16x64xf16> -> {tile}
      %v = xetile.load_tile %t : {tile} -> {vector}
      %u = xetile.init_tile %B[0, %i] : memref<16x32xf16> -> {tile}
      xetile.store_tile %v, %u : {vector}, {tile}
    }}"""
ALIGNED = "%A: memref<16x64xf16> {llvm.align = 64 : i64}, %B: memref<16x32xf16> {llvm.align = 64 : i64}"


@pytest.mark.parametrize("start", [0, 1, 2, 3])
def test_columns_are_tested(start: int, capsys: pytest.CaptureFixture[str]) -> None:
    """What a loop adds is proven; the part that is given is tested in front, without a remark."""
    body = COLUMNS.format(column="arith.addi %s, %i : index", tile=TILE, vector=VECTOR)
    module = checked(body, f"{ALIGNED}, %s: index")
    assert capsys.readouterr().err == ""
    assert branches(module) == [["load_tile", "store_tile"], ["load_gather", "store_tile"]]
    matrix = numpy.arange(16 * 64).astype(numpy.float16).reshape(16, 64)
    found = numpy.zeros((16, 32), numpy.float16)
    execute(module, "k", [matrix, found, start])
    assert numpy.array_equal(found, matrix[:, start : start + 32])


@pytest.mark.parametrize(("start", "step"), [(0, 16), (2, 16), (0, 17), (1, 16)])
@pytest.mark.parametrize("carried", [False, True], ids=["counted", "carried"])
def test_columns_that_a_loop_moves_by_a_given_step_are_tested(
    start: int, step: int, carried: bool
) -> None:
    """Both where the loop starts and its step have to be even: one test of them stands in front."""
    loop = "scf.for %i = %s to %end step %d {"
    last = ""
    if carried:
        loop = "%r = scf.for %n = %c0 to %c2 step %c1 iter_args(%i = %s) -> (index) {"
        last = "%next = arith.addi %i, %d : index\n scf.yield %next : index"
    module = checked(
        f"""%c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c16 = arith.constant 16 : index
        %both = arith.muli %d, %c2 : index
        %end = arith.addi %s, %both : index
        {loop}
          %t = xetile.init_tile %A[0, %i] : memref<16x64xf16> -> {TILE}
          %v = xetile.load_tile %t : {TILE} -> {VECTOR}
          %off = arith.subi %i, %s : index
          %round = arith.divui %off, %d : index
          %place = arith.muli %round, %c16 : index
          %u = xetile.init_tile %B[0, %place] : memref<16x32xf16> -> {TILE}
          xetile.store_tile %v, %u : {VECTOR}, {TILE}
          {last}
        }}""",
        f"{ALIGNED}, %s: index, %d: index",
    )
    assert branches(module) == [["load_tile", "store_tile"], ["load_gather", "store_tile"]]
    matrix = numpy.arange(16 * 64).astype(numpy.float16).reshape(16, 64)
    found = numpy.zeros((16, 32), numpy.float16)
    execute(module, "k", [matrix, found, start, step])
    second = start + step
    expected = [matrix[:, start : start + 16], matrix[:, second : second + 16]]
    assert numpy.array_equal(found, numpy.hstack(expected))


@pytest.mark.parametrize(
    ("column", "tests"),
    [("arith.muli %i, %s : index", 0), ("arith.xori %s, %i : index", 1)],
)
def test_columns_of_which_no_test_is_needed_or_possible(
    column: str, tests: int, capsys: pytest.CaptureFixture[str]
) -> None:
    body = COLUMNS.format(column=column, tile=TILE, vector=VECTOR)
    module = checked(body, f"{ALIGNED}, %s: index")
    assert branches(module) == []
    assert ("xetile.load_gather" in str(module)) == bool(tests)
    assert (
        "the column offset of this tile is computed between" in capsys.readouterr().err
    ) == bool(tests)


@pytest.mark.ocloc
def test_the_fast_loop_stays_fast() -> None:
    """One test in front of it costs its registers nothing: as many loads and products, and no spill."""
    source = Path(__file__).parents[5] / "examples/gemm_f16_plain.mlir"
    (counts,) = statistics(parse_file(source), "bmg", assume="check").values()
    assert (counts["load2d"], counts["dpas"]) == (3, 32)
    assert counts["total"] <= 39
    assert counts["spill_size"] == 0
