"""XeVM: read, print, read again; upstream takes our text, and refuses what we refuse."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse

ARGUMENTS = (
    "%i: i32, %q: !llvm.ptr<1>, %la: vector<8xi16>, %lb: vector<8xi32>, %lc: vector<8xf32>"
)

SURFACE = "%q, %i, %i, %i, %i, %i"
SURFACE_TYPES = "!llvm.ptr<1>, i32, i32, i32, i32, i32"
LOAD = "elem_size_in_bits = {bits} : i32, pack_register = {pack}, tile_height = {h} : i32, tile_width = {w} : i32, transpose = {t}, v_blocks = {v} : i32"

GOOD = [
    f"%0 = xevm.blockload2d {SURFACE} <{{{LOAD.format(bits=16, pack='false', h=32, w=16, t='false', v=2)}}}> : ({SURFACE_TYPES}) -> vector<64xi16>",
    f"%0 = xevm.blockload2d {SURFACE} <{{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>, {LOAD.format(bits=8, pack='true', h=32, w=16, t='false', v=4)}}}> : ({SURFACE_TYPES}) -> vector<32xi32>",
    f"%0 = xevm.blockload2d {SURFACE} <{{{LOAD.format(bits=32, pack='false', h=16, w=8, t='true', v=1)}}}> : ({SURFACE_TYPES}) -> vector<8xi32>",
    f"xevm.blockstore2d {SURFACE}, %lc <{{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}}> : ({SURFACE_TYPES}, vector<8xf32>)",
    f"xevm.blockprefetch2d {SURFACE} <{{elem_size_in_bits = 8 : i32, tile_height = 8 : i32, tile_width = 32 : i32, v_blocks = 1 : i32}}> : ({SURFACE_TYPES})",
    "%0 = xevm.mma %la, %lb, %lc {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>",
    "%0 = xevm.mma %la, %lb {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = bf16, b = bf16>} : (vector<8xi16>, vector<8xi32>) -> vector<8xf32>",
    "xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>",
    "xevm.prefetch %q <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>}> : (!llvm.ptr<1>)",
    "%0 = xevm.lane_id : i32",
    "%0 = xevm.group_id.x : i32",
]

BAD = [
    (
        f"%0 = xevm.blockload2d {SURFACE} <{{{LOAD.format(bits=16, pack='false', h=32, w=16, t='false', v=2)}}}> : ({SURFACE_TYPES}) -> vector<32xi16>",
        "does not match the expected size of 1024 bits",
    ),
    (
        f"%0 = xevm.blockload2d {SURFACE} <{{{LOAD.format(bits=16, pack='false', h=32, w=16, t='false', v=4)}}}> : ({SURFACE_TYPES}) -> vector<128xi16>",
        "less than or equal to 32",
    ),
    (
        f"%0 = xevm.blockload2d {SURFACE} <{{{LOAD.format(bits=16, pack='true', h=32, w=8, t='false', v=2)}}}> : ({SURFACE_TYPES}) -> vector<16xi32>",
        "equal to subgroup size",
    ),
    (
        f"%0 = xevm.blockload2d {SURFACE} <{{{LOAD.format(bits=16, pack='false', h=16, w=8, t='true', v=1)}}}> : ({SURFACE_TYPES}) -> vector<8xi16>",
        "only supported for 32 and 64",
    ),
    (
        f"%0 = xevm.blockload2d {SURFACE} <{{{LOAD.format(bits=16, pack='false', h=12, w=16, t='false', v=1)}}}> : ({SURFACE_TYPES}) -> vector<12xi16>",
        "tile_height",
    ),
    (
        f"xevm.blockstore2d {SURFACE}, %lc <{{elem_size_in_bits = 32 : i32, tile_height = 16 : i32, tile_width = 8 : i32}}> : ({SURFACE_TYPES}, vector<8xf32>)",
        "between 1 and 8",
    ),
    (
        f"xevm.blockprefetch2d {SURFACE} <{{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 32 : i32, v_blocks = 1 : i32}}> : ({SURFACE_TYPES})",
        "equal to 16",
    ),
    (
        "%0 = xevm.mma %la, %lb, %lc {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xi32>",
        "type of C operand",
    ),
]


def module_text(op: str) -> str:
    return f"func.func @f({ARGUMENTS}) {{\n  {op}\n  func.return\n}}\n"


@pytest.mark.parametrize("op", GOOD)
def test_round_trip(op: str, round_trip: Callable[[str], None]) -> None:
    assert op in str(parse(module_text(op)))
    round_trip(module_text(op))


@pytest.mark.mlir_opt
def test_upstream_takes_them_and_gives_them_back(mlir_opt: Path) -> None:
    text = "".join(module_text(op).replace("@f(", f"@f{i}(") for i, op in enumerate(GOOD))
    text = str(parse(text))
    done = subprocess.run([mlir_opt], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert parse(done.stdout).is_structurally_equivalent(parse(text))


@pytest.mark.parametrize(("op", "message"), BAD)
def test_refused(op: str, message: str) -> None:
    with pytest.raises((VerifyException, ParseError)) as found:
        parse(module_text(op)).verify()
    assert message in str(found.value)


@pytest.mark.mlir_opt
def test_upstream_refuses_them_too(
    upstream_refuses: Callable[[Sequence[str]], list[bool]],
) -> None:
    refused = upstream_refuses([module_text(op) for op, _ in BAD])
    assert [
        op for (op, _), is_refused in zip(BAD, refused, strict=True) if not is_refused
    ] == []
