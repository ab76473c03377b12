"""Barriers and fences of XeGPU: what they order when executed, and which instructions they become."""

import re
from pathlib import Path

import numpy as np
import pytest
from support.on_device import Place, levels_and_places
from xdsl.dialects.builtin import ModuleOp

from xetile import api
from xetile.codegen import lower_to_llvm
from xetile.codegen.spirv_emitter import code, instructions
from xetile.levels import LevelName
from xetile.toolchain.ocloc import compile_spirv, disassemble

FILES = Path(__file__).parents[4] / "ir/passes/xe/convert-xegpu-to-xevm/barriers.mlir"
CONTROL_BARRIER, MEMORY_BARRIER, CONSTANT = 224, 225, 43
ACQUIRE_RELEASE, WORKGROUP_MEMORY, GLOBAL_MEMORY = 0x8, 0x100, 0x200
DEVICE, WORKGROUP = 1, 2

FENCES = [
    ("slm", "workgroup", (WORKGROUP, WORKGROUP_MEMORY), r"fence\.slm\.none\.group"),
    ("slm", "gpu", (DEVICE, WORKGROUP_MEMORY), r"fence\.slm\.none\.group"),
    ("global", "workgroup", (WORKGROUP, GLOBAL_MEMORY), r"fence\.ugm\.none\.group"),
    ("global", "gpu", (DEVICE, GLOBAL_MEMORY), r"fence\.ugm\.(invalidate|evict)\.gpu"),
]

KERNEL = """
gpu.module @m {
  gpu.func @k(%p: memref<64xi32>) workgroup(%s: memref<64xi32, 3>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %me = gpu.subgroup_id : index
    %c0 = arith.constant 0 : index
    %x = memref.load %p[%me] : memref<64xi32>
    memref.store %x, %s[%me] : memref<64xi32, 3>
    memref.store %x, %p[%c0] : memref<64xi32>
    BODY
    %v = memref.load %s[%c0] : memref<64xi32, 3>
    memref.store %v, %p[%me] : memref<64xi32>
    gpu.return
  }
}"""


def module(body: str) -> ModuleOp:
    # without an op of XeGPU a kernel stays as it is
    return api.parse(KERNEL.replace("BODY", f"xegpu.compile_hint\n{body}"))


def barriers(spirv: bytes) -> list[tuple[int, ...]]:
    """The barriers of a module: opcode and the numbers that it names."""
    numbers = {
        i.operands[1]: i.operands[2] for i in instructions(spirv) if i.opcode == CONSTANT
    }
    kinds = (CONTROL_BARRIER, MEMORY_BARRIER)
    return [
        (i.opcode, *(numbers[operand] for operand in i.operands))
        for i in instructions(spirv)
        if i.opcode in kinds
    ]


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places(None, "xevm"), indirect=["place"]
)
def test_a_named_barrier_of_all_subgroups(level: LevelName | None, place: Place) -> None:
    kernels = api.parse(FILES.read_text())
    if level is not None:
        kernels = api.lower(kernels, to=level, device="bmg")
    a, o = np.arange(1, 5, dtype=np.float32), np.zeros(4, np.float32)
    place.execute(kernels, "named", [a, o], grid=(1, 1, 1))
    assert o.tolist() == [4, 3, 2, 1]


@pytest.mark.parametrize(("memory", "scope", "numbers", "_"), FENCES)
def test_fences_in_spirv(memory: str, scope: str, numbers: tuple[int, int], _: str) -> None:
    fence = module(f"xegpu.fence memory_kind = {memory}, fence_scope = {scope}")
    spirv = code(lower_to_llvm(fence, "bmg"))
    who, kind = numbers
    assert barriers(spirv) == [(MEMORY_BARRIER, who, kind | ACQUIRE_RELEASE)]


def test_barriers_in_spirv() -> None:
    spirv = code(lower_to_llvm(module("gpu.barrier"), "bmg"))
    ((opcode, who, scope, semantics),) = barriers(spirv)
    assert (opcode, who, scope) == (CONTROL_BARRIER, WORKGROUP, WORKGROUP)
    assert semantics & WORKGROUP_MEMORY
    assert semantics & GLOBAL_MEMORY


@pytest.mark.ocloc
@pytest.mark.parametrize("device", ["bmg", "pvc", "cri"])
def test_instructions(device: str) -> None:
    """Fences of one memory and scope, and a barrier of both memories."""
    lines = [f"xegpu.fence memory_kind = {m}, fence_scope = {s}" for m, s, *_ in FENCES]
    for line, (*_, expected) in zip(lines, FENCES, strict=True):
        assert any(re.fullmatch(expected, message) for message in messages(line, device))
    assert {"fence.slm.none.group", "fence.ugm.none.group", "signal barrier"} <= {
        *messages("gpu.barrier", device)
    }


def messages(body: str, device: str) -> list[str]:
    """What the sends of fences and barriers are."""
    spirv = code(lower_to_llvm(module(body), device))
    assembly = disassemble(compile_spirv(spirv, device), device).kernels["k"]
    return re.findall(r"fence\.[\w.]+|signal barrier", assembly)
