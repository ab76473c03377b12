"""SPIR-V and the device's instructions, linked to level L: marks, lines, and that neither changes the code."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from support.spread import spread

import xetile
from xetile.codegen import lower_to_llvm
from xetile.codegen.spirv_emitter import instructions
from xetile.explorer.isa.debug_lines import Row, lines_at, with_lines
from xetile.explorer.isa.instruction_levels import printed
from xetile.explorer.isa.spirv_marks import (
    OP_LINE,
    OP_NO_LINE,
    OP_STORE,
    bodies,
    carried,
    marked,
)
from xetile.explorer.model import Kernel
from xetile.targets import names
from xetile.toolchain.elf import contents
from xetile.toolchain.ocloc import compile_spirv, disassemble

EXAMPLES = Path(__file__).parents[3] / "examples"
LINKED = 0.99
"""The least part of the instructions that has an op."""

MOST_INFERRED = 8
"""Instructions in front of the first op, whose op is guessed."""

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


def above(kernel: Kernel, level: str, op: int, wanted: str) -> Iterator[str]:
    """The names of ops of one level that an op of another came of."""
    numbers = {one.id: number for number, one in enumerate(kernel.levels)}
    at, waiting = numbers[level], [op]
    while at != numbers[wanted]:
        waiting = [
            parent for number in waiting for parent in kernel.levels[at].ops[number].parents
        ]
        at = -1 if (next := kernel.levels[at].of) is None else next
    for number in waiting:
        yield kernel.names[kernel.levels[at].ops[number].name]


MOVERS: Mapping[str, tuple[str, ...]] = {
    "load_block2d": ("xetile.load_tile", "xetile.prefetch_tile"),
    "store_block2d": ("xetile.store_tile",),
}
"""The ops of tiles that messages of blocks came of."""


def check_links(kernel: Kernel) -> None:
    """Instructions have an op below the function; matrix instructions and messages the op that asks for them."""
    levels = {level.id: level for level in kernel.levels}
    instruction, subgroup = levels["I"], levels["L"]
    linked = [
        number
        for number, op in enumerate(instruction.ops)
        if any(kernel.names[subgroup.ops[n].name] != "llvm.func" for n in op.parents)
    ]
    assert len(linked) >= LINKED * len(instruction.ops)
    assert len(kernel.inferred) <= MOST_INFERRED
    assert set(kernel.inferred) <= set(linked)
    highest = kernel.levels[0].id
    for number, op in enumerate(instruction.ops):
        text = instruction.lines[op.line]
        if kernel.names[op.name].startswith("dpas"):
            names = [*above(kernel, "I", number, highest)]
            assert names == ["xetile.tile_mma"], text
        for message, movers in MOVERS.items():
            if message in text:
                (name,) = above(kernel, "I", number, highest)
                assert name in movers, text


@pytest.mark.ocloc
@pytest.mark.parametrize(
    "name, device",
    spread([*QUICK, "gemm_f16", "gemm_i8", "host_gemm_f16"], names(), times=2),
)
def test_instructions_are_linked(name: str, device: str) -> None:
    check_links(kernel_of(name, device))


@pytest.mark.ocloc
@pytest.mark.parametrize(
    "name, device",
    spread(["softmax", "gemm_f16_plain", "gemm_int8_weights"], ["bmg", "pvc"]),
)
def test_debug_information_changes_a_hash_only(name: str, device: str) -> None:
    lowered = lower_to_llvm(xetile.parse(EXAMPLES / f"{name}.mlir"), device)
    found = marked(lowered)
    options = ["-ze-opt-large-register-file"]
    spirv = with_lines(found.spirv, found.instructions, found.parents)
    with_debug = compile_spirv(spirv, device, [*options, "-g"])
    usual = compile_spirv(found.spirv, device, options)
    (kernel,) = disassemble(usual, device).kernels
    before, after = (contents(one, f".text.{kernel}") for one in (usual, with_debug))
    assert before is not None
    assert after is not None
    assert len(before) == len(after)
    different = [i for i in range(len(before)) if before[i] != after[i]]
    text = printed(disassemble(usual, device).kernels[kernel])
    assert all(place >= text.addresses[-1] for place in different)


@pytest.mark.spirv_val
@pytest.mark.parametrize("name", QUICK)
def test_lines_of_spirv_are_its_instructions(name: str) -> None:
    module = xetile.parse(EXAMPLES / f"{name}.mlir")
    (kernel,) = xetile.explore(module, "bmg", assembly=False).model.kernels
    found = marked(lower_to_llvm(module, "bmg"))
    level = kernel.levels[-1]
    assert (level.id, level.title) == ("P", "SPIR-V")
    assert len(level.lines) == len(level.ops) == len(found.instructions)
    assert [*map(len, (op.parents for op in level.ops))] == [
        p is not None for p in found.parents
    ]
    for op, instruction in zip(level.ops, found.instructions, strict=True):
        is_store = kernel.names[op.name] == "OpStore"
        assert is_store == (instruction.opcode == OP_STORE), level.lines[op.line]


@pytest.mark.parametrize("name", QUICK)
def test_without_a_disassembler_llvm_ir_is_shown(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XETILE_SPIRV_VAL", "")
    module = xetile.parse(EXAMPLES / f"{name}.mlir")
    (kernel,) = xetile.explore(module, "bmg", assembly=False).model.kernels
    (note,) = [note for note in kernel.notes if "SPIR-V" in note]
    assert note.startswith(
        "level P is LLVM IR in place of SPIR-V: spirv-dis is not installed;"
    )
    above, level = kernel.levels[-2:]
    assert (level.id, level.title) == ("P", "LLVM IR")
    inside = [op for op in level.ops if op.parents]
    assert len(inside) >= len(above.ops) // 2
    for op in inside:
        text, (parent,) = level.lines[op.line], op.parents
        name_above = kernel.names[above.ops[parent].name]
        assert (name_above == "llvm.store") == (kernel.names[op.name] == "store"), text
        assert text.startswith(("define", "declare")) == (name_above == "llvm.func")


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
