// K is divided among workgroups, whose parts are added with atomic_rmw.
gpu.module @test {
  gpu.func @test(%A: memref<64x128xf16>, %B: memref<128x64xf16>, %C: memref<64x64xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 4, 4, 4>} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %m = arith.muli %bx, %c16 : index
    %n = arith.muli %by, %c16 : index
    %k = arith.muli %bz, %c32 : index
    %ta = xetile.init_tile %A[%m, %k] : memref<64x128xf16> -> !xetile.tile<16x32xf16>
    %tb = xetile.init_tile %B[%k, %n] : memref<128x64xf16> -> !xetile.tile<32x16xf16>
    %a = xetile.load_tile %ta : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %b = xetile.load_tile %tb : !xetile.tile<32x16xf16> -> vector<32x16xf16>
    %d = xetile.tile_mma %a, %b : vector<16x32xf16>, vector<32x16xf16> -> vector<16x16xf32>
    %tc = xetile.init_tile %C[%m, %n] : memref<64x64xf32> -> !xetile.tile<16x16xf32>
    %r = xetile.atomic_rmw addf %d, %tc : vector<16x16xf32>, !xetile.tile<16x16xf32> -> vector<16x16xf32>
    gpu.return
  }
}
