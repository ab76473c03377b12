"""GEMMs of a workgroup of four subgroups: operands as they may lie in memory, and what is done with the result.

C is 64x64, K is 64 in steps of 32. What follows the product is text with `V` for the type of C's tile and `M` for its map.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy
from support.subgroup import NUMPY
from support.tiled.case import Array, Case, filled
from support.tiled.epilogues import (
    ALPHA_BETA,
    COLUMN_BIAS,
    GELU_ERF,
    GELU_TANH,
    PLAIN,
    QUANTISED,
    RELU,
    RESIDUAL,
    ROW_BIAS,
    SCALED,
    SCALED_TO_I8,
    SILU,
    SIZE,
    TO_BF16,
    TO_F16,
    TURNED_BIAS,
    After,
    numbers,
)
from support.workgroup import Map, tile, wg_map

STEP = 32
SQUARE: Map = ((2, 2), (32, 32))
ROWS: Map = ((4, 1), (16, 64))

Lies = Literal["rows", "columns", "transposed", "inferred"]
"""How an operand lies in memory: as it is multiplied; column-major; transposed, with the maps of the transpose
or without."""

ERRORS = {"f32": 2e-6, "f16": 1e-3, "bf16": 8e-3}
"""By the type of C: sums of 64 products in f32, then one rounding, both relative to the largest number."""


def gemm(
    name: str,
    after: After = PLAIN,
    *,
    a: Lies = "rows",
    b: Lies = "rows",
    type: str = "f16",
    accumulator: str = "f32",
    map: Map = SQUARE,
) -> Case:
    """C = after(A * B)."""
    left, right = _operand("a", a, type, map, 0), _operand("b", b, type, map, 1)
    zero = "0" if accumulator == "i32" else "0.000000e+00"
    acc_type = f"vector<{SIZE}x{SIZE}x{accumulator}>"
    c_type = f"memref<{SIZE}x{SIZE}x{after.result}>"
    c_tile = tile((SIZE, SIZE), after.result, map)
    body = f"""
    %c0 = arith.constant 0 : index
    %c32 = arith.constant {STEP} : index
    %c64 = arith.constant {SIZE} : index
    {left.start}
    {right.start}
    %zero = arith.constant {{wg_map = {wg_map(map)}}} dense<{zero}> : {acc_type}
    %acc, %a_end, %b_end = scf.for %k = %c0 to %c64 step %c32
        iter_args(%sum = %zero, %a_tile = %a_start, %b_tile = %b_start) -> ({acc_type}, {left.tile}, {right.tile}) {{
      {left.load}
      {right.load}
      %next = xetile.tile_mma %a, %b, %sum {{wg_map_c = {wg_map(map)}}}
          : vector<{SIZE}x{STEP}x{type}>, vector<{STEP}x{SIZE}x{type}>, {acc_type} -> {acc_type}
      {left.move}
      {right.move}
      scf.yield %next, %a_next, %b_next : {acc_type}, {left.tile}, {right.tile}
    }}
    {_spelled(after.lines, accumulator, map)}
    %c_tile = xetile.init_tile %C[0, 0] : {c_type} -> {c_tile}
    xetile.store_tile %{after.out}, %c_tile : vector<{SIZE}x{SIZE}x{after.result}>, {c_tile}"""
    values = [argument.value for argument in after.arguments]
    product = left.values.astype(float) @ right.values.astype(float)
    expected = after.compute(product, [numpy.asarray(value, float) for value in values])
    result = numpy.full((SIZE, SIZE), 7, NUMPY[after.result])
    exact = after.result in ("i8", "i32")
    return Case(
        name,
        (
            f"%A: {left.memref}",
            f"%B: {right.memref}",
            *(f"%{argument.name}: {argument.type}" for argument in after.arguments),
            f"%C: {c_type}",
        ),
        body,
        (left.memory, right.memory, *values, result),
        {2 + len(values): expected.astype(NUMPY[after.result]) if exact else expected},
        0.0 if exact else ERRORS[after.result] + after.tolerance,
        math.prod(map[0]),
    )


class _Operand(NamedTuple):
    values: Array
    memory: Array
    memref: str
    tile: str
    start: str
    load: str
    move: str


def _operand(name: str, lies: Lies, type: str, map: Map, seed: int) -> _Operand:
    layout, units = map
    is_a = name == "a"
    values = numbers((SIZE, SIZE), type, seed)
    shape = (SIZE, STEP) if is_a else (STEP, SIZE)
    own: Map = (layout, (units[0], STEP) if is_a else (STEP, units[1]))
    along = "[%c0, %c32]" if is_a else "[%c32, %c0]"
    memref, memory, lines = f"memref<{SIZE}x{SIZE}x{type}>", values, ""
    of = tile(shape, type, own)
    loaded = name
    if lies == "columns":
        memref, memory = (
            f"memref<{SIZE}x{SIZE}x{type}, strided<[1, {SIZE}]>>",
            values.T.copy().T,
        )
        of = tile(shape, type, own, "order = [0, 1]")
    elif lies in ("transposed", "inferred"):
        memory, along, loaded = (
            values.T.copy(),
            along.replace("%c0, %c32", "@")
            .replace("%c32, %c0", "%c0, %c32")
            .replace("@", "%c32, %c0"),
            f"{name}_t",
        )
        turned, units_t = (shape[1], shape[0]), (own[1][1], own[1][0])
        source: Map = (
            ((layout[1], layout[0]), units_t) if is_a else ((math.prod(layout), 1), units_t)
        )
        maps = f" {{wg_map_result = {wg_map(own)}, wg_map_source = {wg_map(source)}}}"
        of = tile(turned, type, source if lies == "transposed" else None)
        lines = f"""
      %{name} = xetile.tile_transpose %{name}_t, [1, 0]{maps if lies == "transposed" else ""}
          : vector<{turned[0]}x{turned[1]}x{type}> -> vector<{shape[0]}x{shape[1]}x{type}>"""
        shape = turned
    return _Operand(
        values,
        memory,
        memref,
        of,
        f"%{name}_start = xetile.init_tile %{name.upper()}[0, 0] : {memref} -> {of}",
        f"%{loaded} = xetile.load_tile %{name}_tile : {of} -> vector<{shape[0]}x{shape[1]}x{type}>{lines}",
        f"%{name}_next = xetile.update_tile_offset %{name}_tile, {along} : {of}",
    )


def _spelled(lines: str, accumulator: str, map: Map) -> str:
    def vector(type: str) -> str:
        return f"vector<{SIZE}x{SIZE}x{type}>"

    layout, units = map
    return filled(
        lines,
        {
            "V": vector(accumulator),
            "H": vector("f16"),
            "I": vector("i32"),
            "F": vector("f32"),
            "B": vector("bf16"),
            "C": vector("i8"),
            "M": wg_map(map),
            "ROW": tile((1, SIZE), "f32", (layout, (1, units[1]))),
            "COLUMN": tile((SIZE, 1), "f32", (layout, (units[0], 1)), "order = [0, 1]"),
            "TILE": tile((SIZE, SIZE), "f32", map),
        },
    )


def gemms() -> list[Case]:
    """The GEMMs of the list, each with one thing more than a product."""
    return [
        *(
            gemm(
                f"gemm_{t}_a_{a}_b_{b}",
                a=a,
                b=b,
                type=t,
                accumulator=c,
                map=ROWS,
                after=After(result=c),
            )
            for t, c in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32"))
            for a, b in _ways(t)
        ),
        gemm("gemm_b_transposed_square", b="transposed"),
        gemm("gemm_b_columns_square", b="columns"),
        gemm("gemm_row_bias", ROW_BIAS),
        gemm("gemm_column_bias", COLUMN_BIAS),
        gemm("gemm_turned_bias", TURNED_BIAS, map=ROWS),
        gemm("gemm_alpha_beta", ALPHA_BETA),
        gemm("gemm_relu", RELU),
        gemm("gemm_gelu_tanh", GELU_TANH),
        gemm("gemm_gelu_erf", GELU_ERF),
        gemm("gemm_silu", SILU),
        gemm("gemm_residual", RESIDUAL),
        gemm("gemm_to_f16", TO_F16),
        gemm("gemm_to_bf16", TO_BF16, type="bf16"),
        gemm("gemm_to_i8", QUANTISED, type="i8", accumulator="i32"),
        gemm("gemm_scales", SCALED, type="i8", accumulator="i32"),
        gemm("gemm_scales_to_i8", SCALED_TO_I8, type="i8", accumulator="i32"),
    ]


def _ways(type: str) -> list[tuple[Lies, Lies]]:
    if type != "f16":
        return [("columns", "columns"), ("transposed", "transposed")]
    ways: list[tuple[Lies, Lies]] = []
    others: Sequence[Lies] = ("columns", "transposed", "inferred")
    rows: Lies = "rows"
    for lies in others:
        ways.extend([(rows, lies), (lies, rows), (lies, lies)])
    return ways
