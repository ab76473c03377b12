"""Buffers in shared memory: their views and single elements, executed at every level below blocks and on the device."""

import numpy as np
import pytest
from support.on_device import Place, levels_and_places

from xetile import api
from xetile.levels import LevelName

KERNEL = """
gpu.module @m {
  memref.global "private" @named : memref<2xf32, 3> = uninitialized
  gpu.func @k(%a: memref<8x16xf32>, %o: memref<5x16xf32>) workgroup(%own: memref<3xf32, 3>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 3, 1, 1>} {
    %b = memref.alloc() : memref<16x64xf32, 3>
    %p = memref.alloc() : memref<16x16xf16, strided<[24, 1]>, 3>
    %q = memref.alloc() : memref<4096xi8, 3>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c512 = arith.constant 512 : index
    %me = gpu.subgroup_id : index
    %d = xegpu.create_nd_tdesc %a : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %e = vector.extract %v[%me, 3] : f32 from vector<8x16xf32>
    // each subgroup gives what the other one takes
    %t = memref.transpose %b (i, j) -> (j, i) : memref<16x64xf32, 3> to memref<64x16xf32, strided<[1, 64]>, 3>
    %w = memref.subview %t[5, 0] [16, 8] [2, 1] : memref<64x16xf32, strided<[1, 64]>, 3> to memref<16x8xf32, strided<[2, 64], offset: 5>, 3>
    memref.store %e, %w[%c1, %me] : memref<16x8xf32, strided<[2, 64], offset: 5>, 3>
    memref.store %e, %own[%me] : memref<3xf32, 3>
    %named = memref.get_global @named : memref<2xf32, 3>
    memref.store %e, %named[%me] : memref<2xf32, 3>
    gpu.barrier
    %other = arith.subi %c1, %me : index
    %again = memref.get_global @named : memref<2xf32, 3>
    %n = memref.load %again[%other] : memref<2xf32, 3>
    %f = memref.load %w[%c1, %other] : memref<16x8xf32, strided<[2, 64], offset: 5>, 3>
    %h = arith.truncf %f : f32 to f16
    gpu.barrier
    memref.store %h, %p[%c2, %me] : memref<16x16xf16, strided<[24, 1]>, 3>
    %u = memref.view %q[%c512][] : memref<4096xi8, 3> to memref<16x32xf32, 3>
    %flat = memref.collapse_shape %u [[0, 1]] : memref<16x32xf32, 3> into memref<512xf32, 3>
    memref.store %f, %flat[%me] : memref<512xf32, 3>
    gpu.barrier
    %g = memref.load %p[%c2, %other] : memref<16x16xf16, strided<[24, 1]>, 3>
    %x = arith.extf %g : f16 to f32
    %y = memref.load %u[%c0, %other] : memref<16x32xf32, 3>
    %z = memref.load %own[%other] : memref<3xf32, 3>
    memref.store %f, %o[%c0, %me] : memref<5x16xf32>
    memref.store %x, %o[%c1, %me] : memref<5x16xf32>
    memref.store %y, %o[%c2, %me] : memref<5x16xf32>
    %c3 = arith.constant 3 : index
    memref.store %z, %o[%c3, %me] : memref<5x16xf32>
    %c4 = arith.constant 4 : index
    memref.store %n, %o[%c4, %me] : memref<5x16xf32>
    gpu.return
  }
}"""


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places(None, "xevm"), indirect=["place"]
)
def test_views_and_elements(level: LevelName | None, place: Place) -> None:
    module = api.parse(KERNEL)
    if level is not None:
        module = api.lower(module, to=level, device="bmg")
    a = np.arange(128, dtype=np.float32).reshape(8, 16)
    o = np.zeros((5, 16), np.float32)
    place.execute(module, "k", [a, o])
    mine, theirs = [3.0, 19.0], [19.0, 3.0]
    assert o[:, :2].tolist() == [theirs, mine, mine, theirs, theirs]


def test_their_bytes_are_in_the_contract() -> None:
    module = api.lower(api.parse(KERNEL), to="llvm", device="bmg")
    # the first and the last share 4096 bytes, 768 stand beside, which the named one shares, and 12 are the kernel's own
    assert "shared_memory = 4876 : i64" in str(module)
