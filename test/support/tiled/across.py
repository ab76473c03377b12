"""Kernels in which subgroups and workgroups work on the same elements: exchanges, shared memory, gathers, atomics."""

from collections.abc import Sequence

import numpy
from support.subgroup import NUMPY
from support.tiled.case import Array, Case, filled
from support.tiled.epilogues import numbers
from support.tiled.rows import Dimension, layer_norm, reduced_maps, softmax
from support.workgroup import Map, tile, wg_map

SUBGROUPS = 4
ROWS: Map = ((SUBGROUPS, 1), (16, 64))
QUARTERS: Map = ((2, 2), (32, 32))


def _integers(shape: Sequence[int], least: int, most: int, type: str, seed: int) -> Array:
    random = numpy.random.default_rng([seed, *shape])
    return random.integers(least, most, shape).astype(NUMPY[type])


PRODUCT = """
    %a_tile = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> $AT
    %b_tile = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> $BT
    %a = xetile.load_tile %a_tile : $AT -> $H
    %b = xetile.load_tile %b_tile : $BT -> $H
    %product = xetile.tile_mma %a, %b : $H, $H -> $F"""


def _product_values() -> dict[str, str]:
    return {
        "AT": tile((64, 64), "f16", ((2, 2), (32, 64))),
        "BT": tile((64, 64), "f16", ((2, 2), (64, 32))),
        "H": "vector<64x64xf16>",
        "F": "vector<64x64xf32>",
    }


def transposed(type: str, map: Map) -> Case:
    """(A * B)^T, where other subgroups hold what one stores."""
    a, b = numbers((64, 64), "f16", 0), numbers((64, 64), "f16", 1)
    values = {
        **_product_values(),
        "ROUND": "" if type == "f32" else "%rounded = arith.truncf %product : $F to $R",
        "IN": "%product" if type == "f32" else "%rounded",
        "MOVE": ""
        if map == QUARTERS
        else f"%moved = xetile.tile_conv_layout %turned {{wg_map_result = {wg_map(map)}}} : $R",
        "OUT": "%turned" if map == QUARTERS else "%moved",
        "R": f"vector<64x64x{type}>",
        "CT": tile((64, 64), type, map),
        "C": f"memref<64x64x{type}>",
    }
    body = f"""{PRODUCT}
    $ROUND
    %turned = xetile.tile_transpose $IN, [1, 0] : $R -> $R
    $MOVE
    %c_tile = xetile.init_tile %C[0, 0] : $C -> $CT
    xetile.store_tile $OUT, %c_tile : $R, $CT"""
    rows = map[1][0]
    return Case(
        f"transposed_{type}_in_rows_of_{rows}",
        ["%A: memref<64x64xf16>", "%B: memref<64x64xf16>", filled("%C: $C", values)],
        filled(body, values),
        (a, b, numpy.full((64, 64), 7, NUMPY[type])),
        {2: (a.astype(float) @ b.astype(float)).T},
        1e-3,
        SUBGROUPS,
    )


def sums(along: int) -> Case:
    """The sums of a product's rows or columns, of which four subgroups, or two, have parts; added to each element."""
    a, b = numbers((64, 64), "f16", 0), numbers((64, 64), "f16", 1)
    line = "64x1" if along == 1 else "1x64"
    values = {
        **_product_values(),
        "D": str(along),
        "MAPS": reduced_maps(QUARTERS, along),
        "L": f"vector<{line}xf32>",
        "CT": tile((64, 64), "f32", QUARTERS),
    }
    body = f"""{PRODUCT}
    %line = xetile.tile_reduce <add>, %product [$D]$MAPS : $F -> $L
    %sums = xetile.tile_broadcast %line [$D] : $L -> $F
    %total = arith.addf %product, %sums : $F
    %c_tile = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> $CT
    xetile.store_tile %total, %c_tile : $F, $CT"""
    exact = a.astype(float) @ b.astype(float)
    return Case(
        f"sums_along_{along}",
        ["%A: memref<64x64xf16>", "%B: memref<64x64xf16>", "%C: memref<64x64xf32>"],
        filled(body, values),
        (a, b, numpy.full((64, 64), 7, numpy.float32)),
        {2: exact + exact.sum(axis=along, keepdims=True)},
        1e-5,
        SUBGROUPS,
        reorders=True,
    )


