"""XeGPU and XeVM: read, print, read again; upstream takes our text, and refuses what we refuse."""

import subprocess
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.dialects.modules import parse

ARGUMENTS = (
    "%A: memref<64x64xf16>, %D: memref<?x?xf16>, %p: i64, %h: index, %w: index, %i: i32, "
    "%q: !llvm.ptr<1>, %v8: vector<8x16xf16>, %v16: vector<8x16x2xf16>, %f: vector<8x16xf32>, "
    "%la: vector<8xi16>, %lb: vector<8xi32>, %lc: vector<8xf32>, "
    "%t: !xegpu.tensor_desc<8x16xf16>, %t2: !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>"
)

SURFACE = "%q, %i, %i, %i, %i, %i"
SURFACE_TYPES = "!llvm.ptr<1>, i32, i32, i32, i32, i32"
LOAD = "elem_size_in_bits = {bits} : i32, pack_register = {pack}, tile_height = {h} : i32, tile_width = {w} : i32, transpose = {t}, v_blocks = {v} : i32"

GOOD = [
    "%0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>",
    "%0 = xegpu.create_nd_tdesc %D, shape : [%h, %w], strides : [%w, 1] : memref<?x?xf16> -> !xegpu.tensor_desc<32x16xf16>",
    "%0 = xegpu.create_nd_tdesc %p, shape : [64, %w], strides : [64, 1] : i64 -> !xegpu.tensor_desc<32x16xf16>",
    "%0 = xegpu.create_nd_tdesc %A[%h, 16] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<boundary_check = false>>",
    "%0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>>",
    "%0 = xegpu.load_nd %t[%h, 16]  : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>",
    "%0 = xegpu.load_nd %t2[0, %w] <{l1_hint = #xegpu.cache_hint<cached>, packed}> : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x4x16x2xf16>",
    "xegpu.store_nd %v8, %t[%h, %w] <{l1_hint = #xegpu.cache_hint<write_back>}> : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>",
    "xegpu.prefetch_nd %t[%h, %w]  : !xegpu.tensor_desc<8x16xf16>",
    "%0 = xegpu.update_nd_offset %t, [%h, 16] : !xegpu.tensor_desc<8x16xf16>",
    "%0 = xegpu.dpas %v8, %v16 : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>",
    "%0 = xegpu.dpas %v8, %v16, %f : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>",
    "xegpu.fence memory_kind = global, fence_scope = workgroup",
    "xegpu.fence memory_kind = slm, fence_scope = gpu",
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
        "%0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf32>",
        "has elements of f32, the source of f16",
    ),
    (
        "%0 = xegpu.create_nd_tdesc %p : i64 -> !xegpu.tensor_desc<8x16xf32>",
        "'shape' and 'strides' are missing",
    ),
    (
        "%0 = xegpu.create_nd_tdesc %A[%h] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>",
        "rank",
    ),
    (
        "%0 = xegpu.load_nd %t[%h] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>",
        "'offsets' has 1 entries",
    ),
    (
        "%0 = xegpu.load_nd %t[%h, 0] : !xegpu.tensor_desc<8x16xf16> -> vector<16x8xf16>",
        "expected [8, 16] from",
    ),
    (
        "%0 = xegpu.load_nd %t[%h, 0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf32>",
        "has elements of f32, the descriptor of f16",
    ),
    (
        "%0 = xegpu.load_nd %t[%h, 0] <{l1_hint = #xegpu.cache_hint<write_back>}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>",
        "'l1_hint' is write_back",
    ),
    (
        "xegpu.store_nd %v8, %t2[%h, 0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>",
        "array_length 2, a store takes 1",
    ),
    (
        "%0 = xegpu.dpas %v8, %v8 : vector<8x16xf16>, vector<8x16xf16> -> vector<8x16xf32>",
        "k is 16 in 'lhs' and 8 in 'rhs'",
    ),
    (
        "%0 = xegpu.dpas %v8, %v16 : vector<8x16xf16>, vector<8x16x2xf16> -> vector<4x16xf32>",
        "m is 8 in 'lhs' and 4",
    ),
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


def printed(module: ModuleOp, *, generic: bool = False) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


@pytest.mark.parametrize("op", GOOD)
def test_round_trip(op: str) -> None:
    module = parse(module_text(op))
    module.verify()
    assert op in printed(module)
    assert parse(printed(module)).is_structurally_equivalent(module)
    assert parse(printed(module, generic=True)).is_structurally_equivalent(module)


@pytest.mark.mlir_opt
def test_upstream_takes_them_and_gives_them_back(mlir_opt: Path) -> None:
    text = "".join(module_text(op).replace("@f(", f"@f{i}(") for i, op in enumerate(GOOD))
    text = printed(parse(text))
    done = subprocess.run([mlir_opt], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert parse(done.stdout).is_structurally_equivalent(parse(text))


@pytest.mark.parametrize(("op", "message"), BAD)
def test_refused(op: str, message: str) -> None:
    with pytest.raises((VerifyException, ParseError)) as found:
        parse(module_text(op)).verify()
    assert message in str(found.value)


@pytest.mark.mlir_opt
@pytest.mark.parametrize(("op", "message"), BAD)
def test_upstream_refuses_them_too(mlir_opt: Path, op: str, message: str) -> None:
    done = subprocess.run(
        [mlir_opt], input=module_text(op), capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
