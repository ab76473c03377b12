"""XeGPU's scattered accesses, matrices in shared memory and named barriers, against numpy."""

from collections.abc import Callable

import numpy as np
import pytest

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute_host

Run = Callable[..., None]

HEADER = """
gpu.module @m {
  gpu.func @k(%0: memref<64xf32>, %1: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %sg = gpu.subgroup_id : index
    %own = arith.muli %sg, %c16 : index
    %step = vector.step : vector<16xindex>
    %c48 = arith.constant dense<40> : vector<16xindex>
    %back = arith.subi %c48, %step : vector<16xindex>
    %firsts = vector.broadcast %own : index to vector<16xindex>
    %at = arith.addi %step, %firsts : vector<16xindex>
    %c5 = arith.constant 5 : index
    %mask = vector.create_mask %c5 : vector<16xi1>
    %all = arith.constant dense<true> : vector<16xi1>
"""
FOOTER = "\n gpu.return\n }\n }"
SCATTER = "!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>"
CHUNKS = "!xegpu.tensor_desc<16x2xf32, #xegpu.scatter_tdesc_attr<chunk_size = 2 : i64>>"


def result_of(run: Run, body: str) -> tuple[np.ndarray, np.ndarray]:
    source = np.random.default_rng(3).standard_normal(64).astype(np.float32)
    target = np.zeros(64, np.float32)
    run(HEADER + body + FOOTER, source, target)
    return source, target


def test_a_descriptor_that_moves(run: Run):
    source, target = result_of(
        run,
        f"""
        %d = xegpu.create_tdesc %0, %back : memref<64xf32>, vector<16xindex> -> {SCATTER}
        %e = xegpu.update_offset %d, %firsts : {SCATTER}, vector<16xindex>
        xegpu.prefetch %e : {SCATTER}
        %v = xegpu.load %e, %mask : {SCATTER}, vector<16xi1> -> vector<16xf32>
        xegpu.store %v, %1[%at], %all : vector<16xf32>, memref<64xf32>, vector<16xindex>, vector<16xi1>
        """,
    )
    for subgroup in range(2):
        expected = [source[40 - lane + 16 * subgroup] if lane < 5 else 0 for lane in range(16)]
        assert target[16 * subgroup : 16 * subgroup + 16].tolist() == expected


def test_chunks_at_addresses(run: Run):
    source, target = result_of(
        run,
        """
        %i = memref.extract_aligned_pointer_as_index %0 : memref<64xf32> -> index
        %p = arith.index_cast %i : index to i64
        %even = arith.addi %at, %at : vector<16xindex>
        %v = xegpu.load %p[%even], %mask <{chunk_size = 2 : i64}> : i64, vector<16xindex>, vector<16xi1> -> vector<16x2xf32>
        %j = memref.extract_aligned_pointer_as_index %1 : memref<64xf32> -> index
        %q = arith.index_cast %j : index to i64
        xegpu.store %v, %q[%even], %mask <{chunk_size = 2 : i64}> : vector<16x2xf32>, i64, vector<16xindex>, vector<16xi1>
        """,
    )
    expected = np.where(np.arange(64) % 32 < 10, source, 0)
    np.testing.assert_array_equal(target, expected)


def test_atomic_updates_of_one_element(run: Run):
    _, target = result_of(
        run,
        f"""
        %zero = arith.constant dense<0> : vector<16xindex>
        %ones = arith.constant dense<1.0> : vector<16xf32>
        %d = xegpu.create_tdesc %1, %zero : memref<64xf32>, vector<16xindex> -> {SCATTER}
        %old = xegpu.atomic_rmw addf %d, %mask, %ones : {SCATTER}, vector<16xi1>, vector<16xf32> -> vector<16xf32>
        %two = arith.constant dense<32> : vector<16xindex>
        %to = arith.addi %at, %two : vector<16xindex>
        xegpu.store %old, %1[%to], %all : vector<16xf32>, memref<64xf32>, vector<16xindex>, vector<16xi1>
        """,
    )
    assert target[0] == 10
    assert target[32:48].tolist() == [0, 1, 2, 3, 4, *[0] * 11]
    assert target[48:64].tolist() == [5, 6, 7, 8, 9, *[0] * 11]


LAYOUTS = {
    "": (8, 1),
    ", #xegpu.mem_layout<stride = [1, 8]>": (1, 8),
}


def matrices(layout: str, *, barrier: str = "gpu.barrier", column: str = "0") -> str:
    desc = f"!xegpu.mem_desc<8x8xf32{layout}>"
    return f"""
        %s = memref.alloc() : memref<256xi8, 3>
        %m = xegpu.create_mem_desc %s : memref<256xi8, 3> -> {desc}
        %c4 = arith.constant 4 : index
        %row = arith.muli %sg, %c4 : index
        %half = arith.muli %sg, %c32 : index
        %flat = vector.load %0[%half] : memref<64xf32>, vector<32xf32>
        %v = vector.shape_cast %flat : vector<32xf32> to vector<4x8xf32>
        xegpu.store_matrix %v, %m[%row, 0] : vector<4x8xf32>, {desc}, index
        {barrier}
        %r = xegpu.load_matrix %m[{column}, %row] : {desc}, index -> vector<8x4xf32>
        %out = vector.shape_cast %r : vector<8x4xf32> to vector<32xf32>
        vector.store %out, %1[%half] : memref<64xf32>, vector<32xf32>
        """


