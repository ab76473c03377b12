"""Blocks of SPIR-V in another order than LLVM's: every instruction keeps its op, as blocks are known by their names."""

import struct
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pytest

import xetile
from xetile.codegen import lower_to_llvm
from xetile.codegen.spirv_emitter import Instruction, instructions, to_spirv
from xetile.explorer.isa import spirv_marks as marks
from xetile.explorer.isa.spirv_marks import OP_FUNCTION_END, OP_LABEL, Marked, bodies, marked

EXAMPLES = Path(__file__).parents[3] / "examples"
HEADER_BYTES = 20


def turned(spirv: bytes) -> bytes:
    """The module with the blocks of each function in the opposite order, behind the first."""
    module = list(instructions(spirv))
    for _, places in bodies(module):
        starts = [place for place in places if module[place].opcode == OP_LABEL]
        ends = [*starts[1:], places[-1]]
        assert module[places[-1]].opcode == OP_FUNCTION_END
        blocks = [module[first:last] for first, last in zip(starts, ends, strict=True)]
        module[starts[0] : places[-1]] = [
            one for block in (blocks[0], *reversed(blocks[1:])) for one in block
        ]
    words = [
        word
        for opcode, operands in module
        for word in ((len(operands) + 1) << 16 | opcode, *operands)
    ]
    return spirv[:HEADER_BYTES] + struct.pack(f"<{len(words)}I", *words)


def owned(found: Marked) -> Counter[tuple[Instruction, int | None]]:
    """Each instruction of a function but labels, which only stand where a branch goes, with its op."""
    inside = [place for _, places in bodies(found.instructions) for place in places]
    return Counter(
        (found.instructions[place], found.parents[place])
        for place in inside
        if found.instructions[place].opcode != OP_LABEL
    )


def spirv_turned(text: str, functions: Collection[str]) -> bytes:
    return turned(to_spirv(text, functions))


@pytest.mark.parametrize("name", ["flash_attention", "gemm_f16", "gemm_int8_weights"])
def test_instructions_keep_their_ops(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = lower_to_llvm(xetile.parse(EXAMPLES / f"{name}.mlir"), "bmg")
    usual = marked(module)
    monkeypatch.setattr(marks, "to_spirv", spirv_turned)
    other = marked(module)
    assert usual.instructions != other.instructions
    assert owned(other) == owned(usual)
