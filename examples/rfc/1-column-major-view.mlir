// XeTile RFC, appendix 1, second program: C = A * B where memory holds B transposed (BT, N x K, row-major), and the
// program still indexes it as B, K x N. That is what `order = [0, 1]` is for: the tile is 32x64 and moves down along K
// as in the first program, while in memory its columns are the contiguous ones: strides [1, K].
//
// Departures from the RFC's text:
// - the grid, the carried sum in f32 and the moved tiles, as in 1-row-major.mlir;
// - `order` is a key of the tile's attribute; the RFC writes it straight into the tile type here.

!tile_a = !xetile.tile<64x32xbf16>
!tile_b = !xetile.tile<32x64xbf16, #xetile.tile_attr<order = [0, 1]>>
!tile_c = !xetile.tile<64x64xbf16>

gpu.module @kernels {
  // BT is given by its address: the view as B is not a memref's layout but this program's
  gpu.func @gemm(%A: memref<?x?xbf16>, %BT: i64, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index)
      kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index

    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %i = arith.muli %block_x, %c64 : index
    %j = arith.muli %block_y, %c64 : index

    %a_start = xetile.init_tile %A[%i, 0], [%M, %K], [%K, 1] : memref<?x?xbf16> -> !tile_a
    %b_start = xetile.init_tile %BT[0, %j], [%K, %N], [1, %K] : i64 -> !tile_b

    %zero = arith.constant dense<0.000000e+00> : vector<64x64xf32>
    %result:3 = scf.for %k = %c0 to %K step %c32 iter_args(%a_tile = %a_start, %b_tile = %b_start, %acc = %zero)
        -> (!tile_a, !tile_b, vector<64x64xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<64x32xbf16>
      %b = xetile.load_tile %b_tile : !tile_b -> vector<32x64xbf16>
      %sum = xetile.tile_mma %a, %b, %acc
          : vector<64x32xbf16>, vector<32x64xbf16>, vector<64x64xf32> -> vector<64x64xf32>
      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !tile_b
      scf.yield %a_next, %b_next, %sum : !tile_a, !tile_b, vector<64x64xf32>
    }

    %c = arith.truncf %result#2 : vector<64x64xf32> to vector<64x64xbf16>
    %c_tile = xetile.init_tile %C[%i, %j], [%M, %N], [%N, 1] : memref<?x?xbf16> -> !tile_c
    xetile.store_tile %c, %c_tile : vector<64x64xbf16>, !tile_c
    gpu.return
  }
}
