"""Tiles that loops make become ones that they carry, and back: the same bits, and the same text where it was carried."""

import re

import numpy
import pytest
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.api import parse_text
from xetile.dialects.modules import context
from xetile.kernels import gemm_module
from xetile.levels import LevelName
from xetile.passes.tiles.xetile_carry_tiles import XeTileCarryTiles, XeTileUncarryTiles


def carried(prefetch: int | None) -> ModuleOp:
    module = gemm_module(
        m=40, n=48, k=72, workgroup_tile=(32, 32), subgroup_tile=(16, 16), prefetch=prefetch
    )
    XeTileCarryTiles().apply(context(), module)
    return module


GEMMS = {"plain": carried(None), "ahead": carried(2)}


def made_anew(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    XeTileUncarryTiles().apply(context(), copy)
    return copy


def product(module: ModuleOp) -> numpy.ndarray:
    random = numpy.random.default_rng(0)
    a = random.standard_normal((40, 72)).astype(numpy.float16)
    b = random.standard_normal((72, 48)).astype(numpy.float16)
    c = numpy.zeros((40, 48), numpy.float32)
    xetile.execute(module, "gemm", a, b, c)
    return c


def lines(module: ModuleOp) -> list[str]:
    """Without the names of values, which are numbers."""
    return sorted(re.sub(r"%\w+", "%", xetile.text(module)).splitlines())


@pytest.mark.parametrize("name", GEMMS)
def test_there_and_back_is_the_same_kernel(name: str) -> None:
    anew = made_anew(GEMMS[name])
    text = xetile.text(anew)
    assert "update_tile_offset" not in text
    assert "iter_args(%total_1 = %0)" in text
    XeTileCarryTiles().apply(context(), anew)
    anew.verify()
    assert lines(anew) == lines(GEMMS[name])
    assert (product(anew) == product(GEMMS[name])).all()


@pytest.mark.parametrize("level", [None, "subgroup", "xevm"])
def test_tiles_made_anew_give_the_same_bits(level: LevelName | None) -> None:
    written, anew = GEMMS["ahead"], made_anew(GEMMS["ahead"])
    if level is not None:
        anew = xetile.lower(anew, to=level, device="bmg")
    assert (product(written) == product(anew)).all()


BODY = """
gpu.module @kernels {{
  gpu.func @k(%A: memref<64x64xf32>, %n: index, %vectors: vector<4x16xindex>, %F: memref<4096xf32>) kernel {{
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    scf.for %k = %c0 to %c64 step {step} {{
      {tile}
      xetile.prefetch_tile %t : !xetile.tile<8x16xf32>
    }}
    gpu.return
  }}
}}
"""


@pytest.mark.parametrize(
    ("step", "tile"),
    {
        "a step that is no number": ("%n", "%t = xetile.init_tile %A[0, %k] : memref<64x64xf32> -> !xetile.tile<8x16xf32>"),
        "a counter by itself": ("%c8", "%p = arith.muli %k, %k : index\n%t = xetile.init_tile %A[0, %p] : memref<64x64xf32> -> !xetile.tile<8x16xf32>"),
        "a tile that stays": ("%c8", "%t = xetile.init_tile %A[0, %n] : memref<64x64xf32> -> !xetile.tile<8x16xf32>"),
    }.values(),
)  # fmt: skip
def test_other_tiles_stay(step: str, tile: str) -> None:
    module = parse_text(BODY.format(step=step, tile=tile), "k.mlir")
    XeTileCarryTiles().apply(context(), module)
    assert "iter_args" not in xetile.text(module)


def test_an_offset_below_the_counter_begins_below() -> None:
    tile = "%p = arith.subi %n, %k : index\n%t = xetile.init_tile %A[%k, %p] : memref<64x64xf32> -> !xetile.tile<8x16xf32>"
    module = parse_text(BODY.format(step="%c8", tile=tile), "k.mlir")
    XeTileCarryTiles().apply(context(), module)
    text = xetile.text(module)
    assert "%t_start = xetile.init_tile %A[0, %n]" in text
    assert "%t_next = xetile.update_tile_offset %t, [8, -8]" in text
