// C = A * B for 4096 x 4096 signed 8-bit matrices with an i32 result, the first program of the XeTile RFC's appendix
// (2.1, "simple GEMM with prefetch").
//
// One workgroup computes one 256x256 tile of C: the grid has 16x16 workgroups, block_id x is the row of
// tiles and block_id y the column. 32 subgroups, laid out 8x4, share the tile as 32x64 pieces; 16 lanes
// make a subgroup, hence 512 work-items.

// Who loads what: subgroup (r, c) of 8x4 takes rows 32*r of A and columns 64*c of B. A is 32 columns wide,
// a single unit, so the four subgroups of a row share it; likewise the eight of a column share B.
#map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>

// Who prefetches what: here nothing is shared, each of the 32 subgroups fetches its own 8x32 piece.
#map_a_prefetch = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 32]>
#map_b_prefetch = #xetile.wg_map<sg_layout = [4, 8], sg_data = [8, 32]>

!tile_a = !xetile.tile<256x32xi8, #xetile.tile_attr<wg_map = #map_a>>
!tile_b = !xetile.tile<32x256xi8, #xetile.tile_attr<wg_map = #map_b>>
!tile_c = !xetile.tile<256x256xi32, #xetile.tile_attr<wg_map = #map_c>>
!ahead_a = !xetile.tile<256x32xi8, #xetile.tile_attr<wg_map = #map_a_prefetch>>
!ahead_b = !xetile.tile<32x256xi8, #xetile.tile_attr<wg_map = #map_b_prefetch>>

gpu.module @kernels {
  gpu.func @gemm(%A: memref<4096x4096xi8>, %B: memref<4096x4096xi8>, %C: memref<4096x4096xi32>) kernel
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

    %a_start = xetile.init_tile %A[%m, 0] : memref<4096x4096xi8> -> !tile_a
    %b_start = xetile.init_tile %B[0, %n] : memref<4096x4096xi8> -> !tile_b

    // the prefetches run three K steps ahead of the loads; past the end of K they fetch nothing
    %a_ahead_start = xetile.init_tile %A[%m, 96] : memref<4096x4096xi8> -> !ahead_a
    %b_ahead_start = xetile.init_tile %B[96, %n] : memref<4096x4096xi8> -> !ahead_b

    %zero = arith.constant {wg_map = #map_c} dense<0> : vector<256x256xi32>
    %result:5 = scf.for %k = %c0 to %c4096 step %c32
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %a_ahead = %a_ahead_start, %b_ahead = %b_ahead_start,
                  %acc = %zero) -> (!tile_a, !tile_b, !ahead_a, !ahead_b, vector<256x256xi32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<256x32xi8>
      %b = xetile.load_tile %b_tile : !tile_b -> vector<32x256xi8>

      xetile.prefetch_tile %a_ahead : !ahead_a
      xetile.prefetch_tile %b_ahead : !ahead_b

      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<256x32xi8>, vector<32x256xi8>, vector<256x256xi32> -> vector<256x256xi32>

      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !tile_b
      %a_ahead_next = xetile.update_tile_offset %a_ahead, [%c0, %c32] : !ahead_a
      %b_ahead_next = xetile.update_tile_offset %b_ahead, [%c32, %c0] : !ahead_b
      scf.yield %a_next, %b_next, %a_ahead_next, %b_ahead_next, %sum
          : !tile_a, !tile_b, !ahead_a, !ahead_b, vector<256x256xi32>
    }

    %c_tile = xetile.init_tile %C[%m, %n] : memref<4096x4096xi32> -> !tile_c
    xetile.store_tile %result#4, %c_tile : vector<256x256xi32>, !tile_c
    gpu.return
  }
}
