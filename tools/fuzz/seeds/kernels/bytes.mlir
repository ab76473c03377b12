gpu.module @m {
  gpu.func @bytes(%a: memref<24x32xi8, strided<[64, 1]>>, %b: memref<?x?xi8>, %h: index, %w: index, %c: memref<16x32xi32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %ta = xetile.init_tile %a[8, 0] : memref<24x32xi8, strided<[64, 1]>> -> !xetile.tile<16x32xi8>
    %tb = xetile.init_tile %b[0, 0], [%h, %w], [%w, 1] : memref<?x?xi8> -> !xetile.tile<32x32xi8>
    %tc = xetile.init_tile %c[0, 0] : memref<16x32xi32> -> !xetile.tile<16x32xi32>
    %va = xetile.load_tile %ta : !xetile.tile<16x32xi8> -> vector<16x32xi8>
    %vb = xetile.load_tile %tb {padding = 1 : i8} : !xetile.tile<32x32xi8> -> vector<32x32xi8>
    %p = xetile.tile_mma %va, %vb : vector<16x32xi8>, vector<32x32xi8> -> vector<16x32xi32>
    %q = xetile.tile_mma %va, %vb, %p : vector<16x32xi8>, vector<32x32xi8>, vector<16x32xi32> -> vector<16x32xi32>
    %wide = arith.extsi %va : vector<16x32xi8> to vector<16x32xi32>
    %s = arith.maxsi %q, %wide : vector<16x32xi32>
    xetile.store_tile %s, %tc : vector<16x32xi32>, !xetile.tile<16x32xi32>
    gpu.return
  }
}
