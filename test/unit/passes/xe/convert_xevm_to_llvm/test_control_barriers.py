"""Numbers of spirv.ControlBarrier: SPIR-V specification, "Scope <id>" and "Memory Semantics <id>"."""

import re

import pytest

from xetile.api import lower, parse, text

SCOPES = {"Device": 1, "Workgroup": 2, "Subgroup": 3}
SEMANTICS = {
    "Acquire": 0x2,
    "Release": 0x4,
    "AcquireRelease": 0x8,
    "SequentiallyConsistent": 0x10,
    "AcquireRelease|SubgroupMemory": 0x88,
    "AcquireRelease|WorkgroupMemory": 0x108,
    "AcquireRelease|CrossWorkgroupMemory": 0x208,
}


def numbers(execution: str, memory: str, semantics: str) -> list[int]:
    module = parse(f"""gpu.module @m {{
      gpu.func @k() kernel attributes {{known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"}} {{
        spirv.ControlBarrier <{execution}>, <{memory}>, <{semantics}>
        gpu.return
      }}
    }}""")
    printed = text(lower(module, to="llvm", device="bmg"))
    values = dict(re.findall(r"(%\w+) = llvm.mlir.constant\((\d+) : i32\)", printed))
    (arguments,) = re.findall(r"ControlBarrierjjj\((.*?)\) : \(", printed)
    return [int(values[name]) for name in arguments.split(", ")]


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_semantics(semantics: str) -> None:
    assert numbers("Workgroup", "Workgroup", semantics) == [2, 2, SEMANTICS[semantics]]


@pytest.mark.parametrize("scope", SCOPES)
def test_scopes(scope: str) -> None:
    found = numbers("Workgroup", scope, "AcquireRelease|WorkgroupMemory")
    assert found == [2, SCOPES[scope], 0x108]
