// Arithmetic, comparisons and conversions on integers of 8 and 32 bits.
gpu.module @m {
  gpu.func @k(%A: memref<24x40xi32>, %B: memref<24x40xi32>, %C: memref<24x40xi32>, %D: memref<24x40xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 3, 3, 1>} {
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %bx, %c8 : index
    %n = arith.muli %by, %c16 : index
    %ta = xetile.init_tile %A[%m, %n] : memref<24x40xi32> -> !xetile.tile<8x16xi32>
    %tb = xetile.init_tile %B[%m, %n] : memref<24x40xi32> -> !xetile.tile<8x16xi32>
    %tc = xetile.init_tile %C[%m, %n] : memref<24x40xi32> -> !xetile.tile<8x16xi32>
    %td = xetile.init_tile %D[%m, %n] : memref<24x40xf32> -> !xetile.tile<8x16xf32>
    %a = xetile.load_tile %ta : !xetile.tile<8x16xi32> -> vector<8x16xi32>
    %b = xetile.load_tile %tb : !xetile.tile<8x16xi32> -> vector<8x16xi32>
    %three = arith.constant dense<3> : vector<8x16xi32>
    %seven = arith.constant dense<7> : vector<8x16xi32>
    %s = arith.constant dense<1000> : vector<8x16xi32>
    %difference = arith.subi %a, %b : vector<8x16xi32>
    %shifted = arith.shrsi %difference, %three : vector<8x16xi32>
    %part = arith.andi %b, %seven : vector<8x16xi32>
    %divided = arith.divsi %shifted, %seven : vector<8x16xi32>
    %rest = arith.remui %a, %s : vector<8x16xi32>
    %either = arith.xori %divided, %part : vector<8x16xi32>
    %left = arith.shli %rest, %three : vector<8x16xi32>
    %least = arith.minsi %either, %left : vector<8x16xi32>
    %above = arith.cmpi sgt, %a, %b : vector<8x16xi32>
    %chosen = arith.select %above, %least, %left : vector<8x16xi1>, vector<8x16xi32>
    %bytes = arith.trunci %a : vector<8x16xi32> to vector<8x16xi8>
    %again = arith.extsi %bytes : vector<8x16xi8> to vector<8x16xi32>
    %sum = arith.addi %chosen, %again : vector<8x16xi32>
    %real = arith.sitofp %shifted : vector<8x16xi32> to vector<8x16xf32>
    xetile.store_tile %sum, %tc : vector<8x16xi32>, !xetile.tile<8x16xi32>
    xetile.store_tile %real, %td : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
