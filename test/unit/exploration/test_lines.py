"""SPIR-V and the device's instructions, linked to level L: marks, lines, and that neither changes the code."""

import re
from pathlib import Path

import pytest

import xetile
from xetile.codegen import disassembly, lower_to_llvm
from xetile.codegen.spirv import instructions
from xetile.exploration.debug_info import with_lines
from xetile.exploration.lines import printed
from xetile.exploration.marks import carried, marked
from xetile.exploration.model import Kernel
from xetile.exploration.spirv_words import OP_LINE, OP_NO_LINE, OP_STORE, bodies
from xetile.toolchain.debug_lines import Row, lines_at
from xetile.toolchain.elf import contents
from xetile.toolchain.ocloc import compile_spirv

EXAMPLES = Path(__file__).parents[3] / "examples"
LINKED = 0.99
"""The least part of the instructions that has an op."""

QUICK = ["gemm_f16_plain", "softmax", "flash_attention"]


@pytest.mark.parametrize("name", [*QUICK, "gemm_int8_weights", "layer_norm", "gemm_i8"])
def test_the_code_is_what_is_emitted_and_all_of_it_is_linked(name: str) -> None:
    module = xetile.parse(EXAMPLES / f"{name}.mlir")
    found = marked(lower_to_llvm(module, "bmg"))
    assert found.spirv == xetile.emit(module, "spirv", "bmg")
    assert found.instructions == list(instructions(found.spirv))
    inside = [place for _, places in bodies(found.instructions) for place in places]
    without = [place for place in inside if found.parents[place] is None]
    kinds = {found.instructions[place].opcode for place in without}
    assert kinds <= {56, 246, 248}, "OpFunctionEnd, OpLoopMerge, OpLabel"
    for place in inside:
        parent = found.parents[place]
        if found.instructions[place].opcode == OP_STORE:
            assert parent is not None
            assert found.ops[parent].name == "llvm.store"


def test_marks_of_another_module_are_refused() -> None:
    """A module that is not the same but for ids gives no links, rather than wrong ones."""
    module = lower_to_llvm(xetile.parse(EXAMPLES / "softmax.mlir"), "bmg")
    found = marked(module)
    changed = list(found.instructions)
    place = next(i for i, one in enumerate(changed) if one.opcode == 57)
    changed[place] = changed[place]._replace(operands=changed[place].operands[:-1])
    assert set(carried(changed, found.instructions)) == {None}


def test_lines_stop_where_there_is_no_op() -> None:
    found = marked(lower_to_llvm(xetile.parse(EXAMPLES / "softmax.mlir"), "bmg"))
    parents = list(found.parents)
    place = next(i for i, one in enumerate(found.instructions) if one.opcode == 128)
    parents[place] = None
    made = list(instructions(with_lines(found.spirv, found.instructions, parents)))
    at = next(i for i, one in enumerate(made) if one == found.instructions[place])
    assert made[at - 1].opcode == OP_NO_LINE
    assert any(one.opcode == OP_LINE for one in made[:at])


def kernel_of(name: str, device: str) -> Kernel:
    module = xetile.parse(EXAMPLES / f"{name}.mlir")
    (kernel,) = xetile.explore(module, device).model.kernels
    return kernel


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc"])
@pytest.mark.parametrize("name", QUICK)
def test_instructions_are_linked(name: str, device: str) -> None:
    kernel = kernel_of(name, device)
    levels = {level.id: level for level in kernel.levels}
    instruction, subgroup = levels["I"], levels["L"]
    linked = [op for op in instruction.ops if op.parents]
    assert len(linked) >= LINKED * len(instruction.ops)
    for op in linked:
        if not kernel.names[op.name].startswith("dpas"):
            continue
        above = subgroup.ops[op.parents[0]]
        assert "_matrix_mad_" in subgroup.lines[above.line]
    for op in linked:
        text = instruction.lines[op.line]
        if "store_block2d" in text:
            above = subgroup.ops[op.parents[0]]
            assert "write" in subgroup.lines[above.line]


@pytest.mark.ocloc
def test_debug_information_changes_a_hash_only() -> None:
    lowered = lower_to_llvm(xetile.parse(EXAMPLES / "softmax.mlir"), "bmg")
    found = marked(lowered)
    options = ["-ze-opt-large-register-file"]
    spirv = with_lines(found.spirv, found.instructions, found.parents)
    with_debug = compile_spirv(spirv, "bmg", [*options, "-g"])
    usual = compile_spirv(found.spirv, "bmg", options)
    before, after = (contents(one, ".text.softmax") for one in (usual, with_debug))
    assert before is not None
    assert after is not None
    assert len(before) == len(after)
    different = [i for i in range(len(before)) if before[i] != after[i]]
    text = printed(disassembly(lowered, "bmg", "large").kernels["softmax"])
    assert all(place >= text.addresses[-1] for place in different)


def test_sizes_of_instructions() -> None:
    text = "L0:\n (W) mov (1) r1 r2 {Compacted}\n(W) jmpi L0\nL9:\n send r1 {EOT,A@1}\n mov r1 r2\n"
    found = printed(text)
    assert found.addresses == [0, 8, 24]
    assert [re.sub(" .*", "", line.strip()) for line in found.lines] == [
        "L0:",
        "(W)",
        "(W)",
        "send",
    ]


def test_a_line_holds_until_the_next() -> None:
    rows = [Row(".text.k", 0, 3), Row(".text.k", 16, 5), Row(".text.k", 32, None)]
    assert lines_at(rows, ".text.k", [0, 8, 16, 40]) == [3, 3, 5, None]
    assert lines_at(rows, ".text.other", [0]) == [None]
