import struct
import subprocess
from pathlib import Path

import pytest

from xetile.codegen.spirv_emitter import (
    MAGIC,
    has_unique_ids,
    instructions,
    is_harmless,
    to_spirv,
)
from xetile.errors import XetileError

KERNEL = """
target triple = "spirv64-unknown-unknown"
declare spir_func i32 @{callee}(i32)
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) !intel_reqd_sub_group_size !0 {{
entry:
  br label %head
head:
  %k = phi i32 [0, %entry], [%next, %body]
  %again = icmp slt i32 %k, %n
  br i1 %again, label %body, label %end
body:
  %v = call spir_func i32 @{callee}(i32 %k)
  store i32 %v, ptr addrspace(1) %p
  %next = add i32 %k, 1
  br label %head
end:
  ret void
}}
!0 = !{{i32 16}}
"""


def spirv(*instructions: tuple[int, ...], bound: int = 100) -> bytes:
    """A module of raw instructions (opcode, operands)."""
    words = [MAGIC, 0x10400, 0, bound, 0]
    for opcode, *operands in instructions:
        words += [(len(operands) + 1) << 16 | opcode, *operands]
    return struct.pack(f"<{len(words)}I", *words)


INT32, LABEL, FUNCTION, BRANCH, STORE = (
    (21, 5, 32, 0),
    (248, 7),
    (54, 5, 6, 0, 8),
    (249, 7),
    (62, 5, 5),
)


def test_instructions():
    found = list(instructions(spirv(INT32, LABEL)))
    assert found == [(21, (5, 32, 0)), (248, (7,))]


def test_ids_are_defined_once():
    assert has_unique_ids(spirv(INT32, FUNCTION, LABEL, BRANCH, STORE))
    assert not has_unique_ids(spirv(INT32, FUNCTION, (248, 5)))
    assert not has_unique_ids(spirv(INT32, FUNCTION, (248, 6)))
    assert not has_unique_ids(spirv(INT32, LABEL, LABEL))
    assert not has_unique_ids(spirv(INT32, LABEL, bound=7))


@pytest.mark.spirv_val
def test_every_module_of_a_process_is_valid_and_the_same(spirv_val: Path, tmp_path: Path):
    """LLVM's own answer is neither, once in a while."""
    texts = [
        KERNEL.format(callee=f"_Z{len(name)}{name}i") for name in ("abs", "foo", "another")
    ]
    seen: set[bytes] = set()
    for text in texts * 8:
        seen.add(to_spirv(text))
    assert len(seen) == len(texts)
    for number, made in enumerate(seen):
        path = tmp_path / f"{number}.spv"
        path.write_bytes(made)
        answer = subprocess.run([spirv_val, path], capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stdout + answer.stderr


def test_text_that_llvm_does_not_read():
    with pytest.raises(
        XetileError, match=r"LLVM refuses the kernel: .*error: expected top-level entity"
    ):
        to_spirv("no LLVM IR")


def test_the_names_of_the_pass_are_harmless():
    for name in (
        "_Z42intel_sub_group_2d_block_read_16b_32r16x2cPU3AS1viiiDv2_iPt",
        "_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_",
        "_Z12get_group_idj",
        "_Z16get_sub_group_idv",
        "_Z22get_sub_group_local_idv",
        "_Z22atomic_work_item_fencejii",
        "_Z6printfPU3AS2Kcz",
        "__builtin_IB_subgroup_setBlock2DAddressPayloadBlockX",
        "__internal_intel_sub_group_2d_block_read_16b_8r16x1c_cache_controls",
    ):
        assert is_harmless(name)


def test_a_function_on_which_llvm_ends_the_process():
    name = "_Z32intel_convert_bfloat16_as_ushortf"
    assert not is_harmless(name)
    text = f"""
    target triple = "spirv64-unknown-unknown"
    declare spir_func i16 @{name}(float)
    define spir_kernel void @k(ptr addrspace(1) %p, float %f) {{
      %v = call spir_func i16 @{name}(float %f)
      store i16 %v, ptr addrspace(1) %p
      ret void
    }}"""
    with pytest.raises(
        XetileError, match=r"^LLVM cannot compile the kernel: .*SPV_INTEL_bfloat16_conversion"
    ):
        to_spirv(text, [name])
