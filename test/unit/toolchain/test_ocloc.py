from pathlib import Path

import pytest

from xetile.errors import XetileError
from xetile.targets.target import RegisterFile
from xetile.targets.xe.device import BUILD_OPTIONS
from xetile.toolchain.assembly import statistics
from xetile.toolchain.ocloc import compile_spirv, disassemble

STORE = """
target triple = "spirv64-unknown-unknown"
declare spir_func i64 @_Z12get_group_idj(i32)
declare spir_func i32 @{callee}(i32)
define spir_kernel void @store(ptr addrspace(1) %p) !intel_reqd_sub_group_size !0 {{
  %id = call spir_func i64 @_Z12get_group_idj(i32 0)
  %x = trunc i64 %id to i32
  %y = call spir_func i32 @{callee}(i32 %x)
  store i32 %y, ptr addrspace(1) %p
  ret void
}}
!0 = !{{i32 16}}
"""


def spirv(callee: str) -> bytes:
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    module = binding.parse_assembly(STORE.format(callee=callee))
    machine = binding.Target.from_triple("spirv64-unknown-unknown").create_target_machine(
        opt=2
    )
    return machine.emit_object(module)


def registers(grf: RegisterFile) -> tuple[str, ...]:
    return BUILD_OPTIONS[grf].level_zero


@pytest.mark.ocloc
def test_compile_disassemble_and_count():
    binary = compile_spirv(spirv("_Z3absi"), "bmg", registers("large"))
    kernels, description = disassemble(binary, "bmg")
    assert list(kernels) == ["store"]
    counts = statistics(kernels["store"], description, "store")
    assert counts["grf_count"] == 256
    assert counts["dpas"] == counts["spill_size"] == 0
    assert counts["total"] > 3


@pytest.mark.ocloc
def test_the_register_file_is_a_choice():
    binary = compile_spirv(spirv("_Z3absi"), "bmg", registers("small"))
    kernels, description = disassemble(binary, "bmg")
    assert statistics(kernels["store"], description, "store")["grf_count"] == 128


@pytest.mark.ocloc
def test_a_builtin_that_does_not_exist_is_an_error():
    # most often IGC leaves the symbol undefined, which we refuse; now and then it ends abnormally itself
    refusal = "ocloc (knows no _Z9no_such_xi|refuses the kernel) for bmg"
    with pytest.raises(XetileError, match=refusal):
        compile_spirv(spirv("_Z9no_such_xi"), "bmg")


@pytest.mark.ocloc
def test_what_is_no_spirv_is_refused():
    with pytest.raises(XetileError, match="ocloc refuses the kernel for bmg: "):
        compile_spirv(b"no SPIR-V", "bmg")


def test_without_ocloc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("XETILE_OCLOC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        XetileError, match="ocloc is needed and not installed; name it in XETILE_OCLOC"
    ):
        compile_spirv(b"", "bmg")
