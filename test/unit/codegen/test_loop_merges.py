"""What is said of loops, from the llvm dialect to SPIR-V and to what Intel's compiler makes of it."""

import subprocess
from pathlib import Path

import pytest

from xetile.codegen import emit
from xetile.codegen.spirv_emitter import Instruction, code, instructions, placed
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.kernels import gemm_module

LABEL, MERGE, BRANCH, CONDITIONAL = 248, 246, 249, 250
DISABLE = "disable = true"

TWO_LOOPS = """
llvm.func @k(%n: i32, %p: !llvm.ptr<1>) attributes {{gpu.kernel, intel_reqd_sub_group_size = 16 : i32}} {{
  %0 = llvm.mlir.constant(0 : i32) : i32
  %1 = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^outer(%0 : i32)
^outer(%i: i32):
  %first = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %first, ^inner(%0 : i32), ^end
^inner(%j: i32):
  llvm.store %j, %p : i32, !llvm.ptr<1>
  %j_next = llvm.add %j, %1 : i32
  %second = llvm.icmp "slt" %j_next, %n : i32
  llvm.cond_br %second, ^inner(%j_next : i32), {behind} {inner}
^latch:
  %i_next = llvm.add %i, %1 : i32
  llvm.br ^outer(%i_next : i32) {outer}
^end:
  llvm.return
}}
"""


def said(*unroll: str) -> str:
    return f"{{loop_annotation = #llvm.loop_annotation<unroll = <{', '.join(unroll)}>>}}"


def spirv(inner: str = "", outer: str = "", behind: str = "^latch") -> bytes:
    text = TWO_LOOPS.format(inner=inner, outer=outer, behind=behind)
    if behind != "^latch":  # nothing leads there
        text = text[: text.index("^latch:")] + text[text.index("^end:") :]
    return code(parse(text, "kernel.mlir"))


def merges(module: bytes) -> list[Instruction]:
    """The OpLoopMerges, each of which stands before the branch of its block."""
    found = list(instructions(module))
    places = [place for place, one in enumerate(found) if one.opcode == MERGE]
    assert all(found[place + 1].opcode in (BRANCH, CONDITIONAL) for place in places)
    return [found[place] for place in places]


@pytest.mark.parametrize(
    ("unroll", "control"),
    [
        ((DISABLE,), (2,)),
        ((DISABLE, "count = 4 : i32"), (2,)),
        (("count = 4 : i32",), (256, 4)),
        (("count = 1 : i32",), (2,)),
        (("full = true",), (1,)),
    ],
)
def test_controls(unroll: tuple[str, ...], control: tuple[int, ...]):
    (merge,) = merges(spirv(inner=said(*unroll)))
    assert merge.operands[2:] == control


def test_nothing_is_said_where_nothing_is_asked():
    assert merges(spirv()) == []
    assert merges(spirv(inner=said("disable = false"))) == []


@pytest.mark.spirv_val
@pytest.mark.parametrize("behind", ["^latch", "^outer(%j_next : i32)"])
def test_modules_are_valid(behind: str, spirv_val: Path, tmp_path: Path):
    outer = said(DISABLE) if behind == "^latch" else ""
    module = spirv(inner=said(DISABLE), outer=outer, behind=behind)
    (tmp_path / "kernel.spv").write_bytes(module)
    command = [spirv_val, tmp_path / "kernel.spv"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout + answer.stderr) == (0, "")
    assert merges(module)


def test_loops_that_go_on_with_one_block_have_blocks_of_their_own():
    text = TWO_LOOPS.format(inner=said(DISABLE), outer=said(DISABLE), behind="^latch")
    # the inner loop ends everything too
    text = text.replace("^inner(%j_next : i32), ^latch", "^inner(%j_next : i32), ^end")
    start, end = text.index("  %second ="), text.index("^latch:")
    text = f"""{text[:start]}  %third = llvm.icmp "eq" %j, %n : i32
  llvm.cond_br %third, ^more, ^latch
^more:
{text[start:end]}{text[end:]}"""
    found = merges(code(parse(text, "kernel.mlir")))
    assert len(found) == len({merge.operands[0] for merge in found}) == 2


@pytest.mark.parametrize(
    ("inner", "outer", "message"),
    [
        (
            "{loop_annotation = #llvm.loop_annotation<disableNonforced = true>}",
            "",
            "SPIR-V cannot say 'disableNonforced' of a loop",
        ),
        (said("runtimeDisable = true"), "", "SPIR-V cannot say 'runtimeDisable' of a loop"),
    ],
)
def test_what_cannot_be_said(inner: str, outer: str, message: str):
    with pytest.raises(XetileError, match=message):
        spirv(inner, outer)


def test_a_branch_that_goes_back_in_no_loop():
    text = TWO_LOOPS.format(inner="", outer="", behind="^latch")
    text = text.replace(
        "llvm.br ^outer(%0 : i32)", f"llvm.br ^outer(%0 : i32) {said(DISABLE)}"
    )
    with pytest.raises(XetileError, match="goes back in no loop"):
        code(parse(text, "kernel.mlir"))


def test_words_are_moved_to_the_branch():
    header = (0x07230203, 0x10400, 0, 100, 0)

    def words(*found: tuple[int, ...]) -> bytes:
        numbers = list(header)
        for opcode, *operands in found:
            numbers += [(len(operands) + 1) << 16 | opcode, *operands]
        return b"".join(number.to_bytes(4, "little") for number in numbers)

    label, merge, addition, branch = (
        (LABEL, 7),
        (MERGE, 8, 9, 2),
        (128, 5, 6, 7, 7),
        (BRANCH, 9),
    )
    moved = words(label, addition, merge, branch)
    assert placed(words(label, merge, addition, branch)) == placed(moved) == moved


@pytest.mark.ocloc
def test_the_compiler_leaves_loops_as_they_are():
    """A round has two products; it would write them 16 times."""
    module = gemm_module(
        m=8, n=16, k=512, workgroup_tile=(8, 16), subgroup_tile=(8, 16), prefetch=None
    )
    assembly = emit(module, "asm", "bmg", unroll=1)
    assert isinstance(assembly, str)
    assert assembly.count("dpas") == 2