@pytest.mark.parametrize("layout", LAYOUTS)
def test_matrices_in_shared_memory(run: Run, layout: str):
    source, target = result_of(run, matrices(layout))
    square = source.reshape(8, 8)
    np.testing.assert_array_equal(target.reshape(2, 8, 4), [square[:, :4], square[:, 4:]])


@pytest.mark.parametrize(
    "strides, block, at, expected",
    [
        ([64, 1], [16, 16], (17, 35), 1024 + 16 + 2 * 256 + 3),
        ([1, 32], [16, 16], (17, 35), 256 + 1 + 2 * 512 + 3 * 16),
        ([64, 1], None, (17, 35), 17 * 64 + 35),
    ],
)
def test_blocks_of_a_matrix(
    run: Run, strides: list[int], block: list[int] | None, at: tuple[int, int], expected: int
):
    """Blocks lie one after the other, the ones along the dimension of the smallest stride first."""
    blocks = f", block = {block}" if block else ""
    desc = f"!xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = {strides}{blocks}>>"
    _, target = result_of(
        run,
        f"""
        %s = memref.alloc() : memref<4096xi8, 3>
        %typed = memref.view %s[%c0][] : memref<4096xi8, 3> to memref<2048xf16, 3>
        %m = xegpu.create_mem_desc %s : memref<4096xi8, 3> -> {desc}
        %e = arith.constant {expected} : index
        %x = arith.constant 2.5 : f16
        %first = arith.cmpi eq, %sg, %c0 : index
        scf.if %first {{
          memref.store %x, %typed[%e] : memref<2048xf16, 3>
          %r = xegpu.load_matrix %m[{at[0]}, {at[1]}] : {desc} -> f16
          %w = arith.extf %r : f16 to f32
          memref.store %w, %1[%c0] : memref<64xf32>
        }}
        """,
    )
    assert target[0] == 2.5


NAMED = """
        xegpu.alloc_nbarrier 1
        %id = arith.constant 0 : i8
        %count = arith.constant COUNT : i8
        %b = xegpu.init_nbarrier %id, %count : i8, i8 -> !xegpu.nbarrier
        xegpu.nbarrier_arrive %b : !xegpu.nbarrier
        xegpu.nbarrier_wait %b : !xegpu.nbarrier
"""


def test_named_barriers(run: Run):
    result_of(run, matrices("", barrier=NAMED.replace("COUNT", "2")))
    with pytest.raises(XetileError, match="a named barrier of 1 of the 2 subgroups"):
        result_of(run, matrices("", barrier=NAMED.replace("COUNT", "1")))


@pytest.mark.parametrize(
    "body, message",
    [
        (matrices("", barrier=""), "subgroup 0 reads element .* which subgroup 1 wrote"),
        (matrices("", column="1"), "the tile covers indices 1 to 8 of dimension 0"),
    ],
)
def test_wrong_uses_of_matrices(run: Run, body: str, message: str):
    with pytest.raises(XetileError, match=message):
        result_of(run, body)


def test_dynamic_shared_memory():
    """Each workgroup has its own, and all subgroups of it the same."""
    text = """
        module attributes {gpu.container_module} {
          gpu.module @m {
            gpu.func @k(%out: memref<4xindex>) kernel {
              %c0 = arith.constant 0 : index
              %c1 = arith.constant 1 : index
              %c2 = arith.constant 2 : index
              %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
              %v = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xindex, #gpu.address_space<workgroup>>
              %sg = gpu.subgroup_id : index
              %b = gpu.block_id x
              %first = arith.muli %b, %c2 : index
              %n = arith.addi %first, %sg : index
              memref.store %n, %v[%sg] : memref<2xindex, #gpu.address_space<workgroup>>
              gpu.barrier
              %again = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
              %w = memref.view %again[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xindex, #gpu.address_space<workgroup>>
              %other = arith.subi %c1, %sg : index
              %x = memref.load %w[%other] : memref<2xindex, #gpu.address_space<workgroup>>
              memref.store %x, %out[%n] : memref<4xindex>
              gpu.return
            }
          }
          func.func @main(%out: memref<4xindex>) {
            %c1 = arith.constant 1 : index
            %c2 = arith.constant 2 : index
            %c32 = arith.constant 32 : index
            %size = arith.constant 16 : i32
            gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1)
                dynamic_shared_memory_size %size args(%out : memref<4xindex>)
            func.return
          }
        }
        """
    out = np.zeros(4, np.int64)
    execute_host(parse_text(text, "k.mlir"), "main", [out], output=str, sanitize=True)
    assert out.tolist() == [1, 0, 3, 2]
    small = parse_text(text.replace("constant 16 : i32", "constant 8 : i32"), "k.mlir")
    with pytest.raises(
        XetileError, match=r"accesses byte 8 of the shared buffer .* has 8 bytes"
    ):
        execute_host(small, "main", [out], output=str, sanitize=True)


def test_dynamic_shared_memory_of_no_size(run: Run):
    with pytest.raises(XetileError, match="the launch does not say how much memory"):
        result_of(
            run, "%s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>"
        )
