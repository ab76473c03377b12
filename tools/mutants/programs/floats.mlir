// Arithmetic, comparisons, selections and conversions on floats.
gpu.module @m {
  gpu.func @k(%A: memref<24x40xf32>, %B: memref<24x40xf32>, %C: memref<24x40xf32>, %D: memref<24x40xi32>, %E: memref<24x40xf32>, %F: memref<24x40xbf16>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 3, 3, 1>} {
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %bx, %c8 : index
    %n = arith.muli %by, %c16 : index
    %ta = xetile.init_tile %A[%m, %n] : memref<24x40xf32> -> !xetile.tile<8x16xf32>
    %tb = xetile.init_tile %B[%m, %n] : memref<24x40xf32> -> !xetile.tile<8x16xf32>
    %tc = xetile.init_tile %C[%m, %n] : memref<24x40xf32> -> !xetile.tile<8x16xf32>
    %td = xetile.init_tile %D[%m, %n] : memref<24x40xi32> -> !xetile.tile<8x16xi32>
    %te = xetile.init_tile %E[%m, %n] : memref<24x40xf32> -> !xetile.tile<8x16xf32>
    %tf = xetile.init_tile %F[%m, %n] : memref<24x40xbf16> -> !xetile.tile<8x16xbf16>
    %a = xetile.load_tile %ta : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %b = xetile.load_tile %tb : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %c = xetile.load_tile %tc : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %three = arith.constant dense<3.0> : vector<8x16xf32>
    %difference = arith.subf %a, %b : vector<8x16xf32>
    %product = arith.mulf %difference, %three : vector<8x16xf32>
    %thrice = arith.mulf %c, %three : vector<8x16xf32>
    %less = arith.cmpf olt, %a, %b : vector<8x16xf32>
    %chosen = arith.select %less, %product, %b : vector<8x16xi1>, vector<8x16xf32>
    %most = arith.maximumf %chosen, %a : vector<8x16xf32>
    %half = arith.truncf %most : vector<8x16xf32> to vector<8x16xf16>
    %wide = arith.extf %half : vector<8x16xf16> to vector<8x16xf32>
    %sum = arith.addf %wide, %a : vector<8x16xf32>
    %whole = arith.fptosi %thrice : vector<8x16xf32> to vector<8x16xi32>
    %e = xetile.load_tile %te : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %brain = arith.truncf %e : vector<8x16xf32> to vector<8x16xbf16>
    xetile.store_tile %brain, %tf : vector<8x16xbf16>, !xetile.tile<8x16xbf16>
    xetile.store_tile %sum, %tc : vector<8x16xf32>, !xetile.tile<8x16xf32>
    xetile.store_tile %whole, %td : vector<8x16xi32>, !xetile.tile<8x16xi32>
    gpu.return
  }
}
