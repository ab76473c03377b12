gpu.module @m {
  gpu.func @by_global_id(%in: memref<48x32xf32>, %out: memref<48x32xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 3, 1, 1>, known_grid_size = array<i32: 1, 2, 1>} {
    %c16 = arith.constant 16 : index
    %row = gpu.global_id x
    %column = gpu.global_id y
    %i = arith.muli %row, %c16 : index
    %j = arith.muli %column, %c16 : index
    %from = xetile.init_tile %in[%i, %j] : memref<48x32xf32> -> !xetile.tile<16x16xf32>
    %to = xetile.init_tile %out[%i, %j] : memref<48x32xf32> -> !xetile.tile<16x16xf32>
    %v = xetile.load_tile %from : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    xetile.store_tile %v, %to : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
}
