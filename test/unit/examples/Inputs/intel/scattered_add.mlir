// A sum through scattered tiles: load and store with masks.
#scattered = #xetile.tile_attr<scattered = true>
gpu.module @add {
  gpu.func @add(%a: memref<1024xf32>, %b: memref<1024xf32>, %c: memref<1024xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 8, 1, 1>} {
    %c128 = arith.constant 128 : index
    %bx = gpu.block_id x
    %start = arith.muli %bx, %c128 : index
    %mask = arith.constant dense<true> : vector<4x32xi1>
    %base = vector.broadcast %start : index to vector<4x32xindex>
    %i1 = vector.step : vector<32xindex>
    %i2 = vector.broadcast %i1 : vector<32xindex> to vector<4x32xindex>
    %rows = arith.constant dense<[[0], [32], [64], [96]]> : vector<4x1xindex>
    %rowsb = vector.broadcast %rows : vector<4x1xindex> to vector<4x32xindex>
    %x = arith.addi %base, %i2 : vector<4x32xindex>
    %idx = arith.addi %x, %rowsb : vector<4x32xindex>
    %ta = xetile.init_tile %a, %idx : memref<1024xf32>, vector<4x32xindex> -> !xetile.tile<4x32xf32, #scattered>
    %tb = xetile.init_tile %b, %idx : memref<1024xf32>, vector<4x32xindex> -> !xetile.tile<4x32xf32, #scattered>
    %tc = xetile.init_tile %c, %idx : memref<1024xf32>, vector<4x32xindex> -> !xetile.tile<4x32xf32, #scattered>
    %va = xetile.load %ta, %mask : !xetile.tile<4x32xf32, #scattered>, vector<4x32xi1> -> vector<4x32xf32>
    %vb = xetile.load %tb, %mask {padding = 0.5 : f32} : !xetile.tile<4x32xf32, #scattered>, vector<4x32xi1> -> vector<4x32xf32>
    %s = arith.addf %va, %vb : vector<4x32xf32>
    xetile.store %s, %tc, %mask : vector<4x32xf32>, !xetile.tile<4x32xf32, #scattered>, vector<4x32xi1>
    gpu.return
  }
}
