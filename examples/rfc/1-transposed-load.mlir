// XeTile RFC, appendix 1, third program: the same product as 1-column-major-view.mlir, written the other way. BT is
// indexed as memory holds it (N x K, row-major), and each loaded 64x32 tile is transposed before it is multiplied.
//
// Departures from the RFC's text:
// - the grid, the carried sum in f32 and the moved tiles, as in 1-row-major.mlir;
// - it multiplies by %vbt, the tile that is not transposed: the transposed one is meant.

!tile_a = !xetile.tile<64x32xbf16>
!tile_bt = !xetile.tile<64x32xbf16>
!tile_c = !xetile.tile<64x64xbf16>

gpu.module @kernels {
  gpu.func @gemm(%A: memref<?x?xbf16>, %BT: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index)
      kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index

    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %i = arith.muli %block_x, %c64 : index
    %j = arith.muli %block_y, %c64 : index

    %a_start = xetile.init_tile %A[%i, 0], [%M, %K], [%K, 1] : memref<?x?xbf16> -> !tile_a
    %bt_start = xetile.init_tile %BT[%j, 0], [%N, %K], [%K, 1] : memref<?x?xbf16> -> !tile_bt

    %zero = arith.constant dense<0.000000e+00> : vector<64x64xf32>
    %result:3 = scf.for %k = %c0 to %K step %c32 iter_args(%a_tile = %a_start, %bt_tile = %bt_start, %acc = %zero)
        -> (!tile_a, !tile_bt, vector<64x64xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<64x32xbf16>
      %bt = xetile.load_tile %bt_tile : !tile_bt -> vector<64x32xbf16>
      %b = xetile.tile_transpose %bt, [1, 0] : vector<64x32xbf16> -> vector<32x64xbf16>
      %sum = xetile.tile_mma %a, %b, %acc
          : vector<64x32xbf16>, vector<32x64xbf16>, vector<64x64xf32> -> vector<64x64xf32>
      // both tiles are indexed [.., k]: both move to the right
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %bt_next = xetile.update_tile_offset %bt_tile, [%c0, %c32] : !tile_bt
      scf.yield %a_next, %bt_next, %sum : !tile_a, !tile_bt, vector<64x64xf32>
    }

    %c = arith.truncf %result#2 : vector<64x64xf32> to vector<64x64xbf16>
    %c_tile = xetile.init_tile %C[%i, %j], [%M, %N], [%N, 1] : memref<?x?xbf16> -> !tile_c
    xetile.store_tile %c, %c_tile : vector<64x64xbf16>, !tile_c
    gpu.return
  }
}
