gpu.module @m {
  gpu.func @blocked(%a: memref<32x32xf32>, %c: memref<32x32xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %ta = xetile.init_tile %a[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [16, 16]>>
    %tc = xetile.init_tile %c[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %ta : !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<2x2x16x16xf32>
    %u = xetile.tile_unpack %v {inner_blocks = array<i64: 16, 16>} : vector<2x2x16x16xf32> -> vector<32x32xf32>
    %p = xetile.tile_pack %u {inner_blocks = array<i64: 8, 16>} : vector<32x32xf32> -> vector<4x2x8x16xf32>
    %n = arith.negf %p : vector<4x2x8x16xf32>
    xetile.store_tile %n, %tc : vector<4x2x8x16xf32>, !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }
}
