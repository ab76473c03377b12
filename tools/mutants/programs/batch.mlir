// A product for each matrix of a batch; C is larger than what A and B have, so that zeros beside them are seen.
gpu.module @m {
  gpu.func @k(%A: memref<3x24x96xbf16>, %B: memref<3x96x48xbf16>, %C: memref<3x40x56xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 3, 2, 3>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %z = gpu.block_id z
    %m = arith.muli %bx, %c16 : index
    %n = arith.muli %by, %c32 : index
    %ta = xetile.init_tile %A[%z, %m, 0] : memref<3x24x96xbf16> -> !xetile.tile<16x32xbf16>
    %tb = xetile.init_tile %B[%z, 0, %n] : memref<3x96x48xbf16> -> !xetile.tile<32x32xbf16>
    %zero = arith.constant dense<0.0> : vector<16x32xf32>
    %r:3 = scf.for %k = %c0 to %c64 step %c32 iter_args(%u = %ta, %w = %tb, %acc = %zero)
        -> (!xetile.tile<16x32xbf16>, !xetile.tile<32x32xbf16>, vector<16x32xf32>) {
      %a = xetile.load_tile %u : !xetile.tile<16x32xbf16> -> vector<16x32xbf16>
      %b = xetile.load_tile %w : !xetile.tile<32x32xbf16> -> vector<32x32xbf16>
      %d = xetile.tile_mma %a, %b, %acc : vector<16x32xbf16>, vector<32x32xbf16>, vector<16x32xf32> -> vector<16x32xf32>
      %un = xetile.update_tile_offset %u, [%c0, %c32] : !xetile.tile<16x32xbf16>
      %wn = xetile.update_tile_offset %w, [%c32, %c0] : !xetile.tile<32x32xbf16>
      scf.yield %un, %wn, %d : !xetile.tile<16x32xbf16>, !xetile.tile<32x32xbf16>, vector<16x32xf32>
    }
    %tc = xetile.init_tile %C[%z, %m, %n] : memref<3x40x56xf32> -> !xetile.tile<16x32xf32>
    xetile.store_tile %r#2, %tc : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}
