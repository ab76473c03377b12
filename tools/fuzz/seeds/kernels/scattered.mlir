gpu.module @m {
  gpu.func @scattered(%a: memref<256xf16>, %b: memref<256xf16>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %places = arith.constant dense<[[0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45], [200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 250, 251, 252, 253, 254, 300]]> : vector<2x16xindex>
    %steps = arith.constant dense<1> : vector<2x16xindex>
    %mask = arith.constant dense<[[true, true, false, true, true, true, false, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true]]> : vector<2x16xi1>
    %ta = xetile.init_tile %a, %places : memref<256xf16>, vector<2x16xindex> -> !xetile.tile<2x16xf16, #xetile.tile_attr<scattered = true>>
    %tb = xetile.init_tile %b, %places : memref<256xf16>, vector<2x16xindex> -> !xetile.tile<2x16xf16, #xetile.tile_attr<scattered = true>>
    %first = xetile.load_gather %ta, %mask {padding = 4.000000e+00 : f32} : !xetile.tile<2x16xf16, #xetile.tile_attr<scattered = true>>, vector<2x16xi1> -> vector<2x16xf16>
    %moved = xetile.update_tile_offset %ta, %steps : !xetile.tile<2x16xf16, #xetile.tile_attr<scattered = true>>, vector<2x16xindex>
    %second = xetile.load_gather %moved, %mask : !xetile.tile<2x16xf16, #xetile.tile_attr<scattered = true>>, vector<2x16xi1> -> vector<2x16xf16>
    %sum = arith.addf %first, %second : vector<2x16xf16>
    xetile.store_scatter %sum, %tb, %mask : vector<2x16xf16>, !xetile.tile<2x16xf16, #xetile.tile_attr<scattered = true>>, vector<2x16xi1>
    gpu.return
  }
}
