"""What the links of assembly rest on: damaged line numbers are refused, and LLVM writes none of its own."""

import random
from pathlib import Path

import pytest

import xetile
from xetile.codegen import lower_to_llvm
from xetile.codegen.spirv_emitter import instructions, to_spirv
from xetile.errors import XetileError
from xetile.explorer.isa.debug_lines import line_rows, with_lines
from xetile.explorer.isa.spirv_marks import OP_LINE, marked
from xetile.toolchain.elf import contents
from xetile.toolchain.ocloc import compile_spirv

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.ocloc
def test_damaged_line_numbers_are_refused_or_read() -> None:
    found = marked(lower_to_llvm(xetile.parse(EXAMPLES / "softmax.mlir"), "bmg"))
    spirv = with_lines(found.spirv, found.instructions, found.parents)
    binary = compile_spirv(spirv, "bmg", ["-g"])
    section = contents(binary, ".debug_line")
    assert section is not None
    assert line_rows(binary)
    start = binary.index(section)
    chosen = random.Random(0)
    refused = 0
    for at in range(24):
        damaged = bytearray(binary)
        for place in (start + at, start + chosen.randrange(len(section))):
            damaged[place] = chosen.choice((0, 255))
        try:
            line_rows(bytes(damaged))
        except XetileError as error:
            refused += "\n" not in str(error)
    assert refused
    with pytest.raises(XetileError, match="damaged"):
        line_rows(binary[: start + len(section) // 2])


WITH_LINES = """
target triple = "spirv64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %a) !dbg !4 {
  store i32 1, ptr addrspace(1) %a, !dbg !5
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cl", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, scope: !4)
"""


def test_llvm_writes_no_lines() -> None:
    """Where this fails, LLVM's SPIR-V has lines of its own: marks (`explorer/isa/spirv_marks.py`) can go."""
    found = list(instructions(to_spirv(WITH_LINES, ["k"])))
    assert [one for one in found if one.opcode == OP_LINE] == []
    texts = [one for one in found if one.opcode == 7]
    assert texts == [], "OpString, as of a file"
