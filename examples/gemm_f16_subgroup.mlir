// C = A * B for 4096 x 4096 f16 matrices with an f32 result, at subgroup level: what one subgroup does, without maps,
// as kernels for Intel's compiler are written. The same program at workgroup level is gemm_f16_plain.mlir.
//
// One workgroup computes one 256x256 tile of C: the grid has 16x16 workgroups, block_id x is the row of tiles and
// block_id y the column. 32 subgroups, laid out 8x4, share the tile as 32x64 pieces; 16 lanes make a subgroup, hence
// 512 work-items.

gpu.module @kernels {
  gpu.func @gemm(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %C: memref<4096x4096xf32>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index

    // the first row and column of this subgroup's piece
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

    %a_start = xetile.init_tile %A[%m, %c0] : memref<4096x4096xf16> -> !xetile.tile<32x32xf16>
    %b_start = xetile.init_tile %B[%c0, %n] : memref<4096x4096xf16> -> !xetile.tile<32x64xf16>

    %zero = arith.constant dense<0.000000e+00> : vector<32x64xf32>
    %result:3 = scf.for %k = %c0 to %c4096 step %c32
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %acc = %zero)
        -> (!xetile.tile<32x32xf16>, !xetile.tile<32x64xf16>, vector<32x64xf32>) {
      %a = xetile.load_tile %a_tile : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %b = xetile.load_tile %b_tile : !xetile.tile<32x64xf16> -> vector<32x64xf16>

      %sum = xetile.tile_mma %a, %b, %acc
          : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> vector<32x64xf32>

      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !xetile.tile<32x32xf16>
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !xetile.tile<32x64xf16>
      scf.yield %a_next, %b_next, %sum
          : !xetile.tile<32x32xf16>, !xetile.tile<32x64xf16>, vector<32x64xf32>
    }

    %c_tile = xetile.init_tile %C[%m, %n] : memref<4096x4096xf32> -> !xetile.tile<32x64xf32>
    xetile.store_tile %result#2, %c_tile : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}