def split_k(type: str) -> Case:
    """A * B where each of four workgroups has a part of K, added up by atomics."""
    of = {"f16": "f32", "i8": "i32"}[type]
    if type == "i8":
        a, b = (_integers(shape, -128, 128, type, 1) for shape in ((64, 256), (256, 64)))
        expected = a.astype(numpy.int32) @ b.astype(numpy.int32)
    else:
        a, b = numbers((64, 256), type, 0), numbers((256, 64), type, 1)
        expected = a.astype(float) @ b.astype(float)
    values = {
        "AT": tile((64, 64), type, ((2, 2), (32, 64))),
        "BT": tile((64, 64), type, ((2, 2), (64, 32))),
        "CT": tile((64, 64), of, QUARTERS),
        "V": f"vector<64x64x{type}>",
        "R": f"vector<64x64x{of}>",
        "A": f"memref<64x256x{type}>",
        "B": f"memref<256x64x{type}>",
        "C": f"memref<64x64x{of}>",
        "KIND": "addf" if of == "f32" else "addi",
    }
    body = """
    %part = gpu.block_id x
    %c64 = arith.constant 64 : index
    %k = arith.muli %part, %c64 : index
    %a_tile = xetile.init_tile %A[0, %k] : $A -> $AT
    %b_tile = xetile.init_tile %B[%k, 0] : $B -> $BT
    %a = xetile.load_tile %a_tile : $AT -> $V
    %b = xetile.load_tile %b_tile : $BT -> $V
    %product = xetile.tile_mma %a, %b : $V, $V -> $R
    %c_tile = xetile.init_tile %C[0, 0] : $C -> $CT
    %before = xetile.atomic_rmw_tile <$KIND> %product, %c_tile : $R, $CT -> $R"""
    return Case(
        f"split_k_{type}",
        [filled(parameter, values) for parameter in ("%A: $A", "%B: $B", "%C: $C")],
        filled(body, values),
        (a, b, numpy.zeros((64, 64), NUMPY[of])),
        {2: expected},
        1e-5 if of == "f32" else 0.0,
        SUBGROUPS,
        4,
        reorders=of == "f32",
    )


def histogram() -> Case:
    """How often each of 256 numbers stands in a matrix: counted in shared memory, and added to global memory."""
    numbers_ = _integers((128, 64), 0, 256, "i32", 3)
    rows: Map = ((SUBGROUPS, 1), (4, 16))
    values = {
        "VT": tile((64, 64), "i32", ROWS),
        "V": "vector<64x64xi32>",
        "I": "vector<64x64xindex>",
        "COUNTS": "memref<16x16xi32, 3>",
        "FLAT": "memref<256xi32, 3>",
        "PART": tile((16, 16), "i32", rows, "memory_space = 3"),
        "TOTAL": tile((16, 16), "i32", rows),
        "P": "vector<16x16xi32>",
        "PLACES": tile((64, 64), "i32", ROWS, "memory_space = 3, scattered = true"),
        "M": wg_map(rows),
        "MV": wg_map(ROWS),
    }
    body = """
    %zeros = arith.constant {wg_map = $M} dense<0> : $P
    %part = xetile.init_tile %counts[0, 0] : $COUNTS -> $PART
    xetile.store_tile %zeros, %part : $P, $PART
    gpu.barrier
    %slab = gpu.block_id x
    %c64 = arith.constant 64 : index
    %row = arith.muli %slab, %c64 : index
    %values_tile = xetile.init_tile %X[%row, 0] : memref<128x64xi32> -> $VT
    %values = xetile.load_tile %values_tile : $VT -> $V
    %places = arith.index_cast %values : $V to $I
    %flat = memref.collapse_shape %counts [[0, 1]] : $COUNTS into $FLAT
    %counters = xetile.init_tile %flat, %places : $FLAT, $I -> $PLACES
    %ones = arith.constant {wg_map = $MV} dense<1> : $V
    %before = xetile.atomic_rmw_tile <addi> %ones, %counters : $V, $PLACES -> $V
    gpu.barrier
    %found = xetile.load_tile %part : $PART -> $P
    %total = xetile.init_tile %H[0, 0] : memref<16x16xi32> -> $TOTAL
    %others = xetile.atomic_rmw_tile <addi> %found, %total : $P, $TOTAL -> $P"""
    expected = numpy.bincount(numbers_.reshape(-1), minlength=256).reshape(16, 16)
    return Case(
        "histogram",
        ["%X: memref<128x64xi32>", "%H: memref<16x16xi32>"],
        filled(body, values),
        (numbers_, numpy.zeros((16, 16), numpy.int32)),
        {1: expected.astype(numpy.int32)},
        0.0,
        SUBGROUPS,
        2,
        workgroup=(filled("%counts: $COUNTS", values),),
    )


