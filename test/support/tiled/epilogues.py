"""What follows the product in a GEMM: lines of IR, and the same in float64.

`$F`, `$H`, `$B`, `$I`, `$C` stand for C's tile of f32, f16, bf16, i32, i8; `$ROW`, `$COLUMN`, `$TILE` for the types of tiles.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy
from support.subgroup import NUMPY
from support.tiled.case import Array, Given

SIZE = 64
"""Rows and columns of the result."""


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


def numbers(shape: Sequence[int], type: str, seed: int) -> Array:
    """Numbers of both signs; integers of the whole range of i8."""
    random = numpy.random.default_rng([seed, *shape])
    if type in ("i8", "i32"):
        return random.integers(-128, 128, shape).astype(NUMPY[type])
    return random.standard_normal(shape).astype(NUMPY[type])


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
