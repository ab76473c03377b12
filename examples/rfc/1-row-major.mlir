// XeTile RFC, appendix 1, first program: C = A * B with all three matrices row-major, the common case.
//
// Written for one subgroup: no tile carries a map, each workgroup is one subgroup of 16 work-items and computes one
// 64x64 tile of C. The RFC takes the address, the extents and the pitch of each matrix; so does this kernel, and one
// binary serves any M, N and K: tiles that reach over an edge are padded when loaded and cut when stored.
//
// Departures from the RFC's text:
// - its loops over i and j are the grid: block_id x counts tiles of rows, block_id y tiles of columns;
// - it shows a single K step: here the product is carried through the loop over K, and C is stored after it;
// - it sums in bf16: here the sum is f32, rounded to bf16 once at the end, as a bf16 sum loses small products;
// - tiles are made once before the loop and moved in it, as the RFC itself recommends.

!tile_a = !xetile.tile<64x32xbf16>
!tile_b = !xetile.tile<32x64xbf16>
!tile_c = !xetile.tile<64x64xbf16>

gpu.module @kernels {
  gpu.func @gemm(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>, %M: index, %N: index, %K: index)
      kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index

    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %i = arith.muli %block_x, %c64 : index
    %j = arith.muli %block_y, %c64 : index

    // each matrix: first row and column of the tile, extents, strides
    %a_start = xetile.init_tile %A[%i, 0], [%M, %K], [%K, 1] : memref<?x?xbf16> -> !tile_a
    %b_start = xetile.init_tile %B[0, %j], [%K, %N], [%N, 1] : memref<?x?xbf16> -> !tile_b

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
