// B lies transposed, is exchanged by memref.transpose and read through a column-major tile.
gpu.module @test_kernel {
  gpu.func @test_kernel(%A: memref<128x96xf16>, %B: memref<128x96xf16>, %C: memref<128x128xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 4, 4, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %bx, %c32 : index
    %n = arith.muli %by, %c32 : index
    %B_t = memref.transpose %B (i, j) -> (j, i) : memref<128x96xf16> to memref<96x128xf16, strided<[1, 96]>>
    %a0 = xetile.init_tile %A[%m, 0] : memref<128x96xf16> -> !xetile.tile<32x32xf16>
    %b0 = xetile.init_tile %B_t[0, %n] : memref<96x128xf16, strided<[1, 96]>> -> !xetile.tile<32x32xf16, #xetile.tile_attr<order = [0, 1]>>
    %c = arith.constant dense<0.0> : vector<32x32xf32>
    %r:3 = scf.for %k = %c0 to %c96 step %c32 iter_args(%at = %a0, %bt = %b0, %acc = %c) -> (!xetile.tile<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<order = [0, 1]>>, vector<32x32xf32>) {
      %a = xetile.load_tile %at : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %b = xetile.load_tile %bt : !xetile.tile<32x32xf16, #xetile.tile_attr<order = [0, 1]>> -> vector<32x32xf16>
      %d = xetile.tile_mma %a, %b, %acc : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      %an = xetile.update_tile_offset %at, [%c0, %c32] : !xetile.tile<32x32xf16>
      %bn = xetile.update_tile_offset %bt, [%c32, %c0] : !xetile.tile<32x32xf16, #xetile.tile_attr<order = [0, 1]>>
      scf.yield %an, %bn, %d : !xetile.tile<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<order = [0, 1]>>, vector<32x32xf32>
    }
    %ct = xetile.init_tile %C[%m, %n] : memref<128x128xf32> -> !xetile.tile<32x32xf32>
    xetile.store_tile %r#2, %ct : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}
