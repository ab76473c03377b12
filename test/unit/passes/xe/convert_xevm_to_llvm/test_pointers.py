"""LLVM's own accesses to memory, as kernels at level V hold them."""

import pytest
from xdsl.context import Context

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.passes.pipelines import lower
from xetile.passes.xe.convert_xevm_to_llvm import ConvertXeVMToLLVM

KERNEL = """gpu.module @m {
  gpu.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    %v = llvm.load %p : !llvm.ptr<1> -> TYPE
    llvm.store %v, %q : TYPE, !llvm.ptr<1>
    gpu.return
  }
}"""


def accesses(type: str) -> list[str]:
    module = parse(KERNEL.replace("TYPE", type), "kernel.mlir")
    ConvertXeVMToLLVM().apply(Context(), module)
    module.verify()
    return [
        str((*op.results, *op.operands)[0].type)
        for op in module.walk()
        if op.name in ("llvm.load", "llvm.store")
    ]


@pytest.mark.parametrize(
    "type", ["i32", "f32", "vector<2xi16>", "vector<4xf32>", "vector<8xi32>"]
)
def test_scalars_and_short_vectors_stay(type: str) -> None:
    assert accesses(type) == [type, type]


@pytest.mark.parametrize("type", ["vector<1xi16>", "vector<3xi32>", "vector<16xf32>"])
def test_other_vectors_are_refused(type: str) -> None:
    with pytest.raises(XetileError, match=f"'llvm.load' giving {type} has no lowering"):
        accesses(type)


ALIGNED = """gpu.module @m {
  gpu.func @k(%A: memref<16x64xf16>, %B: memref<16x64xf16>) kernel attributes {
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %a = memref.assume_alignment %A, 64 : memref<16x64xf16>
    %b = memref.assume_alignment %B, 64 : memref<16x64xf16>
    %s = xetile.init_tile %a[0, 0] : memref<16x64xf16> -> !xetile.tile<16x16xf16>
    %t = xetile.init_tile %b[0, 16] : memref<16x64xf16> -> !xetile.tile<16x16xf16>
    %v = xetile.load_tile %s : !xetile.tile<16x16xf16> -> vector<16x16xf16>
    xetile.store_tile %v, %t : vector<16x16xf16>, !xetile.tile<16x16xf16>
    gpu.return
  }
}"""


def test_what_proves_an_alignment_reaches_llvm() -> None:
    module = parse(ALIGNED, "kernel.mlir")
    lower(context(), module, "llvm", "bmg", assume="gather")
    calls = [str(op) for op in module.walk() if op.name == "llvm.call"]
    assert any("block_read" in call or "2d_block" in call.lower() for call in calls)
