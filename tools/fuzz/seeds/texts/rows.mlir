#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
!part = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #rows>>
gpu.module @m [#xevm.target<chip = "bmg">] {
  gpu.func @normalize(%in: memref<64x32xf32>, %out: memref<64x32xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %first = arith.muli %block, %c32 : index
    %from = xetile.init_tile %in[%first, 0] : memref<64x32xf32> -> !part
    %x = xetile.load_tile %from : !part -> vector<32x32xf32>
    %sum = xetile.tile_reduce <add>, %x [1] : vector<32x32xf32> -> vector<32x1xf32>
    %wide = xetile.tile_broadcast %sum [1] : vector<32x1xf32> -> vector<32x32xf32>
    %y = arith.divf %x, %wide : vector<32x32xf32>
    %to = xetile.init_tile %out[%first, 0] : memref<64x32xf32> -> !part
    xetile.store_tile %y, %to : vector<32x32xf32>, !part
    gpu.return
  }
}
