"""A program on tf32 whose memory holds any f32 gives the same bits on numpy and on the device."""

import numpy
import pytest

from xetile.dialects.modules import parse
from xetile.interpreter import execute
from xetile.runtime.launch import execute_on
from xetile.runtime.open_device import Device

KERNEL = """
gpu.module @m {
  gpu.func @k(%A: memref<16x32xtf32>, %F: memref<16x32xf32>, %P: memref<16x32xf32>, %S: memref<16x32xtf32>,
      %C: memref<16x32xtf32>) kernel attributes
      {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %ta = xetile.init_tile %A[0, 0] : memref<16x32xtf32> -> !xetile.tile<16x32xtf32>
    %a = xetile.load_tile %ta : !xetile.tile<16x32xtf32> -> vector<16x32xtf32>
    %tf = xetile.init_tile %F[0, 0] : memref<16x32xf32> -> !xetile.tile<16x16xf32>
    %f = xetile.load_tile %tf : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    %n = arith.truncf %f : vector<16x16xf32> to vector<16x16xtf32>
    %p = xetile.tile_mma %n, %a : vector<16x16xtf32>, vector<16x32xtf32> -> vector<16x32xf32>
    %tp = xetile.init_tile %P[0, 0] : memref<16x32xf32> -> !xetile.tile<16x32xf32>
    xetile.store_tile %p, %tp : vector<16x32xf32>, !xetile.tile<16x32xf32>
    %tv = xetile.init_tile %F[0, 0] : memref<16x32xf32> -> !xetile.tile<16x32xf32>
    %v = xetile.load_tile %tv : !xetile.tile<16x32xf32> -> vector<16x32xf32>
    %w = arith.truncf %v : vector<16x32xf32> to vector<16x32xtf32>
    %one = arith.constant dense<1.0008> : vector<16x32xtf32>
    %s = arith.addf %w, %one : vector<16x32xtf32>
    %ts = xetile.init_tile %S[0, 0] : memref<16x32xtf32> -> !xetile.tile<16x32xtf32>
    xetile.store_tile %s, %ts : vector<16x32xtf32>, !xetile.tile<16x32xtf32>
    %tb = xetile.init_tile %A[0, 0] : memref<16x32xtf32> -> !xetile.tile<16x32xtf32>
    %b = xetile.load_tile %tb : !xetile.tile<16x32xtf32> -> vector<16x32xtf32>
    %tc = xetile.init_tile %C[0, 0] : memref<16x32xtf32> -> !xetile.tile<16x32xtf32>
    xetile.store_tile %b, %tc : vector<16x32xtf32>, !xetile.tile<16x32xtf32>
    gpu.return
  }
}"""


@pytest.mark.opencl
def test_any_f32_in_memory(opencl_cpu: Device) -> None:
    """Cut by loads and by the product, rounded by conversions and sums, copied without what is cut."""
    random = numpy.random.default_rng(8)
    a, f = random.standard_normal((2, 16, 32)).astype(numpy.float32)
    # NaNs of f32 that are infinities of tf32: what makes them NaNs is cut
    a.view(numpy.uint32)[0, 0], a.view(numpy.uint32)[1, 1] = 0x7F800001, 0xFF801FFF
    module = parse(KERNEL)
    expected = [numpy.zeros((16, 32), numpy.float32) for _ in range(3)]
    execute(module, None, [a, f, *expected])
    found = [numpy.zeros((16, 32), numpy.float32) for _ in range(3)]
    execute_on(opencl_cpu, module, None, [a, f, *found], target="bmg")
    for left, right in zip(found, expected, strict=True):
        numpy.testing.assert_array_equal(left.view(numpy.uint32), right.view(numpy.uint32))
    assert (expected[2].view(numpy.uint32) & 0x1FFF == 0).all()
    assert numpy.isinf(expected[2].diagonal()[:2]).all()
    assert numpy.isinf(expected[0][:, :2]).all()
    assert (a.view(numpy.uint32) & 0x1FFF != 0).any()
