"""Softmax in three passes over rows that registers do not hold: 8 rows of 4096 columns for a subgroup.

exp(x - m) is exp2(x * log2(e) - m * log2(e)), of which the product with x and the difference may be one instruction.
"""

SOFTMAX = """\
!tile = !xetile.tile<8x16xf32>
!block = vector<8x16xf32>
!line = vector<8x1xf32>
gpu.module @kernels {
  gpu.func @softmax(%X: memref<4096x4096xf32>, %Y: memref<4096x4096xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c4096 = arith.constant 4096 : index
    %block = gpu.block_id x
    %first = arith.muli %block, %c8 : index
    %x_first = xetile.init_tile %X[%first, 0] : memref<4096x4096xf32> -> !tile
    %y_first = xetile.init_tile %Y[%first, 0] : memref<4096x4096xf32> -> !tile
    %none = arith.constant dense<0xFF800000> : !block
    %zero = arith.constant dense<0.0> : !block
    %scale = arith.constant dense<1.44269502> : !block

    %largest:2 = scf.for %k = %c0 to %c4096 step %c16 iter_args(%m = %none, %x_tile = %x_first) -> (!block, !tile) {
      %x = xetile.load_tile %x_tile : !tile -> !block
      %next = arith.maxnumf %m, %x : !block
      %x_next = xetile.update_tile_offset %x_tile, [%c0, %c16] : !tile
      scf.yield %next, %x_next : !block, !tile
    }
    %row_largest = xetile.tile_reduce <maxnumf>, %largest#0 [1] : !block -> !line
    %all_largest = xetile.tile_broadcast %row_largest [1] : !line -> !block
    %shift = arith.mulf %all_largest, %scale : !block

    %sum:2 = scf.for %k = %c0 to %c4096 step %c16 iter_args(%s = %zero, %x_tile = %x_first) -> (!block, !tile) {
      %x = xetile.load_tile %x_tile : !tile -> !block
      %scaled = arith.mulf %x, %scale fastmath<contract> : !block
      %below = arith.subf %scaled, %shift fastmath<contract> : !block
      %power = math.exp2 %below fastmath<nnan> : !block
      %next = arith.addf %s, %power : !block
      %x_next = xetile.update_tile_offset %x_tile, [%c0, %c16] : !tile
      scf.yield %next, %x_next : !block, !tile
    }
    %row_sum = xetile.tile_reduce <add>, %sum#0 [1] : !block -> !line
    %all_sum = xetile.tile_broadcast %row_sum [1] : !line -> !block
    %one = arith.constant dense<1.0> : !block
    %inverse = arith.divf %one, %all_sum fastmath<arcp> : !block

    %end:2 = scf.for %k = %c0 to %c4096 step %c16 iter_args(%x_tile = %x_first, %y_tile = %y_first) -> (!tile, !tile) {
      %x = xetile.load_tile %x_tile : !tile -> !block
      %scaled = arith.mulf %x, %scale fastmath<contract> : !block
      %below = arith.subf %scaled, %shift fastmath<contract> : !block
      %power = math.exp2 %below fastmath<nnan> : !block
      %y = arith.mulf %power, %inverse : !block
      xetile.store_tile %y, %y_tile : !block, !tile
      %x_next = xetile.update_tile_offset %x_tile, [%c0, %c16] : !tile
      %y_next = xetile.update_tile_offset %y_tile, [%c0, %c16] : !tile
      scf.yield %x_next, %y_next : !tile, !tile
    }
    gpu.return
  }
}
"""
