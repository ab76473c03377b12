// Softmax over rows: Intel's reduction and broadcast, and the vector dialect's beside them.
gpu.module @softmax {
  gpu.func @softmax(%A: memref<64x64xf32>, %C: memref<64x64xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %bx = gpu.block_id x
    %m = arith.muli %bx, %c8 : index
    %t = xetile.init_tile %A[%m, %c0] : memref<64x64xf32> -> !xetile.tile<8x64xf32>
    %v = xetile.load_tile %t : !xetile.tile<8x64xf32> -> vector<8x64xf32>
    %max = xetile.reduction <maximumf>, %v [1] : vector<8x64xf32> -> vector<8x1xf32>
    %maxb = xetile.broadcast %max [1] : vector<8x1xf32> -> vector<8x64xf32>
    %s = arith.subf %v, %maxb : vector<8x64xf32>
    %e = math.exp %s : vector<8x64xf32>
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %sum = vector.multi_reduction <add>, %e, %zero [1] : vector<8x64xf32> to vector<8xf32>
    %sum2 = vector.shape_cast %sum : vector<8xf32> to vector<8x1xf32>
    %sumb = vector.broadcast %sum2 : vector<8x1xf32> to vector<8x64xf32>
    %d = arith.divf %e, %sumb : vector<8x64xf32>
    %ct = xetile.init_tile %C[%m, %c0] : memref<64x64xf32> -> !xetile.tile<8x64xf32>
    xetile.store_tile %d, %ct : vector<8x64xf32>, !xetile.tile<8x64xf32>
    gpu.return
  }
}
