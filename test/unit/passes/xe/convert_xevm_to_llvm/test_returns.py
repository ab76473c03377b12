"""What a kernel returns: nothing."""

import pytest

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.passes.xe.convert_xevm_to_llvm import ConvertXeVMToLLVM

KERNEL = """gpu.module @m {{
  gpu.func @k(%A: memref<64xi32>) {result} kernel {{
    %one = arith.constant 1 : i32
    gpu.return {value}
  }}
}}"""


def test_a_value_that_is_returned_is_refused() -> None:
    module = parse(KERNEL.format(result="-> i32", value="%one : i32"))
    with pytest.raises(XetileError, match="a kernel returns nothing"):
        ConvertXeVMToLLVM("bmg").apply(context(), module)


def test_a_return_is_one_of_llvm() -> None:
    module = parse(KERNEL.format(result="", value=""))
    ConvertXeVMToLLVM("bmg").apply(context(), module)
    assert [op.name for op in module.walk()][-1] == "llvm.return"
