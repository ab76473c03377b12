"""Why loops of the host are compiled by code of ours: what xDSL lacks for it. One of these failing means: look again."""

import pytest
from xdsl.backend.llvm.convert_type import convert_type
from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import Builtin, bf16
from xdsl.dialects.func import Func
from xdsl.dialects.memref import MemRef
from xdsl.parser import Parser
from xdsl.transforms import get_all_passes
from xdsl.transforms.convert_memref_to_ptr import ConvertMemRefToPtr
from xdsl.utils.exceptions import DiagnosticException, LLVMTranslationException


@pytest.mark.parametrize("source", ["arith", "cf", "func", "index"])
def test_no_pass_makes_llvm_of_scalars_and_branches(source: str) -> None:
    assert f"convert-{source}-to-llvm" not in get_all_passes()


def test_the_llvm_back_end_has_no_bf16() -> None:
    with pytest.raises(LLVMTranslationException):
        convert_type(bf16)


def test_the_llvm_dialect_has_no_unsigned_integers_as_floats() -> None:
    names = {op.name for op in llvm.LLVM.operations}
    assert "llvm.sitofp" in names
    assert "llvm.uitofp" not in names


LOAD = """
func.func @f(%m: TYPE, %i: index) -> f32 {
  %x = memref.load %m[%i, %i] : TYPE
  func.return %x : f32
}
"""


def lowered(type: str) -> str:
    context = Context()
    for dialect in (Builtin, Func, MemRef):
        context.load_dialect(dialect)
    module = Parser(context, LOAD.replace("TYPE", type)).parse_module()
    ConvertMemRefToPtr().apply(context, module)
    return str(module)


def test_accesses_become_pointers_without_a_check() -> None:
    text = lowered("memref<4x8xf32>")
    assert "ptr.load" in text or "ptr_xdsl.load" in text
    assert "cmpi" not in text


def test_accesses_with_dynamic_strides_are_refused() -> None:
    with pytest.raises(DiagnosticException):
        lowered("memref<4x8xf32, strided<[?, 1]>>")
