// XeTile RFC, appendix 2.1: C = A * B with prefetch, 4096 x 4096, f16 with an f32 result.
//
// A workgroup of 32 subgroups computes a 256x256 tile of C. The point of the program is that one tile of memory may be
// divided in two ways: for loading, subgroups of a row share A's rows and those of a column share B's columns, as the
// product needs; for prefetching, nothing is shared and each subgroup fetches its own 8x32 piece.
//
// Departures from the RFC's text:
// - C is 4096x4096: it is the result of a matrix product, not a vector;
// - the loops over i and j are the grid, 16x16: block_id x counts tiles of rows, block_id y tiles of columns;
// - the prefetched tiles are the ones that were made for it (%1p, %2p), with their own maps;
// - the multiplied values are the loaded ones, and the sum is carried through the loop;
// - B's tile stays 32x256 when it moves.

#map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_a_prefetch = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 32]>
#map_b_prefetch = #xetile.wg_map<sg_layout = [4, 8], sg_data = [8, 32]>

!matrix_a = memref<4096x4096xf16>
!matrix_b = memref<4096x4096xf16>
!matrix_c = memref<4096x4096xf32>
!tile_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a>>
!tile_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b>>
!tile_c = !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #map_c>>
!ahead_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a_prefetch>>
!ahead_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b_prefetch>>

gpu.module @kernels {
  gpu.func @gemm(%A: !matrix_a, %B: !matrix_b, %C: !matrix_c) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %K = arith.constant 4096 : index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index

    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %i = arith.muli %block_x, %c256 : index
    %j = arith.muli %block_y, %c256 : index

    %a_start = xetile.init_tile %A[%i, 0] : !matrix_a -> !tile_a
    %b_start = xetile.init_tile %B[0, %j] : !matrix_b -> !tile_b
    // three K steps ahead of the loads; past the end of K there is nothing to fetch, and nothing is fetched
    %a_ahead_start = xetile.init_tile %A[%i, 96] : !matrix_a -> !ahead_a
    %b_ahead_start = xetile.init_tile %B[96, %j] : !matrix_b -> !ahead_b

    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<256x256xf32>
    %result:5 = scf.for %k = %c0 to %K step %c32
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %a_ahead = %a_ahead_start, %b_ahead = %b_ahead_start,
                  %acc = %zero) -> (!tile_a, !tile_b, !ahead_a, !ahead_b, vector<256x256xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<256x32xf16>
      %b = xetile.load_tile %b_tile : !tile_b -> vector<32x256xf16>
      xetile.prefetch_tile %a_ahead : !ahead_a
      xetile.prefetch_tile %b_ahead : !ahead_b
      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !tile_b
      %a_ahead_next = xetile.update_tile_offset %a_ahead, [%c0, %c32] : !ahead_a
      %b_ahead_next = xetile.update_tile_offset %b_ahead, [%c32, %c0] : !ahead_b
      scf.yield %a_next, %b_next, %a_ahead_next, %b_ahead_next, %sum
          : !tile_a, !tile_b, !ahead_a, !ahead_b, vector<256x256xf32>
    }

    %c_tile = xetile.init_tile %C[%i, %j] : !matrix_c -> !tile_c
    xetile.store_tile %result#4, %c_tile : vector<256x256xf32>, !tile_c
    gpu.return
  }
}
