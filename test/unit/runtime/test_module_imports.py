"""What a SPIR-V module imports."""

import contextlib
import re
import struct
import subprocess
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_kernels import copy_block, copy_word
from xdsl.dialects.builtin import ModuleOp

from xetile import emit, parse
from xetile.errors import XetileError
from xetile.runtime.emulation.imports import imported_functions

EXAMPLES = Path(__file__).parents[3] / "examples"
KERNELS = ("gemm_f16_plain.mlir", "gemm_i8.mlir")

_DECLARED = re.compile(r"^declare .*@\"?([^\s(\"]+)\"?\(", re.MULTILINE)
_NATIVE = re.compile(r"_Z\d+(get_|barrier|atomic_work_item_fence|sub_group_)|llvm\.|__spirv_")
"""Functions that the back end makes instructions of."""


def spirv_of(module: ModuleOp) -> bytes:
    return cast(bytes, emit(module, "spirv", "bmg"))


@pytest.mark.parametrize("name", KERNELS)
def test_imports_are_what_the_llvm_ir_declares(name: str, tmp_path: Path, spirv_val: Path):
    module = parse(EXAMPLES / name)
    spirv = spirv_of(module)
    (tmp_path / "k.spv").write_bytes(spirv)
    subprocess.run([spirv_val, tmp_path / "k.spv"], check=True)
    declared = _DECLARED.findall(cast(str, emit(module, "ll", "bmg")))
    found = [name for name in imported_functions(spirv) if not _NATIVE.match(name)]
    assert set(found) == {name for name in declared if not _NATIVE.match(name)}
    assert len(found) == len(set(found))


def test_a_module_may_import_nothing_of_ours():
    assert [n for n in imported_functions(spirv_of(copy_word())) if "spirv" not in n] == []


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "0 bytes are no SPIR-V module"),
        (bytes(21), "21 bytes are no SPIR-V module"),
        (bytes(20), "no SPIR-V module: it starts with 0x00000000"),
    ],
)
def test_what_is_no_module_is_refused(data: bytes, message: str):
    with pytest.raises(XetileError) as found:
        imported_functions(data)
    assert found.value.message == message


HEADER = struct.pack("<5I", 0x07230203, 0x10400, 0, 10, 0)
DECORATE = 71 | 5 << 16


@pytest.mark.parametrize(
    "words, message",
    [
        ([0], "an instruction of 0 words at 5"),
        ([3 << 16 | 71, 1], "an instruction of 3 words at 5"),
        ([DECORATE, 1, 41, 0xFFFFFFFF, 1], r"a name is b'\xff\xff\xff\xff'"),
        ([DECORATE, 1, 41, 0x0A0A, 1], r"a name is b'\n\n'"),
    ],
)
def test_damaged_modules_are_refused(words: list[int], message: str):
    with pytest.raises(XetileError) as found:
        imported_functions(HEADER + struct.pack(f"<{len(words)}I", *words))
    assert found.value.message == f"no SPIR-V module: {message}"


@settings(deadline=None)
@given(data=st.data())
def test_whatever_bytes_there_are_is_an_answer_or_a_refusal(data: st.DataObject):
    module = bytearray(small_module())
    for _ in range(data.draw(st.integers(1, 5))):
        module[data.draw(st.integers(20, len(module) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(module)))
    for damaged in (module, module[:cut]):
        with contextlib.suppress(XetileError):
            assert all(name.isprintable() for name in imported_functions(bytes(damaged)))


@cache
def small_module() -> bytes:
    return spirv_of(copy_block())
