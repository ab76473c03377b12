gpu.module @m {
  gpu.func @columns(%a: memref<32x24xbf16, strided<[1, 40]>>, %c: memref<24x32xbf16>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %ta = xetile.init_tile %a[0, 8] : memref<32x24xbf16, strided<[1, 40]>> -> !xetile.tile<32x16xbf16, #xetile.tile_attr<order = [0, 1]>>
    %tc = xetile.init_tile %c[8, 0] : memref<24x32xbf16> -> !xetile.tile<16x32xbf16>
    %v = xetile.load_tile %ta : !xetile.tile<32x16xbf16, #xetile.tile_attr<order = [0, 1]>> -> vector<32x16xbf16>
    %f = arith.extf %v : vector<32x16xbf16> to vector<32x16xf32>
    %e = math.absf %f : vector<32x16xf32>
    %g = arith.truncf %e : vector<32x16xf32> to vector<32x16xbf16>
    %t = xetile.tile_transpose %g, [1, 0] : vector<32x16xbf16> -> vector<16x32xbf16>
    xetile.store_tile %t, %tc : vector<16x32xbf16>, !xetile.tile<16x32xbf16>
    gpu.return
  }
}
