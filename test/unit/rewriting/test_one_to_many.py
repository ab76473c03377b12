"""What meets in control flow has one form, else the op that brings the other one is refused."""

import pytest

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.passes.pipelines import lower
from xetile.passes.xe.convert_xegpu_to_xevm import ConvertXeGPUToXeVM

KERNEL = """
func.func @k(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %first: i1) attributes {
    known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
  %t = xetile.init_tile %a[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %u = xetile.init_tile %OTHER[8, 16] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %w = scf.if %first -> (!xetile.tile<8x16xf32>) {
    scf.yield %t : !xetile.tile<8x16xf32>
  } else {
    scf.yield %u : !xetile.tile<8x16xf32>
  }
  %v = xetile.load_tile %w : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  xetile.store_tile %v, %w : vector<8x16xf32>, !xetile.tile<8x16xf32>
  func.return
}
"""


DESCRIPTORS = """
gpu.module @m {
  gpu.func @k(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %first: i1) kernel {
    %i = gpu.subgroup_id : index
    %t = xegpu.create_nd_tdesc %a : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %u = xegpu.create_nd_tdesc %OTHER : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %w = scf.if %first -> (!xegpu.tensor_desc<8x16xf32>) {
      scf.yield %t : !xegpu.tensor_desc<8x16xf32>
    } else {
      scf.yield %u : !xegpu.tensor_desc<8x16xf32>
    }
    xegpu.prefetch_nd %w[%i, %i] : !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
"""


def line_of(text: str, op: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if op in line)


def test_a_branch_may_choose_a_place_but_not_a_matrix() -> None:
    lower(context(), parse(KERNEL.replace("OTHER", "a")), "xegpu", "bmg")
    text = KERNEL.replace("OTHER", "b")
    with pytest.raises(XetileError, match="tiles of two descriptors meet") as found:
        lower(context(), parse(text, "k.mlir"), "xegpu", "bmg")
    assert f"k.mlir:{line_of(text, 'yield %u')}:" in str(found.value)


def test_descriptors_of_one_matrix_may_meet() -> None:
    convert = ConvertXeGPUToXeVM(device="bmg")
    convert.apply(context(), parse(DESCRIPTORS.replace("OTHER", "a")))
    text = DESCRIPTORS.replace("OTHER", "b")
    with pytest.raises(XetileError, match="values of different form meet") as found:
        convert.apply(context(), parse(text, "k.mlir"))
    assert f"k.mlir:{line_of(text, 'yield %u')}:" in str(found.value)
