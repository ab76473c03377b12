// XeTile RFC, appendix 2.2: the row sums of A * B + bias, where memory holds B transposed and the bias is one row that
// is added to all rows. The product itself stays in registers: only its row sums are written.
//
//   C = A * transposed(BT) + bias       4096 x 4096
//   res[i] = sum of C[i, :]             4096
//
// Two ops move data between subgroups: the transpose, whose source is divided as the RFC derives it from the result (2.3
// has the better division), and the change of layout before the reduction, after which a row lies in one subgroup. The
// transpose is one of a loaded tile: xetile-wg-to-sg lets each subgroup load what it needs, so that only the product moves.
//
// Where the tiles reach over the matrices' edges, BT and the bias are padded with zeros, so that columns that are not
// there add nothing to the sums; rows that are not there are not written.
//
// Departures from the RFC's text:
// - BT is a parameter, and its tile has two offsets;
// - the loops over i and j are the grid, 16x16. Then the 16 workgroups of one row of tiles each have a part of the
//   same row sums, and the RFC's store would leave the last one's: the parts are added with atomic_rmw_tile instead,
//   and res must be zero before the launch;
// - memref.cast does not change a rank: expand_shape makes 1x4096 of the bias and 4096x1 of the result;
// - the bias is loaded as f32, which it is;
// - the loop carries the sum, the prefetches have their own tiles and maps, and all move along K, as in 2.1; BT is
//   indexed [j, k], so its prefetch moves to the right as well;
// - what is reduced is stored, not the bias' tile;
// - where an op has two maps they are named: the RFC's text and its appendix put positional ones in opposite orders.

#map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#map_a_prefetch = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_bt = #xetile.wg_map<sg_layout = [4, 8], sg_data = [64, 32]>
#map_bt_prefetch = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 32]>
#map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_bias = #xetile.wg_map<sg_layout = [8, 4], sg_data = [1, 64]>
#map_rows = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>
#map_sums = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 1]>

!matrix_a = memref<4096x4096xf16>
!matrix_bt = memref<4096x4096xf16>
!bias = memref<4096xf32>
!bias_row = memref<1x4096xf32>
!result = memref<4096xf32>
!result_column = memref<4096x1xf32>
!tile_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a>>
!tile_bt = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_bt>>
!ahead_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a_prefetch>>
!ahead_bt = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_bt_prefetch>>
!tile_bias = !xetile.tile<1x256xf32, #xetile.tile_attr<wg_map = #map_bias>>
!tile_sums = !xetile.tile<256x1xf32, #xetile.tile_attr<wg_map = #map_sums>>

gpu.module @kernels {
  gpu.func @gemm_row_sums(%A: !matrix_a, %BT: !matrix_bt, %bias: !bias, %res: !result) kernel
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
    // six K steps ahead
    %a_ahead_start = xetile.init_tile %A[%i, 192] : !matrix_a -> !ahead_a
    %bt_ahead_start = xetile.init_tile %BT[%j, 192] : !matrix_bt -> !ahead_bt

    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<256x256xf32>
    %result:5 = scf.for %k = %c0 to %K step %c32
        iter_args(%a_tile = %a_start, %bt_tile = %bt_start, %a_ahead = %a_ahead_start, %bt_ahead = %bt_ahead_start,
                  %acc = %zero) -> (!tile_a, !tile_bt, !ahead_a, !ahead_bt, vector<256x256xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<256x32xf16>
      %bt = xetile.load_tile %bt_tile : !tile_bt -> vector<256x32xf16>
      %b = xetile.tile_transpose %bt, [1, 0] {wg_map_result = #map_b, wg_map_source = #map_bt}
          : vector<256x32xf16> -> vector<32x256xf16>
      xetile.prefetch_tile %a_ahead : !ahead_a
      xetile.prefetch_tile %bt_ahead : !ahead_bt
      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %bt_next = xetile.update_tile_offset %bt_tile, [%c0, %c32] : !tile_bt
      %a_ahead_next = xetile.update_tile_offset %a_ahead, [%c0, %c32] : !ahead_a
      %bt_ahead_next = xetile.update_tile_offset %bt_ahead, [%c0, %c32] : !ahead_bt
      scf.yield %a_next, %bt_next, %a_ahead_next, %bt_ahead_next, %sum
          : !tile_a, !tile_bt, !ahead_a, !ahead_bt, vector<256x256xf32>
    }

    // all 256 rows get the bias; the eight subgroups of a column share its 64 elements
    %bias_row = memref.expand_shape %bias [[0, 1]] output_shape [1, 4096] : !bias into !bias_row
    %bias_tile = xetile.init_tile %bias_row[0, %j] : !bias_row -> !tile_bias
    %row = xetile.load_tile %bias_tile : !tile_bias -> vector<1x256xf32>
    %biases = xetile.tile_broadcast %row [0] {wg_map_result = #map_c, wg_map_source = #map_bias}
        : vector<1x256xf32> -> vector<256x256xf32>
    %c = arith.addf %result#4, %biases {wg_map = #map_c} : vector<256x256xf32>

    // whole rows to each subgroup, then a sum that stays inside it
    %c_rows = xetile.tile_conv_layout %c {wg_map_result = #map_rows, wg_map_source = #map_c} : vector<256x256xf32>
    %sums = xetile.tile_reduce <add>, %c_rows [1] {wg_map_result = #map_sums, wg_map_source = #map_rows}
        : vector<256x256xf32> -> vector<256x1xf32>

    %res_column = memref.expand_shape %res [[0, 1]] output_shape [4096, 1] : !result into !result_column
    %res_tile = xetile.init_tile %res_column[%i, 0] : !result_column -> !tile_sums
    %old = xetile.atomic_rmw_tile <addf> %sums, %res_tile : vector<256x1xf32>, !tile_sums -> vector<256x1xf32>
    gpu.return
  }
}
