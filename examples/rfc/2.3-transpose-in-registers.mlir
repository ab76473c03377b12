// XeTile RFC, appendix 2.3: C = A * B where memory holds B transposed, with the better of two divisions of BT.
//
// The product wants B, 32x256, as 8 x 4 subgroups with 32x64 each: subgroup s holds columns 64 * (s mod 4) and up. In
// 2.2 BT is loaded as 4 x 8 subgroups with 64x32 each, so that s loads what s / 8 names, and the transposition moves
// data between subgroups, unless a pass lets others load (xetile-wg-to-sg does). Here it is loaded as 32 x 1: 256 rows
// are four units of 64, dealt to 32 subgroups they wrap around, and s loads rows 64 * (s mod 4) and up. That is what it
// holds after the transposition: nothing moves, each subgroup transposes its own tile.
//
// Departures from the RFC's text:
// - it shows the two lines and their maps: here they stand in the product of 2.2, without bias and reduction;
// - the RFC derives a transposition's source from its result by exchanging rows and columns of the map, which would
//   refuse this pair: both maps are named, so that any pair is legal (a tile_transpose that names both takes any).

#map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_bt = #xetile.wg_map<sg_layout = [32, 1], sg_data = [64, 32]>
#map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>

!matrix_a = memref<4096x4096xf16>
!matrix_bt = memref<4096x4096xf16>
!matrix_c = memref<4096x4096xf32>
!tile_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a>>
!tile_bt = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_bt>>
!tile_c = !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #map_c>>

gpu.module @kernels {
  gpu.func @gemm(%A: !matrix_a, %BT: !matrix_bt, %C: !matrix_c) kernel
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
    %bt_start = xetile.init_tile %BT[%j, 0] : !matrix_bt -> !tile_bt

    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<256x256xf32>
    %result:3 = scf.for %k = %c0 to %K step %c32 iter_args(%a_tile = %a_start, %bt_tile = %bt_start, %acc = %zero)
        -> (!tile_a, !tile_bt, vector<256x256xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<256x32xf16>
      %bt = xetile.load_tile %bt_tile : !tile_bt -> vector<256x32xf16>
      %b = xetile.tile_transpose %bt, [1, 0] {wg_map_result = #map_b, wg_map_source = #map_bt}
          : vector<256x32xf16> -> vector<32x256xf16>
      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %bt_next = xetile.update_tile_offset %bt_tile, [%c0, %c32] : !tile_bt
      scf.yield %a_next, %bt_next, %sum : !tile_a, !tile_bt, vector<256x256xf32>
    }

    %c_tile = xetile.init_tile %C[%i, %j] : !matrix_c -> !tile_c
    xetile.store_tile %result#2, %c_tile : vector<256x256xf32>, !tile_c
    gpu.return
  }
}
