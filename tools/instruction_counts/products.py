"""Products of f16 matrices of 4096 x 4096: what one subgroup of 32 does for its 32x64 of C, in steps of 32."""

from string import Template

BIAS_RELU = """%bias_tile = xetile.init_tile %bias[0, %n] : memref<1x4096xf32> -> !xetile.tile<1x64xf32>
    %row = xetile.load_tile %bias_tile : !xetile.tile<1x64xf32> -> vector<1x64xf32>
    %all = xetile.tile_broadcast %row [0] : vector<1x64xf32> -> !c
    %sum = arith.addf %end#2, %all : !c
    %out = arith.maxnumf %sum, %zero : !c"""


def product(*, b_transposed: bool = False, after: str = "") -> str:
    """The kernel; `after` makes `%out` of the product `%end#2`, which is stored itself without that."""
    return TEXT.substitute(
        tile="64x32" if b_transposed else "32x64",
        load=TURNED if b_transposed else AS_IT_IS,
        begin="[%n, %c0]" if b_transposed else "[%c0, %n]",
        step="[%c0, %c32]" if b_transposed else "[%c32, %c0]",
        after=after,
        out="%out" if after else "%end#2",
    )


AS_IT_IS = "%b = xetile.load_tile %b_tile : !b -> vector<32x64xf16>"
TURNED = """%b_rows = xetile.load_tile %b_tile : !b -> vector<64x32xf16>
      %b = xetile.tile_transpose %b_rows, [1, 0] : vector<64x32xf16> -> vector<32x64xf16>"""

TEXT = Template("""
!a = !xetile.tile<32x32xf16>
!b = !xetile.tile<${tile}xf16>
!c = vector<32x64xf32>
gpu.module @kernels {
  gpu.func @gemm(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %bias: memref<1x4096xf32>,
      %C: memref<4096x4096xf32>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %subgroup = gpu.subgroup_id : index
    %subgroup_row = arith.divui %subgroup, %c4 : index
    %subgroup_column = arith.remui %subgroup, %c4 : index
    %m_block = arith.muli %block_x, %c256 : index
    %n_block = arith.muli %block_y, %c256 : index
    %m_inside = arith.muli %subgroup_row, %c32 : index
    %n_inside = arith.muli %subgroup_column, %c64 : index
    %m = arith.addi %m_block, %m_inside : index
    %n = arith.addi %n_block, %n_inside : index
    %a_start = xetile.init_tile %A[%m, %c0] : memref<4096x4096xf16> -> !a
    %b_start = xetile.init_tile %B${begin} : memref<4096x4096xf16> -> !b
    %zero = arith.constant dense<0.0> : !c
    %end:3 = scf.for %k = %c0 to %c4096 step %c32
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %acc = %zero) -> (!a, !b, !c) {
      %a = xetile.load_tile %a_tile : !a -> vector<32x32xf16>
      ${load}
      %next = xetile.tile_mma %a, %b, %acc : vector<32x32xf16>, vector<32x64xf16>, !c -> !c
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !a
      %b_next = xetile.update_tile_offset %b_tile, ${step} : !b
      scf.yield %a_next, %b_next, %next : !a, !b, !c
    }
    ${after}
    %c_tile = xetile.init_tile %C[%m, %n] : memref<4096x4096xf32> -> !xetile.tile<32x64xf32>
    xetile.store_tile ${out}, %c_tile : !c, !xetile.tile<32x64xf32>
    gpu.return
  }
}
""")
