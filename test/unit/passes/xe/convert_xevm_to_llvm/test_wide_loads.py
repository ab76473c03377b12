"""A column-major tile on the device whose transposed messages are 16 columns wide: the same bits as on the others."""

import numpy
import pytest
from support.on_device import Place

from xetile.dialects.modules import context, parse
from xetile.passes.pipelines import lower

COLUMNS = "memref<64x64xf32, strided<[1, 64]>>"
TILE = "!xetile.tile<32x16xf32, #xetile.tile_attr<order = [0, 1]>>"
TEXT = f"""
gpu.module @m {{ gpu.func @k(%A: {COLUMNS}, %C: memref<64x64xf32>) kernel attributes {{
    known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 2, 1, 1>}} {{
  %c32 = arith.constant 32 : index
  %b = gpu.block_id x
  %j = arith.muli %b, %c32 : index
  %a = xetile.init_tile %A[%j, 32] : {COLUMNS} -> {TILE}
  %v = xetile.load_tile %a : {TILE} -> vector<32x16xf32>
  %c = xetile.init_tile %C[%j, 48] : memref<64x64xf32> -> !xetile.tile<32x16xf32>
  xetile.store_tile %v, %c : vector<32x16xf32>, !xetile.tile<32x16xf32>
  gpu.return
}} }}"""


@pytest.mark.parametrize("device", ["bmg", "cri"])
def test_wider_messages_bring_the_same(device: str, place: Place) -> None:
    a = numpy.asfortranarray(numpy.random.default_rng(0).standard_normal((64, 64)))
    a = a.astype(numpy.float32, order="F")
    module = parse(TEXT)
    lower(context(), module, "xevm", device)
    c = numpy.zeros((64, 64), numpy.float32)
    place.execute(module, "k", [a, c], target=device)
    assert numpy.array_equal(c[:, 48:], a[:, 32:48])
    assert not c[:, :48].any()
