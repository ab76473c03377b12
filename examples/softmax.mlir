// Softmax of each row of a 4096 x 256 matrix: exp(x - max) / sum of those.
//
// A subgroup has 8 whole rows, so the maximum and the sum of a row never leave it. A workgroup has 16 subgroups, one
// below the other, and 128 rows: 32 workgroups.

#map = #xetile.wg_map<sg_layout = [16, 1], sg_data = [8, 256]>

!tile = !xetile.tile<128x256xf32, #xetile.tile_attr<wg_map = #map>>

gpu.module @kernels {
  gpu.func @softmax(%X: memref<4096x256xf32>, %Y: memref<4096x256xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 32, 1, 1>} {
    %c128 = arith.constant 128 : index
    %block = gpu.block_id x
    %first = arith.muli %block, %c128 : index

    %x_tile = xetile.init_tile %X[%first, 0] : memref<4096x256xf32> -> !tile
    %x = xetile.load_tile %x_tile : !tile -> vector<128x256xf32>

    // nothing is larger than exp(0), whatever the row holds, of numbers: flags say that there is no NaN, that zeros have
    // no order, and that the exponential and the quotient may be approximate
    %largest = xetile.tile_reduce <maximumf>, %x [1] {fastmath = #arith.fastmath<nnan,nsz>}
        : vector<128x256xf32> -> vector<128x1xf32>
    %largest_all = xetile.tile_broadcast %largest [1] : vector<128x1xf32> -> vector<128x256xf32>
    %below = arith.subf %x, %largest_all : vector<128x256xf32>
    %power = math.exp %below fastmath<afn> : vector<128x256xf32>

    %sum = xetile.tile_reduce <add>, %power [1] : vector<128x256xf32> -> vector<128x1xf32>
    %sum_all = xetile.tile_broadcast %sum [1] : vector<128x1xf32> -> vector<128x256xf32>
    %y = arith.divf %power, %sum_all fastmath<arcp> : vector<128x256xf32>

    %y_tile = xetile.init_tile %Y[%first, 0] : memref<4096x256xf32> -> !tile
    xetile.store_tile %y, %y_tile : vector<128x256xf32>, !tile
    gpu.return
  }
}
