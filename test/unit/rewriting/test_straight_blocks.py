"""Blocks that follow one another without a choice become one; what branches stays."""

import numpy
import pytest
from support.on_device import Place, levels_and_places

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.levels import LevelName
from xetile.passes.pipelines import lower
from xetile.passes.tiles.xetile_infer_wg_map import XeTileInferWgMap
from xetile.passes.xe.xetile_blocking import XeTileBlocking
from xetile.rewriting.straight_blocks import merge_straight_blocks


def blocks(text: str) -> int:
    module = parse(text)
    (function,) = module.body.block.ops
    merge_straight_blocks(function)
    module.verify()
    return len(function.regions[0].blocks)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("func.return", 1),
        ("cf.br ^a\n^a:\nfunc.return", 1),
        ("cf.br ^a(%x : index)\n^a(%y: index):\ncf.br ^b\n^b:\nfunc.call @f(%y) : (index) -> ()\nfunc.return", 1),
        ("cf.br ^b\n^a:\nfunc.return\n^b:\ncf.br ^a", 1),
        ("cf.br ^a\n^a:\ncf.br ^a", 2),
        ("%c = arith.constant true\ncf.cond_br %c, ^a, ^b\n^a:\ncf.br ^b\n^b:\nfunc.return", 3),
        ("%c = arith.constant true\ncf.br ^z\n^z:\ncf.cond_br %c, ^a, ^b\n^a:\nfunc.return\n^b:\nfunc.return", 3),
    ],
)  # fmt: skip
def test_which_blocks_are_joined(body: str, count: int) -> None:
    assert blocks(f"func.func @f(%x: index) {{\n{body}\n}}") == count


KERNEL = """
gpu.module @m {
  gpu.func @k(%a: memref<64x64xf32>, %b: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: SIZE, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = xetile.init_tile %a[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32MAP>
    cf.br ^next(%c32, %t : index, !xetile.tile<32x32xf32MAP>)
  ^next(%row: index, %tile: !xetile.tile<32x32xf32MAP>):
    %v = xetile.load_tile %tile : !xetile.tile<32x32xf32MAP> -> vector<32x32xf32>
    cf.br ^last(%v : vector<32x32xf32>)
  ^last(%w: vector<32x32xf32>):
    %u = xetile.init_tile %b[%row, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32MAP>
    xetile.store_tile %w, %u : vector<32x32xf32>, !xetile.tile<32x32xf32MAP>
    gpu.return
  }
}
"""
SUBGROUP = KERNEL.replace("SIZE", "16").replace("MAP", "")
WORKGROUP = KERNEL.replace("SIZE", "64").replace(
    "MAP", ", #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>"
)


@pytest.mark.parametrize("text", [SUBGROUP, WORKGROUP])
@pytest.mark.parametrize(
    ("level", "place"),
    levels_and_places(None, "subgroup", "blocked", "xegpu", "xevm"),
    indirect=["place"],
)
def test_a_kernel_of_straight_blocks_is_lowered(
    level: LevelName | None, text: str, place: Place
) -> None:
    module = parse(text)
    if level is not None:
        lower(context(), module, level, "bmg")
        module.verify()
    a = numpy.random.default_rng(0).random((64, 64), numpy.float32)
    b = numpy.zeros_like(a)
    place.execute(module, "k", [a, b])
    assert numpy.array_equal(b[32:, :32], a[:32, :32])
    assert not b[:32].any()


def test_each_pass_alone_takes_straight_blocks() -> None:
    XeTileBlocking("bmg").apply(context(), parse(SUBGROUP))
    XeTileInferWgMap().apply(context(), parse(WORKGROUP))


def test_branches_are_refused() -> None:
    text = SUBGROUP.replace(
        "cf.br ^last(%v : vector<32x32xf32>)",
        "%c = arith.constant true\ncf.cond_br %c, ^last(%v : vector<32x32xf32>), ^last(%v : vector<32x32xf32>)",
    )
    with pytest.raises(XetileError, match="the body has 2 blocks; expected one block"):
        XeTileBlocking("bmg").apply(context(), parse(text))
