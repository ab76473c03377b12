"""LLVM's own accesses to memory, as kernels at level V hold them."""

import pytest
from xdsl.context import Context

from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.passes.convert_xevm_to_llvm import ConvertXeVMToLLVM

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
