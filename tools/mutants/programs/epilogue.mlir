// A product added to what C held, a bias, a clamp and a conversion; the matrices are parts of wider ones.
gpu.module @m {
  gpu.func @k(%A: memref<40x64xf16, strided<[80, 1]>>, %B: memref<64x56xf16>, %bias: memref<40x56xf32>,
      %C: memref<40x56xf32, strided<[64, 1]>>, %D: memref<40x56xf16>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 3, 2, 1>} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %bx, %c16 : index
    %n = arith.muli %by, %c32 : index
    %ta = xetile.init_tile %A[%m, 0] : memref<40x64xf16, strided<[80, 1]>> -> !xetile.tile<16x64xf16>
    %tb = xetile.init_tile %B[0, %n] : memref<64x56xf16> -> !xetile.tile<64x32xf16>
    %tv = xetile.init_tile %bias[%m, %n] : memref<40x56xf32> -> !xetile.tile<16x32xf32>
    %tc = xetile.init_tile %C[%m, %n] : memref<40x56xf32, strided<[64, 1]>> -> !xetile.tile<16x32xf32>
    %td = xetile.init_tile %D[%m, %n] : memref<40x56xf16> -> !xetile.tile<16x32xf16>
    %a = xetile.load_tile %ta : !xetile.tile<16x64xf16> -> vector<16x64xf16>
    %b = xetile.load_tile %tb : !xetile.tile<64x32xf16> -> vector<64x32xf16>
    %v = xetile.load_tile %tv : !xetile.tile<16x32xf32> -> vector<16x32xf32>
    %c = xetile.load_tile %tc : !xetile.tile<16x32xf32> -> vector<16x32xf32>
    %d = xetile.tile_mma %a, %b, %c : vector<16x64xf16>, vector<64x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
    %s = arith.constant dense<0.375> : vector<16x32xf32>
    %scaled = arith.mulf %d, %s : vector<16x32xf32>
    %sum = arith.addf %scaled, %v : vector<16x32xf32>
    %least = arith.constant dense<0.0> : vector<16x32xf32>
    %above = arith.maximumf %sum, %least : vector<16x32xf32>
    %narrow = arith.truncf %above : vector<16x32xf32> to vector<16x32xf16>
    xetile.store_tile %sum, %tc : vector<16x32xf32>, !xetile.tile<16x32xf32>
    xetile.store_tile %narrow, %td : vector<16x32xf16>, !xetile.tile<16x32xf16>
    gpu.return
  }
}