def _row_places() -> str:
    """The places of 64 rows of a table, and a mask of those whose number is not negative."""
    return """
    %numbers_tile = xetile.init_tile %I[0, 0] : memref<64x1xi32> -> $NT
    %numbers = xetile.load_tile %numbers_tile : $NT -> vector<64x1xi32>
    %indices = arith.index_cast %numbers : vector<64x1xi32> to vector<64x1xindex>
    %length = arith.constant dense<64> : vector<64x1xindex>
    %starts = arith.muli %indices, %length : vector<64x1xindex>
    %all_starts = xetile.tile_broadcast %starts [1] : vector<64x1xindex> -> $I
    %columns = vector.step : vector<64xindex>
    %all_columns = vector.broadcast %columns : vector<64xindex> to $I
    %places = arith.addi %all_starts, %all_columns : $I
    %none = arith.constant dense<0> : $I
    %mask = arith.cmpi sge, %all_starts, %none : $I
    %flat = memref.collapse_shape %T [[0, 1]] : $T into memref<19200x$E>
    %rows = xetile.init_tile %flat, %places : memref<19200x$E>, $I -> $S"""


def rows_by_number(type: str, *, scattered: bool) -> Case:
    """Rows of a table by their numbers: an embedding, or what goes back to it; numbers below zero are no rows."""
    given = numpy.random.default_rng(5).permutation(300)[:64].astype(numpy.int32)
    given[::9] = -1
    ids = given.reshape(64, 1)
    kept = given >= 0
    values = {
        "E": type,
        "T": f"memref<300x64x{type}>",
        "O": f"memref<64x64x{type}>",
        "V": f"vector<64x64x{type}>",
        "I": "vector<64x64xindex>",
        "NT": tile((64, 1), "i32", (ROWS[0], (16, 1))),
        "OT": tile((64, 64), type, ROWS),
        "S": tile((64, 64), type, ROWS, "scattered = true"),
    }
    body = _row_places()
    if scattered:
        rows, table = numbers((64, 64), type, 1), numpy.full((300, 64), 7, NUMPY[type])
        body += """
    %rows_tile = xetile.init_tile %O[0, 0] : $O -> $OT
    %loaded = xetile.load_tile %rows_tile : $OT -> $V
    xetile.store_scatter %loaded, %rows, %mask : $V, $S, vector<64x64xi1>"""
        expected = table.copy()
        expected[given[kept]] = rows[kept]
        changed = {0: expected}
    else:
        rows, table = numpy.full((64, 64), 7, NUMPY[type]), numbers((300, 64), type, 1)
        body += """
    %found = xetile.load_gather %rows, %mask : $S, vector<64x64xi1> -> $V
    %rows_tile = xetile.init_tile %O[0, 0] : $O -> $OT
    xetile.store_tile %found, %rows_tile : $V, $OT"""
        changed = {2: numpy.where(kept[:, None], table[given], 0).astype(NUMPY[type])}
    return Case(
        f"rows_{'scattered' if scattered else 'gathered'}_{type}",
        [filled(p, values) for p in ("%T: $T", "%I: memref<64x1xi32>", "%O: $O")],
        filled(body, values),
        (table, ids, rows),
        changed,
        0.0,
        SUBGROUPS,
    )


