"""The same product at every level, each written as text: same bits, and the bits of the scalar order."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from xetile.errors import XetileError
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]

TYPES = {
    "f16": (np.float16, "f32", np.float32),
    "bf16": (ml_dtypes.bfloat16, "f32", np.float32),
    "tf32": (np.float32, "f32", np.float32),
    "f32": (np.float32, "f32", np.float32),
    "i8": (np.int8, "i32", np.int32),
    "f8E4M3FN": (ml_dtypes.float8_e4m3fn, "f32", np.float32),
}

WORKGROUP = """
#a = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
#b = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
#c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
!ta = !xetile.tile<32x16xTYPE, #xetile.tile_attr<wg_map = #a>>
!tb = !xetile.tile<16x32xTYPE, #xetile.tile_attr<wg_map = #b>>
!tc = !xetile.tile<32x32xACC, #xetile.tile_attr<wg_map = #c>>
gpu.module @m {
  gpu.func @gemm(%A: memref<MxKxTYPE>, %B: memref<KxNxTYPE>, %C: memref<MxNxACC>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %k_end = arith.constant K : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %bx, %c32 : index
    %n = arith.muli %by, %c32 : index
    %a0 = xetile.init_tile %A[%m, 0] : memref<MxKxTYPE> -> !ta
    %b0 = xetile.init_tile %B[0, %n] : memref<KxNxTYPE> -> !tb
    %zero = arith.constant {wg_map = #c} dense<ZERO> : vector<32x32xACC>
    %r:3 = scf.for %k = %c0 to %k_end step %c16 iter_args(%ta = %a0, %tb = %b0, %acc = %zero)
        -> (!ta, !tb, vector<32x32xACC>) {
      %a = xetile.load_tile %ta : !ta -> vector<32x16xTYPE>
      %b = xetile.load_tile %tb : !tb -> vector<16x32xTYPE>
      xetile.prefetch_tile %ta : !ta
      %d = xetile.tile_mma %a, %b, %acc {wg_map_a = #a, wg_map_b = #b, wg_map_c = #c}
          : vector<32x16xTYPE>, vector<16x32xTYPE>, vector<32x32xACC> -> vector<32x32xACC>
      %ta1 = xetile.update_tile_offset %ta, [%c0, %c16] : !ta
      %tb1 = xetile.update_tile_offset %tb, [%c16, %c0] : !tb
      scf.yield %ta1, %tb1, %d : !ta, !tb, vector<32x32xACC>
    }
    %tc = xetile.init_tile %C[%m, %n] : memref<MxNxACC> -> !tc
    xetile.store_tile %r#2, %tc : vector<32x32xACC>, !tc
    gpu.return
  }
}
"""

SUBGROUP_HEAD = """
gpu.module @m {
  gpu.func @gemm(%A: memref<MxKxTYPE>, %B: memref<KxNxTYPE>, %C: memref<MxNxACC>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %k_end = arith.constant K : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %sg = gpu.subgroup_id : index
    %row = arith.divui %sg, %c2 : index
    %col = arith.remui %sg, %c2 : index
    %m0 = arith.muli %bx, %c32 : index
    %n0 = arith.muli %by, %c32 : index
    %m1 = arith.muli %row, %c16 : index
    %n1 = arith.muli %col, %c16 : index
    %m = arith.addi %m0, %m1 : index
    %n = arith.addi %n0, %n1 : index
"""

SUBGROUP = (
    SUBGROUP_HEAD
    + """
    %a0 = xetile.init_tile %A[%m, 0] : memref<MxKxTYPE> -> !xetile.tile<16x16xTYPE>
    %b0 = xetile.init_tile %B[0, %n] : memref<KxNxTYPE> -> !xetile.tile<16x16xTYPE>
    %zero = arith.constant dense<ZERO> : vector<16x16xACC>
    %r:3 = scf.for %k = %c0 to %k_end step %c16 iter_args(%ta = %a0, %tb = %b0, %acc = %zero)
        -> (!xetile.tile<16x16xTYPE>, !xetile.tile<16x16xTYPE>, vector<16x16xACC>) {
      %a = xetile.load_tile %ta : !xetile.tile<16x16xTYPE> -> vector<16x16xTYPE>
      %b = xetile.load_tile %tb : !xetile.tile<16x16xTYPE> -> vector<16x16xTYPE>
      %d = xetile.tile_mma %a, %b, %acc
          : vector<16x16xTYPE>, vector<16x16xTYPE>, vector<16x16xACC> -> vector<16x16xACC>
      %ta1 = xetile.update_tile_offset %ta, [%c0, %c16] : !xetile.tile<16x16xTYPE>
      %tb1 = xetile.update_tile_offset %tb, [%c16, %c0] : !xetile.tile<16x16xTYPE>
      scf.yield %ta1, %tb1, %d : !xetile.tile<16x16xTYPE>, !xetile.tile<16x16xTYPE>, vector<16x16xACC>
    }
    %tc = xetile.init_tile %C[%m, %n] : memref<MxNxACC> -> !xetile.tile<16x16xACC>
    xetile.store_tile %r#2, %tc : vector<16x16xACC>, !xetile.tile<16x16xACC>
    gpu.return
  }
}
"""
)

BLOCKED = (
    """
!ta = !xetile.tile<16x16xTYPE, #xetile.tile_attr<inner_blocks = [16, 8]>>
!tb = !xetile.tile<16x16xTYPE, #xetile.tile_attr<inner_blocks = [8, 16]>>
"""
    + SUBGROUP_HEAD
    + """
    %a0 = xetile.init_tile %A[%m, 0] : memref<MxKxTYPE> -> !ta
    %b0 = xetile.init_tile %B[0, %n] : memref<KxNxTYPE> -> !tb
    %zero = arith.constant dense<ZERO> : vector<2x1x8x16xACC>
    %r:3 = scf.for %k = %c0 to %k_end step %c16 iter_args(%ta = %a0, %tb = %b0, %acc = %zero)
        -> (!ta, !tb, vector<2x1x8x16xACC>) {
      %a_wide = xetile.load_tile %ta : !ta -> vector<1x2x16x8xTYPE>
      %a_flat = xetile.tile_unpack %a_wide {inner_blocks = array<i64: 16, 8>} : vector<1x2x16x8xTYPE> -> vector<16x16xTYPE>
      %a = xetile.tile_pack %a_flat {inner_blocks = array<i64: 8, 8>} : vector<16x16xTYPE> -> vector<2x2x8x8xTYPE>
      %b = xetile.load_tile %tb : !tb -> vector<2x1x8x16xTYPE>
      %d = xetile.tile_mma %a, %b, %acc
          : vector<2x2x8x8xTYPE>, vector<2x1x8x16xTYPE>, vector<2x1x8x16xACC> -> vector<2x1x8x16xACC>
      %ta1 = xetile.update_tile_offset %ta, [%c0, %c16] : !ta
      %tb1 = xetile.update_tile_offset %tb, [%c16, %c0] : !tb
      scf.yield %ta1, %tb1, %d : !ta, !tb, vector<2x1x8x16xACC>
    }
    %tc = xetile.init_tile %C[%m, %n] : memref<MxNxACC> -> !xetile.tile<16x16xACC, #xetile.tile_attr<inner_blocks = [8, 16]>>
    xetile.store_tile %r#2, %tc : vector<2x1x8x16xACC>, !xetile.tile<16x16xACC, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }
}
"""
)

LEVELS = {"workgroup": WORKGROUP, "subgroup": SUBGROUP, "blocked": BLOCKED}


def fill(text: str, kind: str, m: int, n: int, k: int) -> str:
    accumulator = TYPES[kind][1]
    zero = "0" if accumulator == "i32" else "0.000000e+00"
    text = (
        text.replace("MxK", f"{m}x{k}").replace("KxN", f"{k}x{n}").replace("MxN", f"{m}x{n}")
    )
    text = text.replace("TYPE", kind).replace("ACC", accumulator).replace("ZERO", zero)
    return text.replace("constant K", f"constant {k}")


def operands(kind: str, m: int, n: int, k: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(7)
    dtype, _, accumulator = TYPES[kind]
    if kind == "i8":
        a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
    else:
        a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    return a.astype(dtype), b.astype(dtype), np.full((m, n), 77, accumulator)


def rounded(kind: str, values: Array) -> Array:
    """What the product sees of an operand, in its accumulator's type."""
    if kind == "i8":
        return values.astype(np.int32)
    if kind != "tf32":
        return values.astype(np.float32)
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def reference(kind: str, a: Array, b: Array) -> Array:
    left, right = rounded(kind, a), rounded(kind, b)
    total = np.zeros((a.shape[0], b.shape[1]), left.dtype)
    for k in range(a.shape[1]):
        total = total + left[:, k, None] * right[None, k]
    return total


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_product(run: Run, level: str, kind: str):
    m, n, k = 64, 96, 48
    a, b, c = operands(kind, m, n, k)
    run(fill(LEVELS[level], kind, m, n, k), a, b, c, grid=(2, 3, 1))
    np.testing.assert_array_equal(c, reference(kind, a, b))


@pytest.mark.parametrize(
    "shape", [(33, 32, 32), (64, 45, 32), (32, 64, 23), (37, 41, 19), (5, 3, 1)]
)
@pytest.mark.parametrize("level", LEVELS)
def test_product_of_shapes_that_do_not_divide(
    run: Run, level: str, shape: tuple[int, int, int]
):
    m, n, k = shape
    a, b, c = operands("f16", m, n, k)
    run(fill(LEVELS[level], "f16", m, n, k), a, b, c, grid=(-(-m // 32), -(-n // 32), 1))
    np.testing.assert_array_equal(c, reference("f16", a, b))


def test_large_grids_go_in_batches(run: Run, monkeypatch: pytest.MonkeyPatch):
    from xetile.api import parse_text
    from xetile.interpreter import execute
    from xetile.interpreter.machine import workgroup_batches

    monkeypatch.setattr(workgroup_batches, "BATCH_BYTES", 1)
    m, n, k = 64, 96, 16
    a, b, c = operands("f16", m, n, k)
    seen: list[tuple[int, int]] = []
    module = parse_text(fill(WORKGROUP, "f16", m, n, k), "kernel.mlir")
    execute(
        module,
        "gemm",
        [a, b, c],
        grid=(2, 3, 1),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(number, 6) for number in range(1, 7)]
    np.testing.assert_array_equal(c, reference("f16", a, b))


XEGPU = """
gpu.module @m {
  gpu.func @product(%A: memref<MxKxf16>, %B: memref<KxNxf16>, %C: memref<MxNxf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %k_end = arith.constant K : index
    %sg = gpu.subgroup_id : index
    %n = arith.muli %sg, %c16 : index
    %da = xegpu.create_nd_tdesc %A : memref<MxKxf16>
        -> !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %db = xegpu.create_nd_tdesc %B : memref<KxNxf16> -> !xegpu.tensor_desc<32x16xf16>
    %dc = xegpu.create_nd_tdesc %C : memref<MxNxf32> -> !xegpu.tensor_desc<8x16xf32>
    %zero = arith.constant dense<0.000000e+00> : vector<8x16xf32>
    %r:2 = scf.for %k = %c0 to %k_end step %c32 iter_args(%x0 = %zero, %y0 = %zero)
        -> (vector<8x16xf32>, vector<8x16xf32>) {
      xegpu.prefetch_nd %da[%c0, %k] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
      %a = xegpu.load_nd %da[%c0, %k] : !xegpu.tensor_desc<16x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
          -> vector<2x16x16xf16>
      %b = xegpu.load_nd %db[%k, %n] <{packed}> : !xegpu.tensor_desc<32x16xf16> -> vector<16x16x2xf16>
      %a0 = vector.extract %a[0] : vector<16x16xf16> from vector<2x16x16xf16>
      %a1 = vector.extract %a[1] : vector<16x16xf16> from vector<2x16x16xf16>
      %a00 = vector.extract_strided_slice %a0 {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]}
          : vector<16x16xf16> to vector<8x16xf16>
      %a10 = vector.extract_strided_slice %a0 {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]}
          : vector<16x16xf16> to vector<8x16xf16>
      %a01 = vector.extract_strided_slice %a1 {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]}
          : vector<16x16xf16> to vector<8x16xf16>
      %a11 = vector.extract_strided_slice %a1 {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]}
          : vector<16x16xf16> to vector<8x16xf16>
      %b0 = vector.extract_strided_slice %b {offsets = [0, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]}
          : vector<16x16x2xf16> to vector<8x16x2xf16>
      %b1 = vector.extract_strided_slice %b {offsets = [8, 0, 0], sizes = [8, 16, 2], strides = [1, 1, 1]}
          : vector<16x16x2xf16> to vector<8x16x2xf16>
      %x1 = xegpu.dpas %a00, %b0, %x0 : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
      %x2 = xegpu.dpas %a01, %b1, %x1 : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
      %y1 = xegpu.dpas %a10, %b0, %y0 : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
      %y2 = xegpu.dpas %a11, %b1, %y1 : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
      scf.yield %x2, %y2 : vector<8x16xf32>, vector<8x16xf32>
    }
    %c8 = arith.constant 8 : index
    xegpu.store_nd %r#0, %dc[%c0, %n] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %r#1, %dc[%c8, %n] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
"""

XEVM = """
gpu.module @m {
  gpu.func @product(%A: memref<MxKxf16>, %B: memref<KxNxf16>, %C: memref<MxNxf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>,
                  intel_reqd_sub_group_size = 16 : i32} {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %m = arith.constant M : i32
    %k_end = arith.constant K : i32
    %a_bytes = arith.constant KBYTES : i32
    %b_bytes = arith.constant NBYTES : i32
    %c_bytes = arith.constant CBYTES : i32
    %sg = gpu.subgroup_id : index
    %sg32 = arith.index_cast %sg : index to i32
    %n = arith.muli %sg32, %c16 : i32
    %ai = memref.extract_aligned_pointer_as_index %A : memref<MxKxf16> -> index
    %al = arith.index_cast %ai : index to i64
    %ap = llvm.inttoptr %al : i64 to !llvm.ptr<1>
    %bi = memref.extract_aligned_pointer_as_index %B : memref<KxNxf16> -> index
    %bl = arith.index_cast %bi : index to i64
    %bp = llvm.inttoptr %bl : i64 to !llvm.ptr<1>
    %ci = memref.extract_aligned_pointer_as_index %C : memref<MxNxf32> -> index
    %cl = arith.index_cast %ci : index to i64
    %cp = llvm.inttoptr %cl : i64 to !llvm.ptr<1>
    %zero = arith.constant dense<0.000000e+00> : vector<8xf32>
    %r:2 = scf.for %k = %c0 to %k_end step %c32 iter_args(%x0 = %zero, %y0 = %zero)
        -> (vector<8xf32>, vector<8xf32>) : i32 {
      xevm.blockprefetch2d %ap, %a_bytes, %m, %a_bytes, %k, %c0
          <{elem_size_in_bits = 16 : i32, tile_width = 16 : i32, tile_height = 16 : i32, v_blocks = 2 : i32}>
          : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
      %a = xevm.blockload2d %ap, %a_bytes, %m, %a_bytes, %k, %c0
          <{elem_size_in_bits = 16 : i32, tile_width = 16 : i32, tile_height = 16 : i32, v_blocks = 2 : i32,
            transpose = false, pack_register = false}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<32xi16>
      %b = xevm.blockload2d %bp, %b_bytes, %k_end, %b_bytes, %n, %k
          <{elem_size_in_bits = 16 : i32, tile_width = 16 : i32, tile_height = 32 : i32, v_blocks = 1 : i32,
            transpose = false, pack_register = true}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi32>
      %a00 = vector.shuffle %a, %a [0, 1, 2, 3, 4, 5, 6, 7] : vector<32xi16>, vector<32xi16>
      %a10 = vector.shuffle %a, %a [8, 9, 10, 11, 12, 13, 14, 15] : vector<32xi16>, vector<32xi16>
      %a01 = vector.shuffle %a, %a [16, 17, 18, 19, 20, 21, 22, 23] : vector<32xi16>, vector<32xi16>
      %a11 = vector.shuffle %a, %a [24, 25, 26, 27, 28, 29, 30, 31] : vector<32xi16>, vector<32xi16>
      %b0 = vector.shuffle %b, %b [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xi32>, vector<16xi32>
      %b1 = vector.shuffle %b, %b [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xi32>, vector<16xi32>
      %x1 = xevm.mma %a00, %b0, %x0 {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>}
          : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
      %x2 = xevm.mma %a01, %b1, %x1 {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>}
          : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
      %y1 = xevm.mma %a10, %b0, %y0 {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>}
          : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
      %y2 = xevm.mma %a11, %b1, %y1 {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>}
          : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
      scf.yield %x2, %y2 : vector<8xf32>, vector<8xf32>
    }
    xevm.blockstore2d %cp, %c_bytes, %m, %c_bytes, %n, %c0, %r#0
        <{elem_size_in_bits = 32 : i32, tile_width = 16 : i32, tile_height = 8 : i32}>
        : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xf32>)
    xevm.blockstore2d %cp, %c_bytes, %m, %c_bytes, %n, %c8, %r#1
        <{elem_size_in_bits = 32 : i32, tile_width = 16 : i32, tile_height = 8 : i32}>
        : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xf32>)
    gpu.return
  }
}
"""


def sized(text: str, m: int, n: int, k: int) -> str:
    bytes_ = {"KBYTES": 2 * k, "NBYTES": 2 * n, "CBYTES": 4 * n}
    for name, value in bytes_.items():
        text = text.replace(name, str(value))
    return fill(text, "f16", m, n, k).replace("constant M", f"constant {m}")


@pytest.mark.parametrize("shape", [(16, 32, 64), (13, 32, 40), (9, 40, 32)])
@pytest.mark.parametrize("text", [XEGPU, XEVM], ids=["xegpu", "xevm"])
def test_product_by_block_messages(run_at_place: Run, text: str, shape: tuple[int, int, int]):
    m, n, k = shape
    a, b, c = operands("f16", m, n, k)
    run_at_place(sized(text, m, n, k), a, b, c)
    expected = np.full((m, n), 77, np.float32)
    expected[:, :32] = reference("f16", a, b)[:, :32]
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize(
    "shape, message",
    [
        (
            (16, 32, 36),
            "a pitch of 72 bytes; 2D block access needs at least 64 and a multiple of 16",
        ),
        (
            (16, 32, 33),
            "rows of 66 bytes; 2D block access needs at least 64 and a multiple of 4",
        ),
        ((16, 30, 64), "rows of 60 bytes"),
    ],
)
@pytest.mark.parametrize("text", [XEGPU, XEVM], ids=["xegpu", "xevm"])
def test_what_block_messages_need_is_checked(
    run: Run, text: str, shape: tuple[int, int, int], message: str
):
    m, n, k = shape
    a, b, c = operands("f16", m, n, k)
    with pytest.raises(XetileError, match=message) as caught:
        run(sized(text, m, n, k), a, b, c)
    assert caught.value.location is not None
