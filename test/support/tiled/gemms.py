"""GEMMs of a workgroup of four subgroups: operands as they may lie in memory, and what is done with the result.

C is 64x64, K is 64 in steps of 32. What follows the product is text with `V` for the type of C's tile and `M` for its map.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy
from support.subgroup import NUMPY
from support.tiled.case import Array, Case, Given, filled
from support.workgroup import Map, tile, wg_map

SIZE = 64
STEP = 32
SQUARE: Map = ((2, 2), (32, 32))
ROWS: Map = ((4, 1), (16, 64))

Lies = Literal["rows", "columns", "transposed", "inferred"]
"""How an operand lies in memory: as it is multiplied; column-major; transposed, with the maps of the transpose
or without."""

ERRORS = {"f32": 2e-6, "f16": 1e-3, "bf16": 8e-3}
"""By the type of C: sums of 64 products in f32, then one rounding, both relative to the largest number."""


class Argument(NamedTuple):
    """A further parameter of a kernel."""

    name: str
    type: str
    value: Given


@dataclass(frozen=True)
class After:
    """What follows the product: lines that make `%out` of `%acc`, and the same in float64."""

    lines: str = ""
    compute: Callable[[Array, Sequence[Array]], Array] = lambda acc, _: acc
    arguments: Sequence[Argument] = ()
    result: str = "f32"
    out: str = "acc"
    tolerance: float = 0.0
    """Added to that of the product."""


PLAIN = After()


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


def numbers(shape: Sequence[int], type: str, seed: int) -> Array:
    """Numbers of both signs; integers of the whole range of i8."""
    random = numpy.random.default_rng([seed, *shape])
    if type in ("i8", "i32"):
        return random.integers(-128, 128, shape).astype(NUMPY[type])
    return random.standard_normal(shape).astype(NUMPY[type])


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


# What follows the product.

LOAD_ROW = """
    %{0}_tile = xetile.init_tile %{0}[0, 0] : memref<1x64xf32> -> $ROW
    %{0}_row = xetile.load_tile %{0}_tile : $ROW -> vector<1x64xf32>
    %{0}_all = xetile.tile_broadcast %{0}_row [0] : vector<1x64xf32> -> $F"""
LOAD_COLUMN = """
    %{0}_tile = xetile.init_tile %{0}[0, 0] : memref<64x1xf32, strided<[1, 64]>> -> $COLUMN
    %{0}_column = xetile.load_tile %{0}_tile : $COLUMN -> vector<64x1xf32>
    %{0}_all = xetile.tile_broadcast %{0}_column [1] : vector<64x1xf32> -> $F"""
LOAD_MATRIX = """
    %{0}_tile = xetile.init_tile %{0}[0, 0] : memref<64x64xf32> -> $TILE
    %{0}_all = xetile.load_tile %{0}_tile : $TILE -> $F"""
SPLATS = {
    "half": 0.5,
    "one": 1.0,
    "cubic": 0.044715,
    "root": math.sqrt(2 / math.pi),
    "diagonal": math.sqrt(0.5),
}


def _row(name: str, seed: int = 2) -> Argument:
    return Argument(name, "memref<1x64xf32>", numbers((1, SIZE), "f32", seed))


def _column(name: str, seed: int = 3) -> Argument:
    return Argument(
        name, "memref<64x1xf32, strided<[1, 64]>>", numbers((1, SIZE), "f32", seed).T
    )


def _matrix(name: str, seed: int = 4) -> Argument:
    return Argument(name, "memref<64x64xf32>", numbers((SIZE, SIZE), "f32", seed))


def _splats(*names: str) -> str:
    return "".join(
        f"\n    %{name} = arith.constant dense<{SPLATS[name]:.8e}> : $F" for name in names
    )


ROW_BIAS = After(
    LOAD_ROW.format("bias") + "\n    %out = arith.addf %acc, %bias_all : $F",
    lambda acc, given: acc + given[0],
    [_row("bias")],
    out="out",
)
COLUMN_BIAS = After(
    LOAD_COLUMN.format("bias") + "\n    %out = arith.addf %acc, %bias_all : $F",
    lambda acc, given: acc + given[0],
    [_column("bias")],
    out="out",
)
TURNED_BIAS = After(
    """
    %bias_tile = xetile.init_tile %bias[0, 0] : memref<1x64xf32> -> !xetile.tile<1x64xf32>
    %bias_row = xetile.load_tile %bias_tile : !xetile.tile<1x64xf32> -> vector<1x64xf32>
    %bias_column = xetile.tile_transpose %bias_row, [1, 0] : vector<1x64xf32> -> vector<64x1xf32>
    %bias_all = xetile.tile_broadcast %bias_column [1] : vector<64x1xf32> -> $F
    %out = arith.addf %acc, %bias_all : $F""",
    lambda acc, given: acc + given[0].T,
    [_row("bias")],
    out="out",
)
ALPHA_BETA = After(
    LOAD_MATRIX.format("old")
    + """
    %alphas = vector.broadcast %alpha : f32 to $F
    %betas = vector.broadcast %beta : f32 to $F
    %scaled = arith.mulf %acc, %alphas : $F
    %kept = arith.mulf %old_all, %betas : $F
    %out = arith.addf %scaled, %kept : $F""",
    lambda acc, given: given[1] * acc + given[2] * given[0],
    [_matrix("old"), Argument("alpha", "f32", 0.75), Argument("beta", "f32", -1.5)],
    out="out",
)
RELU = After(
    """
    %none = arith.constant dense<0.0> : $F
    %out = arith.maximumf %acc, %none : $F""",
    lambda acc, _: numpy.maximum(acc, 0),
    out="out",
)
GELU_TANH = After(
    _splats("half", "one", "cubic", "root")
    + """
    %square = arith.mulf %acc, %acc : $F
    %bent = arith.mulf %square, %cubic : $F
    %factor = arith.addf %bent, %one : $F
    %inner = arith.mulf %acc, %factor : $F
    %scaled = arith.mulf %inner, %root : $F
    %tanh = math.tanh %scaled : $F
    %share = arith.addf %tanh, %one : $F
    %halved = arith.mulf %acc, %half : $F
    %out = arith.mulf %halved, %share : $F""",
    lambda acc, _: (
        0.5 * acc * (1 + numpy.tanh(SPLATS["root"] * acc * (1 + SPLATS["cubic"] * acc**2)))
    ),
    out="out",
    tolerance=2e-6,
)
GELU_ERF = After(
    _splats("half", "one", "diagonal")
    + """
    %scaled = arith.mulf %acc, %diagonal : $F
    %erf = math.erf %scaled : $F
    %share = arith.addf %erf, %one : $F
    %halved = arith.mulf %acc, %half : $F
    %out = arith.mulf %halved, %share : $F""",
    lambda acc, _: 0.5 * acc * (1 + numpy.vectorize(math.erf)(acc * SPLATS["diagonal"])),
    out="out",
    tolerance=2e-6,
)
SILU = After(
    _splats("one")
    + """
    %minus = arith.negf %acc : $F
    %power = math.exp %minus : $F
    %below = arith.addf %power, %one : $F
    %out = arith.divf %acc, %below : $F""",
    lambda acc, _: acc / (1 + numpy.exp(-acc)),
    out="out",
    tolerance=2e-6,
)
RESIDUAL = After(
    LOAD_MATRIX.format("residual") + "\n    %out = arith.addf %acc, %residual_all : $F",
    lambda acc, given: acc + given[0],
    [_matrix("residual")],
    out="out",
)
TO_F16 = After(
    "%out = arith.truncf %acc : $F to $H", lambda acc, _: acc, result="f16", out="out"
)
TO_BF16 = After(
    "%out = arith.truncf %acc : $F to $B", lambda acc, _: acc, result="bf16", out="out"
)
QUANTISED = After(
    """
    %least = arith.constant dense<-128> : $I
    %most = arith.constant dense<127> : $I
    %places = arith.constant dense<8> : $I
    %shifted = arith.shrsi %acc, %places : $I
    %above = arith.maxsi %shifted, %least : $I
    %inside = arith.minsi %above, %most : $I
    %out = arith.trunci %inside : $I to $C""",
    lambda acc, _: numpy.clip(numpy.floor(acc / 256), -128, 127),
    result="i8",
    out="out",
)
SCALED = After(
    LOAD_COLUMN.format("of_rows")
    + LOAD_ROW.format("of_columns")
    + """
    %floats = arith.sitofp %acc : $I to $F
    %by_row = arith.mulf %floats, %of_rows_all : $F
    %out = arith.mulf %by_row, %of_columns_all : $F""",
    lambda acc, given: acc * given[0] * given[1],
    [_column("of_rows"), _row("of_columns")],
    out="out",
)
SCALED_TO_I8 = After(
    LOAD_COLUMN.format("of_rows")
    + LOAD_ROW.format("of_columns")
    + """
    %floats = arith.sitofp %acc : $I to $F
    %by_row = arith.mulf %floats, %of_rows_all : $F
    %scaled = arith.mulf %by_row, %of_columns_all : $F
    %whole = math.roundeven %scaled : $F
    %least = arith.constant dense<-128.0> : $F
    %most = arith.constant dense<127.0> : $F
    %above = arith.maximumf %whole, %least : $F
    %inside = arith.minimumf %above, %most : $F
    %out = arith.fptosi %inside : $F to $C""",
    lambda acc, given: numpy.clip(
        numpy.rint(
            (acc.astype(numpy.float32) * given[0].astype(numpy.float32))
            * given[1].astype(numpy.float32)
        ),
        -128,
        127,
    ),
    [
        Argument(
            "of_rows",
            "memref<64x1xf32, strided<[1, 64]>>",
            numbers((1, SIZE), "f32", 3).T / 64,
        ),
        Argument("of_columns", "memref<1x64xf32>", numbers((1, SIZE), "f32", 2) / 64),
    ],
    result="i8",
    out="out",
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
