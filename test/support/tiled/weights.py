"""GEMMs whose weights are integers with a scale for each group of K and column; they become f16 before the product."""

import numpy
from support.tiled.case import Case, filled
from support.tiled.epilogues import SIZE, numbers
from support.tiled.gemms import SQUARE, STEP
from support.workgroup import Map, tile, wg_map

ERROR = 1e-3
"""Of the result, relative to the largest number: weights times scales are rounded to f16."""


def weights(type: str) -> Case:
    """A (f16) * (weights * scales), groups of 32 along K, which is a step of the loop."""
    layout, units = SQUARE
    of_b: Map = (layout, (STEP, units[1]))
    a = numbers((SIZE, SIZE), "f16", 0)
    random = numpy.random.default_rng(1)
    low, high = (-8, 8) if type == "i4" else (-128, 128)
    held = random.integers(low, high, (SIZE, 2 * SIZE)).astype(numpy.int8)
    b = held[:, :SIZE]
    memory = (
        held if type == "i8" else (held[:, ::2] & 15 | held[:, 1::2] << 4).astype(numpy.uint8)
    )
    scales = (numbers((SIZE // STEP, SIZE), "f16", 2) / 64).astype(numpy.float16)
    values = {
        "A": f"memref<{SIZE}x{SIZE}xf16>",
        "B": f"memref<{SIZE}x{2 * SIZE}x{type}>",
        "S": f"memref<{SIZE // STEP}x{SIZE}xf16>",
        "C": f"memref<{SIZE}x{SIZE}xf32>",
        "AT": tile((SIZE, STEP), "f16", (layout, (units[0], STEP))),
        "BT": tile((STEP, SIZE), type, of_b),
        "ST": tile((1, SIZE), "f16", (layout, (1, units[1]))),
        "CT": tile((SIZE, SIZE), "f32", SQUARE),
        "AV": f"vector<{SIZE}x{STEP}xf16>",
        "BV": f"vector<{STEP}x{SIZE}x{type}>",
        "HV": f"vector<{STEP}x{SIZE}xf16>",
        "SV": f"vector<1x{SIZE}xf16>",
        "CV": f"vector<{SIZE}x{SIZE}xf32>",
        "M": wg_map(SQUARE),
    }
    body = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %a_start = xetile.init_tile %A[0, 0] : $A -> $AT
    %b_start = xetile.init_tile %B[0, 0] : $B -> $BT
    %s_start = xetile.init_tile %S[0, 0] : $S -> $ST
    %zero = arith.constant {wg_map = $M} dense<0.0> : $CV
    %end:4 = scf.for %k = %c0 to %c64 step %c32
        iter_args(%acc = %zero, %a_tile = %a_start, %b_tile = %b_start, %s_tile = %s_start) -> ($CV, $AT, $BT, $ST) {
      %a = xetile.load_tile %a_tile : $AT -> $AV
      %b = xetile.load_tile %b_tile : $BT -> $BV
      %s = xetile.load_tile %s_tile : $ST -> $SV
      %b_f16 = arith.sitofp %b : $BV to $HV
      %scales = xetile.tile_broadcast %s [0] : $SV -> $HV
      %b_scaled = arith.mulf %b_f16, %scales : $HV
      %next = xetile.tile_mma %a, %b_scaled, %acc : $AV, $HV, $CV -> $CV
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : $AT
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : $BT
      %s_next = xetile.update_tile_offset %s_tile, [%c1, %c0] : $ST
      scf.yield %next, %a_next, %b_next, %s_next : $CV, $AT, $BT, $ST
    }
    %c_tile = xetile.init_tile %C[0, 0] : $C -> $CT
    xetile.store_tile %end#0, %c_tile : $CV, $CT"""
    whole = numpy.repeat(scales.astype(float), STEP, axis=0)
    return Case(
        f"gemm_{type}_weights",
        [filled(parameter, values) for parameter in ("%A: $A", "%B: $B", "%S: $S", "%C: $C")],
        filled(body, values),
        (a, memory, scales, numpy.full((SIZE, SIZE), 7, numpy.float32)),
        {3: a.astype(float) @ (b.astype(float) * whole)},
        ERROR,
        4,
    )


def weight_kernels() -> list[Case]:
    """Weights of 8 bits, and of 4."""
    return [weights("i8"), weights("i4")]
