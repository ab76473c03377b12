"""The test that the kernel makes: it holds where the table of surfaces has nothing against the matrix, and only there."""

import itertools
from typing import Any

import numpy
import pytest
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.rewriter import Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from xetile.dialects.modules import context, parse
from xetile.dialects.upstream import arith
from xetile.interpreter import execute
from xetile.passes.xe.xetile_blockop_fallback import XeTileBlockOpFallback
from xetile.targets.xe.surface import SURFACE

BYTES = 2
ROW, COLUMN = "", ", #xetile.tile_attr<order = [0, 1]>"


def condition(init: str, arguments: str, order: str = ROW, before: str = "") -> ModuleOp:
    """A kernel that tests, stores the answer to its first argument, and does nothing else."""
    tile, vector = f"!xetile.tile<16x16xf16{order}>", "vector<16x16xf16>"
    module = parse(
        f"""gpu.module @m {{ gpu.func @k(%flag: memref<1xi1>, {arguments}) kernel attributes {{
            known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
          {before}
          %t = {init} -> {tile}
          %v = xetile.load_tile %t : {tile} -> {vector}
          xetile.store_tile %v, %t : {vector}, {tile}
          gpu.return
        }} }}""",
        "k.mlir",
    )
    XeTileBlockOpFallback("bmg", "check").apply(context(), module)
    (test,) = [op for op in module.walk() if isinstance(op, scf.IfOp)]
    (flag, *_) = (
        next(op for op in module.walk() if op.name == "gpu.func").regions[0].block.args
    )
    zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
    answer = memref.StoreOp.get(test.cond, flag, [zero.results[0]])
    Rewriter.replace_op(test, [zero, answer], [])
    region_dce(module.body)
    return module


def holds(module: ModuleOp, *given: Any) -> bool:
    flag = numpy.zeros(1, numpy.bool_)
    execute(module, "k", [flag, *given])
    return bool(flag[0])


MOST = SURFACE.most
NUMBERS = "%h: index, %w: index, %p: index"
LISTS = "[%h, %w], [%p, 1] : memref<?x?xf16>"
HEIGHTS = (0, 1, MOST, MOST + 1)
WIDTHS = (30, 32, 33, 34, MOST // BYTES, MOST // BYTES + 2)
PITCHES = (24, 32, 36, 40, MOST // BYTES, MOST // BYTES + 8)


def test_heights_widths_and_pitches() -> None:
    module = condition(
        f"xetile.init_tile %A[0, 0], {LISTS}", f"%A: memref<?x?xf16>, {NUMBERS}"
    )
    matrix = numpy.zeros((1, 1), numpy.float16)
    seen = set[bool]()
    for height, width, pitch in itertools.product(HEIGHTS, WIDTHS, PITCHES):
        problem = SURFACE.problem(width=width * BYTES, height=height, pitch=pitch * BYTES)
        found = holds(module, matrix, height, width, pitch)
        assert found == (problem is None), (height, width, pitch, problem)
        seen.add(found)
    assert seen == {False, True}


def test_a_column_major_matrix_has_its_columns_in_rows() -> None:
    module = condition(
        "xetile.init_tile %A[0, 0], [%w, %h], [1, %p] : memref<?x?xf16, strided<[1, ?]>>",
        f"%A: memref<?x?xf16, strided<[1, ?]>>, {NUMBERS}",
        COLUMN,
    )
    matrix = numpy.zeros((1, 1), numpy.float16, order="F")
    for height, width, pitch in (
        (40, 32, 32),
        (40, 31, 32),
        (0, 32, 32),
        (1, 32, 40),
        (1, 40, 32),
    ):
        problem = SURFACE.problem(width=width * BYTES, height=height, pitch=pitch * BYTES)
        assert holds(module, matrix, height, width, pitch) == (problem is None)


@pytest.mark.parametrize(
    ("known", "width", "pitch"), [("width", "64", "%p"), ("pitch", "%w", "64")]
)
def test_a_width_is_compared_with_a_pitch_where_one_is_known(
    known: str, width: str, pitch: str
) -> None:
    lists = f"[16, {width}], [{pitch}, 1]"
    module = condition(
        f"xetile.init_tile %A[0, 0], {lists} : memref<?x?xf16>",
        f"%A: memref<?x?xf16>, {NUMBERS}",
    )
    matrix = numpy.zeros((1, 1), numpy.float16)
    for other in (48, 56, 64, 72, 80):
        w, p = (64, other) if known == "width" else (other, 64)
        problem = SURFACE.problem(width=w * BYTES, pitch=p * BYTES)
        assert holds(module, matrix, 16, w, p) == (problem is None), other


@pytest.mark.parametrize("batch", [0, 1, 2, 3])
def test_a_matrix_of_a_batch_starts_at_a_legal_base(batch: int) -> None:
    """A stride of the batch that is no multiple of 64 bytes: matrix 0 can be reached, and another by its number."""
    source = "memref<?x?x?xf16, strided<[?, ?, 1]>>"
    module = condition(
        f"xetile.init_tile %A[%n, 0, 0], [4, %h, %w], [%s, %p, 1] : {source}",
        f"%A: {source}, {NUMBERS}, %s: index, %n: index",
    )
    matrix = numpy.zeros((1, 1, 1), numpy.float16)
    for stride in (1024, 1025, 1032, 1040):
        problem = SURFACE.problem(base=batch * stride * BYTES)
        assert holds(module, matrix, 16, 32, 32, stride, batch) == (problem is None)


def test_the_offset_of_a_view_is_part_of_the_base() -> None:
    source, view = "memref<2048xf16>", "memref<16x64xf16, strided<[64, 1], offset: ?>>"
    cast = (
        "%V = memref.reinterpret_cast %A to offset: [%o], sizes: [16, 64], strides: [64, 1]"
        f" : {source} to {view}"
    )
    module = condition(
        f"xetile.init_tile %V[0, 0] : {view}", f"%A: {source}, %o: index", before=cast
    )
    for offset in (0, 1, 16, 31, 32, 64):
        wanted = SURFACE.problem(base=offset * BYTES) is None
        assert holds(module, numpy.zeros(2048, numpy.float16), offset) == wanted, offset


@pytest.mark.parametrize("known", [0, 32])
def test_an_offset_that_the_type_says(known: int) -> None:
    source = f"memref<16x?xf16, strided<[?, 1], offset: {known}>>"
    module = condition(
        f"xetile.init_tile %A[0, 0], [16, %w], [%p, 1] : {source}",
        f"%A: {source}, %w: index, %p: index",
    )
    buffer = numpy.zeros(64 * 20, numpy.float16)
    matrix = buffer[known:][: 16 * 64].reshape(16, 64)
    assert holds(module, matrix, 64, 64) == (SURFACE.problem(base=known * BYTES) is None)
