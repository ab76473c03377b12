gpu.module @m {
  gpu.func @turned(%address: i64, %out: memref<32x32xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %from = xetile.init_tile %address[%c0, %c0], [%c32, %c32], [%c32, %c1] : i64 -> !xetile.tile<16x16xf32>
    %v = xetile.load_tile %from {padding = 2.5 : f32} : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    %to = xetile.init_tile %out[0, 16] : memref<32x32xf32> -> !xetile.tile<16x16xf32>
    xetile.store_tile %v, %to {l1_hint = #xetile.cache_hint<cached>} : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
