// C = A * B for 4096 x 4096 f16 matrices with an f32 result, the first program of the XeTile RFC's appendix
// (2.1, "simple GEMM with prefetch"), without its prefetches.
//
// One workgroup computes one 256x256 tile of C: the grid has 16x16 workgroups, block_id x is the row of
// tiles and block_id y the column. 32 subgroups, laid out 8x4, share the tile as 32x64 pieces; 16 lanes
// make a subgroup, hence 512 work-items.

// Who loads what: subgroup (r, c) of 8x4 takes rows 32*r of A and columns 64*c of B. A is 32 columns wide,
// a single unit, so the four subgroups of a row share it; likewise the eight of a column share B.
#map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>

!tile_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a>>
!tile_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b>>
!tile_c = !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #map_c>>

gpu.module @kernels {
  gpu.func @gemm(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %C: memref<4096x4096xf32>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index

    // the first row and column of this workgroup's tile
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %m = arith.muli %block_x, %c256 : index
    %n = arith.muli %block_y, %c256 : index

    %a_start = xetile.init_tile %A[%m, 0] : memref<4096x4096xf16> -> !tile_a
    %b_start = xetile.init_tile %B[0, %n] : memref<4096x4096xf16> -> !tile_b

    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<256x256xf32>
    %result:3 = scf.for %k = %c0 to %c4096 step %c32
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %acc = %zero)
        -> (!tile_a, !tile_b, vector<256x256xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<256x32xf16>
      %b = xetile.load_tile %b_tile : !tile_b -> vector<32x256xf16>

      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>

      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !tile_b
      scf.yield %a_next, %b_next, %sum : !tile_a, !tile_b, vector<256x256xf32>
    }

    %c_tile = xetile.init_tile %C[%m, %n] : memref<4096x4096xf32> -> !tile_c
    xetile.store_tile %result#2, %c_tile : vector<256x256xf32>, !tile_c
    gpu.return
  }
}
