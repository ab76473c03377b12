"""The zeros that masked loads read: one block in a module, whoever asks for it."""

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.passes.xe.convert_xegpu_to_xevm.lane_accesses import wanted_or_zeros
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import LaneCode
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

KERNELS = """
gpu.module @m {
  gpu.func @k(%p: !llvm.ptr<1>, %c: i1) kernel {
    gpu.return
  }
  gpu.func @l(%p: !llvm.ptr<1>, %c: i1) kernel {
    gpu.return
  }
}"""


def _end(view: LaneCode, op: Operation) -> None:
    pointer, wanted = view.entry.args
    for _ in range(2):
        wanted_or_zeros(view, wanted, pointer)
    view.copy(op)


def with_masked_pointers(text: str) -> ModuleOp:
    module, device = parse(text, "k.mlir"), find("bmg")
    assert isinstance(device, XeDevice)
    for function in [op for op in module.walk() if op.name == "gpu.func"]:
        LaneCode(function, {"gpu.return": _end}, device).run()
    return module


def test_the_kernels_of_a_module_share_one_block():
    module = with_masked_pointers(KERNELS)
    module.verify()
    names = [op.name for op in module.walk()]
    assert names.count("llvm.mlir.global") == 1
    assert names.count("llvm.mlir.addressof") == 2
    assert names.count("arith.select") == 4
    assert "internal constant @xetile_zeros(dense<0> : tensor<64xi8>)" in str(module)
    parse(str(module), "again.mlir")


def test_who_else_has_the_name_is_told():
    taken = KERNELS.replace("@l(", "@xetile_zeros(")
    with pytest.raises(XetileError, match="'xetile_zeros' is the name of the zeros"):
        with_masked_pointers(taken)
