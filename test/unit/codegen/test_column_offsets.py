"""What launch contracts state of columns that are known at run time only."""

from typing import Any, cast

import pytest

from xetile.api import lower
from xetile.codegen.contract import Plain, contract_of
from xetile.dialects.modules import parse
from xetile.targets.target import Assume

TILE = "!xetile.tile<16x16xf16>"
KERNEL = f"""gpu.module @m {{{{ gpu.func @k(%A: memref<16x64xf16>, %n: index, %I: memref<1xi32>, %B: memref<16x32xf16>) kernel
    attributes {{{{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 2, 1, 1>}}}} {{{{
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %id = gpu.block_id x
      %word = memref.load %I[%c0] : memref<1xi32>
      %data = arith.index_cast %word : i32 to index
      scf.for %i = %c0 to %c32 step %c16 {{{{
        {{column}}
        %t = xetile.init_tile %A[0, %x] : memref<16x64xf16> -> {TILE}
        %v = xetile.load_tile %t : {TILE} -> vector<16x16xf16>
        %u = xetile.init_tile %B[0, %i] : memref<16x32xf16> -> {TILE}
        xetile.store_tile %v, %u : vector<16x16xf16>, {TILE}
      }}}}
      gpu.return
    }}}} }}}}"""
ONE: list[dict[str, Any]] = [{"factor": 2, "arguments": [1]}]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("%x = arith.addi %i, %c16 : index", []),
        ("%x = arith.muli %n, %c2 : index", []),
        ("%x = arith.muli %id, %c16 : index", []),
        ("%x = arith.addi %n, %i : index", [ONE]),
        ("%x = arith.muli %n, %c3 : index", [[{"factor": 6, "arguments": [1]}]]),
        ("%x = arith.addi %data, %i : index", [None]),
        ("%x = arith.muli %data, %c2 : index", []),
        ("%y = arith.addi %data, %i : index %x = arith.addi %y, %n : index", [ONE, None]),
    ],
)
def test_columns(column: str, expected: list[object]) -> None:
    module = parse(KERNEL.format(column=column), "k.mlir")
    assert stated(module, "block") == expected
    assert stated(module, "check") == []


def stated(module: Any, assume: Assume) -> list[object]:
    lowered = lower(module, to="llvm", device="bmg", assume=assume)
    contract = contract_of(lowered, "bmg", grf=None)
    kernel = cast("list[dict[str, Any]]", contract["kernels"])[0]
    surface = cast("dict[str, Plain]", kernel["arguments"][0].get("surface") or {})
    every = cast("list[dict[str, Any]]", surface.get("preconditions") or [])
    return [each["bytes"] for each in every if each["of"] == "column"]
