"""Softmax and layer norm along each dimension of a tile that a subgroup has whole, and two products with exp between."""

from typing import Literal

import numpy
from support.subgroup import NUMPY
from support.tiled.case import Array, Case, filled
from support.tiled.epilogues import numbers
from support.workgroup import Map, tile, wg_map

SIZE = 64
Dimension = Literal[0, 1]

ERRORS = {"f32": 1e-5, "f16": 2e-3}
"""Of the result, relative to the largest number, by its type."""


SPLIT = 4
"""Subgroups: each has whole lines of the dimension, or a part of all."""


def _map(along: Dimension, *, split: bool) -> Map:
    cut = along if split else 1 - along
    layout = (SPLIT, 1) if cut == 0 else (1, SPLIT)
    return layout, (SIZE // layout[0], SIZE // layout[1])


def reduced_maps(map: Map, along: int) -> str:
    """What a reduction across subgroups says: the maps of its source and of its result."""
    layout, (rows, columns) = map
    line = (1, columns) if along == 0 else (rows, 1)
    return f" {{wg_map_source = {wg_map(map)}, wg_map_result = {wg_map((layout, line))}}}"


def _values(along: Dimension, type: str, *, split: bool) -> dict[str, str]:
    (layout, units) = _map(along, split=split)
    line = [SIZE, SIZE]
    line[along] = 1
    across = (1, SIZE) if along == 1 else (SIZE, 1)
    across_units = (1, units[1]) if along == 1 else (units[0], 1)
    return {
        "M": wg_map((layout, units)),
        "MAPS": reduced_maps((layout, units), along) if split else "",
        "D": str(along),
        "E": str(1 - along),
        "X": f"memref<{SIZE}x{SIZE}x{type}>",
        "XT": tile((SIZE, SIZE), type, (layout, units)),
        "XV": f"vector<{SIZE}x{SIZE}x{type}>",
        "F": f"vector<{SIZE}x{SIZE}xf32>",
        "L": f"vector<{line[0]}x{line[1]}xf32>",
        "G": f"memref<{across[0]}x{across[1]}xf32{'' if along == 1 else ', strided<[1, 64]>'}>",
        "GT": tile(
            across, "f32", (layout, across_units), "" if along == 1 else "order = [0, 1]"
        ),
        "GV": f"vector<{across[0]}x{across[1]}xf32>",
        "READ": "%x = arith.extf %loaded : $XV to $F" if type != "f32" else "",
        "IN": "%x" if type != "f32" else "%loaded",
        "WRITE": "%rounded = arith.truncf %out : $F to $XV" if type != "f32" else "",
        "OUT": "%rounded" if type != "f32" else "%out",
    }


LOAD = """
    %x_tile = xetile.init_tile %X[0, 0] : $X -> $XT
    %loaded = xetile.load_tile %x_tile : $XT -> $XV
    $READ"""
STORE = """
    $WRITE
    %y_tile = xetile.init_tile %Y[0, 0] : $X -> $XT
    xetile.store_tile $OUT, %y_tile : $XV, $XT"""


def softmax(along: Dimension, type: str, *, split: bool = False) -> Case:
    """exp(x - max) / sum of those, along a dimension, which subgroups may have in parts."""
    x = numbers((SIZE, SIZE), type, 0)
    powers = numpy.exp(x.astype(float) - x.astype(float).max(axis=along, keepdims=True))
    body = f"""{LOAD}
    %largest = xetile.tile_reduce <maximumf>, $IN [$D]$MAPS : $F -> $L
    %largest_all = xetile.tile_broadcast %largest [$D] : $L -> $F
    %below = arith.subf $IN, %largest_all : $F
    %power = math.exp %below : $F
    %sum = xetile.tile_reduce <add>, %power [$D]$MAPS : $F -> $L
    %sum_all = xetile.tile_broadcast %sum [$D] : $L -> $F
    %out = arith.divf %power, %sum_all : $F{STORE}"""
    return _case(
        "softmax",
        along,
        type,
        body,
        x,
        powers / powers.sum(axis=along, keepdims=True),
        split=split,
    )


def layer_norm(along: Dimension, type: str, *, split: bool = False) -> Case:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, along a dimension."""
    x, gamma, beta = (
        numbers(shape, t, seed)
        for seed, (shape, t) in enumerate(
            (((SIZE, SIZE), type), ((1, SIZE), "f32"), ((1, SIZE), "f32"))
        )
    )
    if along == 0:
        gamma, beta = gamma.T, beta.T
    body = f"""{LOAD}
    %share = arith.constant dense<{1 / SIZE}> : $L
    %epsilon = arith.constant dense<1.0e-5> : $L
    %sum = xetile.tile_reduce <add>, $IN [$D]$MAPS : $F -> $L
    %mean = arith.mulf %sum, %share : $L
    %mean_all = xetile.tile_broadcast %mean [$D] : $L -> $F
    %centred = arith.subf $IN, %mean_all : $F
    %square = arith.mulf %centred, %centred : $F
    %squares = xetile.tile_reduce <add>, %square [$D]$MAPS : $F -> $L
    %variance = arith.mulf %squares, %share : $L
    %positive = arith.addf %variance, %epsilon : $L
    %factor = math.rsqrt %positive : $L
    %factor_all = xetile.tile_broadcast %factor [$D] : $L -> $F
    %normal = arith.mulf %centred, %factor_all : $F
    %gamma_tile = xetile.init_tile %gamma[0, 0] : $G -> $GT
    %gamma_line = xetile.load_tile %gamma_tile : $GT -> $GV
    %gamma_all = xetile.tile_broadcast %gamma_line [$E] : $GV -> $F
    %beta_tile = xetile.init_tile %beta[0, 0] : $G -> $GT
    %beta_line = xetile.load_tile %beta_tile : $GT -> $GV
    %beta_all = xetile.tile_broadcast %beta_line [$E] : $GV -> $F
    %scaled = arith.mulf %normal, %gamma_all : $F
    %out = arith.addf %scaled, %beta_all : $F{STORE}"""
    values = x.astype(float)
    centred = values - values.mean(axis=along, keepdims=True)
    normal = centred / numpy.sqrt((centred**2).mean(axis=along, keepdims=True) + 1e-5)
    expected = normal * gamma.astype(float) + beta.astype(float)
    return _case("layer_norm", along, type, body, x, expected, gamma, beta, split=split)


def _case(
    name: str,
    along: Dimension,
    type: str,
    body: str,
    x: Array,
    expected: Array,
    *lines: Array,
    split: bool,
) -> Case:
    values = _values(along, type, split=split)
    y = numpy.full((SIZE, SIZE), 7, NUMPY[type])
    names = ("gamma", "beta")[: len(lines)]
    parameters = ("%X: $X", *(f"%{line}: $G" for line in names), "%Y: $X")
    return Case(
        f"{name}_{type}_along_{along}{'_split' if split else ''}",
        [filled(parameter, values) for parameter in parameters],
        filled(body, values),
        (x, *lines, y),
        {1 + len(lines): expected},
        ERRORS[type],
        SPLIT,
        reorders=split,
    )


def two_products() -> Case:
    """exp(A * B) * C: the first product's result is converted and is operand A of the second."""
    a, b, c = (numbers((SIZE, SIZE), "f16", seed) / 8 for seed in range(3))
    layout, units = _map(1, split=False)
    shared: Map = (layout, (SIZE, SIZE))
    values = {
        "A": tile((SIZE, SIZE), "f16", (layout, units)),
        "B": tile((SIZE, SIZE), "f16", shared),
        "D": tile((SIZE, SIZE), "f32", (layout, units)),
        "H": f"vector<{SIZE}x{SIZE}xf16>",
        "F": f"vector<{SIZE}x{SIZE}xf32>",
        "M": f"memref<{SIZE}x{SIZE}xf16>",
        "R": f"memref<{SIZE}x{SIZE}xf32>",
    }
    body = """
    %a_tile = xetile.init_tile %A[0, 0] : $M -> $A
    %b_tile = xetile.init_tile %B[0, 0] : $M -> $B
    %c_tile = xetile.init_tile %C[0, 0] : $M -> $B
    %a = xetile.load_tile %a_tile : $A -> $H
    %b = xetile.load_tile %b_tile : $B -> $H
    %c = xetile.load_tile %c_tile : $B -> $H
    %s = xetile.tile_mma %a, %b : $H, $H -> $F
    %p = math.exp %s : $F
    %p_f16 = arith.truncf %p : $F to $H
    %d = xetile.tile_mma %p_f16, %c : $H, $H -> $F
    %d_tile = xetile.init_tile %D[0, 0] : $R -> $D
    xetile.store_tile %d, %d_tile : $F, $D"""
    parameters = ("%A: $M", "%B: $M", "%C: $M", "%D: $R")
    exact = [array.astype(float) for array in (a, b, c)]
    return Case(
        "mma_exp_mma",
        [filled(parameter, values) for parameter in parameters],
        filled(body, values),
        (a, b, c, numpy.full((SIZE, SIZE), 7, numpy.float32)),
        {3: numpy.exp(exact[0] @ exact[1]) @ exact[2]},
        1e-3,
        4,
    )


def row_kernels() -> list[Case]:
    """Both dimensions, f32 and f16."""
    dimensions: tuple[Dimension, Dimension] = (0, 1)
    return [
        *(
            make(along, t)
            for make in (softmax, layer_norm)
            for along in dimensions
            for t in ("f32", "f16")
        ),
        two_products(),
    ]
