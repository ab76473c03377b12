// no device multiplies f64 matrices
gpu.module @kernels {
  gpu.func @product(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<16x16xf64>
    %ta = xetile.init_tile %A[0, 0] : memref<64x64xf64> -> !xetile.tile<16x16xf64>
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf64> -> !xetile.tile<16x16xf64>
    %tc = xetile.init_tile %C[0, 0] : memref<64x64xf64> -> !xetile.tile<16x16xf64>
    %a = xetile.load_tile %ta : !xetile.tile<16x16xf64> -> vector<16x16xf64>
    %b = xetile.load_tile %tb : !xetile.tile<16x16xf64> -> vector<16x16xf64>
    %c = xetile.tile_mma %a, %b, %zero : vector<16x16xf64>, vector<16x16xf64>, vector<16x16xf64> -> vector<16x16xf64>
    xetile.store_tile %c, %tc : vector<16x16xf64>, !xetile.tile<16x16xf64>
    gpu.return
  }
}
