// Loops in loops, branches and a loop of unknown length, by where the workgroup stands.
gpu.module @m {
  gpu.func @k(%A: memref<40x48xf32>, %B: memref<40x48xf32>, %n: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 3, 3, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %sg = gpu.subgroup_id : index
    %m0 = arith.muli %bx, %c16 : index
    %m1 = arith.muli %sg, %c8 : index
    %m = arith.addi %m0, %m1 : index
    %column = arith.muli %by, %c16 : index
    %ta = xetile.init_tile %A[%m, %column] : memref<40x48xf32> -> !xetile.tile<8x16xf32>
    %tb = xetile.init_tile %B[%m, %column] : memref<40x48xf32> -> !xetile.tile<8x16xf32>
    %a = xetile.load_tile %ta : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %half = arith.constant dense<0.5> : vector<8x16xf32>
    %one = arith.constant dense<1.0> : vector<8x16xf32>
    %is_first = arith.cmpi ult, %bx, %c2 : index
    %v = scf.if %is_first -> (vector<8x16xf32>) {
      %x = arith.mulf %a, %half : vector<8x16xf32>
      scf.yield %x : vector<8x16xf32>
    } else {
      %x = arith.subf %a, %one : vector<8x16xf32>
      scf.yield %x : vector<8x16xf32>
    }
    %w = scf.for %i = %c0 to %bx step %c1 iter_args(%outer = %v) -> (vector<8x16xf32>) {
      %in = scf.for %j = %i to %by step %c1 iter_args(%inner = %outer) -> (vector<8x16xf32>) {
        %x = arith.addf %inner, %a : vector<8x16xf32>
        scf.yield %x : vector<8x16xf32>
      }
      %y = arith.mulf %in, %half : vector<8x16xf32>
      scf.yield %y : vector<8x16xf32>
    }
    %i1 = arith.constant 1 : i32
    %r:2 = scf.while (%x = %n, %u = %w) : (i32, vector<8x16xf32>) -> (i32, vector<8x16xf32>) {
      %more = arith.cmpi ugt, %x, %i1 : i32
      scf.condition(%more) %x, %u : i32, vector<8x16xf32>
    } do {
    ^bb0(%y: i32, %z: vector<8x16xf32>):
      %less = arith.shrui %y, %i1 : i32
      %next = arith.addf %z, %one : vector<8x16xf32>
      scf.yield %less, %next : i32, vector<8x16xf32>
    }
    gpu.barrier
    xetile.store_tile %r#1, %tb : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