def gemm_through_shared_memory(type: str) -> Case:
    """C = A * B, with K steps that come to two slots of shared memory in turn; one barrier for each."""
    of = {"f16": "f32", "i8": "i32"}[type]
    k = 128
    if type == "i8":
        a, b = (_integers(shape, -128, 128, type, 1) for shape in ((64, k), (k, 64)))
        expected = a.astype(numpy.int32) @ b.astype(numpy.int32)
    else:
        a, b = numbers((64, k), type, 0), numbers((k, 64), type, 1)
        expected = a.astype(float) @ b.astype(float)
    copy_a, copy_b = ((SUBGROUPS, 1), (16, 32)), ((2, 2), (16, 32))
    values = {
        "AC": tile((64, 32), type, copy_a),
        "BC": tile((32, 64), type, copy_b),
        "AF": tile((64, 32), type, copy_a, "memory_space = 3"),
        "BF": tile((32, 64), type, copy_b, "memory_space = 3"),
        "AU": tile((64, 32), type, ((2, 2), (32, 32)), "memory_space = 3"),
        "BU": tile((32, 64), type, ((2, 2), (32, 32)), "memory_space = 3"),
        "CT": tile((64, 64), of, QUARTERS),
        "SA": f"memref<64x64x{type}, 3>",
        "SB": f"memref<64x64x{type}, 3>",
        "VA": f"vector<64x32x{type}>",
        "VB": f"vector<32x64x{type}>",
        "R": f"vector<64x64x{of}>",
        "A": f"memref<64x{k}x{type}>",
        "B": f"memref<{k}x64x{type}>",
        "C": f"memref<64x64x{of}>",
        "MC": wg_map(QUARTERS),
        "ZERO": "0.0" if of == "f32" else "0",
    }
    body = """
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %K = arith.constant 128 : index
    %zero = arith.constant {wg_map = $MC} dense<$ZERO> : $R
    %c = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> ($R) {
      %slot = arith.remui %k, %c64 : index
      %a_from = xetile.init_tile %A[0, %k] : $A -> $AC
      %b_from = xetile.init_tile %B[%k, 0] : $B -> $BC
      %a_copy = xetile.load_tile %a_from : $AC -> $VA
      %b_copy = xetile.load_tile %b_from : $BC -> $VB
      %a_fill = xetile.init_tile %shared_a[0, %slot] : $SA -> $AF
      %b_fill = xetile.init_tile %shared_b[%slot, 0] : $SB -> $BF
      xetile.store_tile %a_copy, %a_fill : $VA, $AF
      xetile.store_tile %b_copy, %b_fill : $VB, $BF
      gpu.barrier
      %a_use = xetile.init_tile %shared_a[0, %slot] : $SA -> $AU
      %b_use = xetile.init_tile %shared_b[%slot, 0] : $SB -> $BU
      %a = xetile.load_tile %a_use : $AU -> $VA
      %b = xetile.load_tile %b_use : $BU -> $VB
      %sum = xetile.tile_mma %a, %b, %acc : $VA, $VB, $R -> $R
      scf.yield %sum : $R
    }
    %c_tile = xetile.init_tile %C[0, 0] : $C -> $CT
    xetile.store_tile %c, %c_tile : $R, $CT"""
    return Case(
        f"gemm_{type}_through_shared_memory",
        [filled(parameter, values) for parameter in ("%A: $A", "%B: $B", "%C: $C")],
        filled(body, values),
        (a, b, numpy.full((64, 64), 7, NUMPY[of])),
        {2: expected},
        1e-5 if of == "f32" else 0.0,
        SUBGROUPS,
        workgroup=[filled(f"%shared_{side}: $S{side.upper()}", values) for side in "ab"],
    )


def kernels_across() -> list[Case]:
    """One or two types of each."""
    return [
        *(make(along, t, split=True) for make in (softmax, layer_norm) for along, t in _SPLIT),
        *(transposed(t, map) for t in ("f32", "f16") for map in (QUARTERS, ROWS)),
        *(sums(along) for along in (0, 1)),
        *(split_k(t) for t in ("f16", "i8")),
        histogram(),
        *(
            rows_by_number(t, scattered=scattered)
            for t in ("f16", "f32")
            for scattered in (False, True)
        ),
        *(gemm_through_shared_memory(t) for t in ("f16", "i8")),
    ]


_SPLIT: tuple[tuple[Dimension, str], ...] = ((0, "f32"), (1, "f32"), (1, "f16"))
