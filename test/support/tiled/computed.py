"""GEMMs whose operands are computed in the loop, element by element: each element by one subgroup of the workgroup.

C is 64x64 of four subgroups, K is 96: the two buffers of an exchange come in turn, and the last round has the first.
"""

import numpy
from support.subgroup import NUMPY
from support.tiled.case import Array, Case, filled
from support.tiled.epilogues import SIZE, numbers
from support.tiled.gemms import SQUARE, STEP
from support.workgroup import Map, tile, wg_map

DEPTH = 3 * STEP
ERROR = 1e-3
"""Of the result, relative to the largest number: operands are rounded to f16."""

_LAYOUT, _UNITS = SQUARE
_A: Map = (_LAYOUT, (_UNITS[0], STEP))
_B: Map = (_LAYOUT, (STEP, _UNITS[1]))


def _values(left: str, right: str) -> dict[str, str]:
    return {
        "A": f"memref<{SIZE}x{DEPTH}x{left}>",
        "B": f"memref<{DEPTH}x{SIZE}x{right}>",
        "R": f"memref<2x{SIZE}xf16>",
        "C": f"memref<{SIZE}x{SIZE}xf32>",
        "AT": tile((SIZE, STEP), left, _A),
        "BT": tile((STEP, SIZE), right, _B),
        "RT": tile((1, SIZE), "f16", (_LAYOUT, (1, _UNITS[1]))),
        "CT": tile((SIZE, SIZE), "f32", SQUARE),
        "AV": f"vector<{SIZE}x{STEP}x{left}>",
        "BV": f"vector<{STEP}x{SIZE}x{right}>",
        "AH": f"vector<{SIZE}x{STEP}xf16>",
        "BH": f"vector<{STEP}x{SIZE}xf16>",
        "RV": f"vector<1x{SIZE}xf16>",
        "CV": f"vector<{SIZE}x{SIZE}xf32>",
        "M": wg_map(SQUARE),
    }


def _case(
    name: str, left: str, right: str, body: str, arrays: tuple[Array, ...], expected: Array
) -> Case:
    values = _values(left, right)
    parameters = ["%A: $A", "%B: $B", "%R: $R", "%C: $C", "%K: index"]
    return Case(
        name,
        [filled(parameter, values) for parameter in parameters],
        filled(_BEGIN + body + _END, values),
        (*arrays, numpy.full((SIZE, SIZE), 7, numpy.float32), DEPTH),
        {3: expected},
        ERROR,
        4,
    )


_BEGIN = """
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant {wg_map = $M} dense<0.0> : $CV"""
_END = """
    %c_tile = xetile.init_tile %C[0, 0] : $C -> $CT
    xetile.store_tile %end, %c_tile : $CV, $CT"""


def zero_points() -> Case:
    """A * ((weights - zero points) * scales): unsigned bytes; a row of each for all of K, which is loaded before."""
    a, rows = numbers((SIZE, DEPTH), "f16", 0), numbers((2, SIZE), "f16", 2)
    rows[0] = numpy.round(rows[0] * 8 + 128)
    weights = numpy.random.default_rng(1).integers(0, 256, (DEPTH, SIZE)).astype(numpy.uint8)
    body = """
    %zeros_tile = xetile.init_tile %R[0, 0] : $R -> $RT
    %scales_tile = xetile.init_tile %R[1, 0] : $R -> $RT
    %zeros_row = xetile.load_tile %zeros_tile : $RT -> $RV
    %scales_row = xetile.load_tile %scales_tile : $RT -> $RV
    %zeros = xetile.tile_broadcast %zeros_row [0] : $RV -> $BH
    %scales = xetile.tile_broadcast %scales_row [0] : $RV -> $BH
    %end = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> ($CV) {
      %a_tile = xetile.init_tile %A[0, %k] : $A -> $AT
      %b_tile = xetile.init_tile %B[%k, 0] : $B -> $BT
      %a = xetile.load_tile %a_tile : $AT -> $AH
      %w = xetile.load_tile %b_tile : $BT -> $BV
      %w_f16 = arith.uitofp %w : $BV to $BH
      %centred = arith.subf %w_f16, %zeros : $BH
      %b = arith.mulf %centred, %scales : $BH
      %next = xetile.tile_mma %a, %b, %acc : $AH, $BH, $CV -> $CV
      scf.yield %next : $CV
    }"""
    centred = weights.astype(float) - rows[0].astype(float)
    expected = a.astype(float) @ (centred * rows[1].astype(float))
    return _case(
        "gemm_zero_points", "f16", "i8", body, (a, weights.view(numpy.int8), rows), expected
    )


def ahead() -> Case:
    """Weights of 8-bit floats, loaded one round before they are converted."""
    a, weights = numbers((SIZE, DEPTH), "f16", 0), numbers((DEPTH, SIZE), "f8E5M2", 1)
    body = """
    %b_start = xetile.init_tile %B[0, 0] : $B -> $BT
    %first = xetile.load_tile %b_start : $BT -> $BV
    %end, %b_end, %last = scf.for %k = %c0 to %K step %c32
        iter_args(%acc = %zero, %b_tile = %b_start, %w = %first) -> ($CV, $BT, $BV) {
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : $BT
      %w_next = xetile.load_tile %b_next : $BT -> $BV
      %a_tile = xetile.init_tile %A[0, %k] : $A -> $AT
      %a = xetile.load_tile %a_tile : $AT -> $AH
      %b = arith.extf %w : $BV to $BH
      %next = xetile.tile_mma %a, %b, %acc : $AH, $BH, $CV -> $CV
      scf.yield %next, %b_next, %w_next : $CV, $BT, $BV
    }"""
    rows = numpy.zeros((2, SIZE), NUMPY["f16"])
    expected = a.astype(float) @ weights.astype(float)
    return _case("gemm_f8_ahead", "f16", "f8E5M2", body, (a, weights, rows), expected)


def both() -> Case:
    """Both operands are computed: A rounded from f32, B doubled; their exchanges have one barrier."""
    a, b = numbers((SIZE, DEPTH), "f32", 0), numbers((DEPTH, SIZE), "i8", 1)
    body = """
    %two = arith.constant dense<2.0> : $BH
    %end = scf.for %k = %c0 to %K step %c32 iter_args(%acc = %zero) -> ($CV) {
      %a_tile = xetile.init_tile %A[0, %k] : $A -> $AT
      %b_tile = xetile.init_tile %B[%k, 0] : $B -> $BT
      %a_f32 = xetile.load_tile %a_tile : $AT -> $AV
      %w = xetile.load_tile %b_tile : $BT -> $BV
      %a = arith.truncf %a_f32 : $AV to $AH
      %w_f16 = arith.sitofp %w : $BV to $BH
      %b = arith.mulf %w_f16, %two : $BH
      %next = xetile.tile_mma %a, %b, %acc : $AH, $BH, $CV -> $CV
      scf.yield %next : $CV
    }"""
    rows = numpy.zeros((2, SIZE), NUMPY["f16"])
    expected = a.astype(numpy.float16).astype(float) @ (2 * b.astype(float))
    return _case("gemm_both_computed", "f32", "i8", body, (a, b, rows), expected)


def computed_kernels() -> list[Case]:
    """Zero points and scales, weights loaded ahead, both operands."""
    return [zero_points(), ahead(), both()]
