gpu.module @m {
  gpu.func @vectors(%a: memref<20x24xf32>, %b: memref<24x20xf32>, %c: memref<20x24xi32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %ta = xetile.init_tile %a[-2, 3] : memref<20x24xf32> -> !xetile.tile<16x24xf32>
    %tb = xetile.init_tile %b[0, 0] : memref<24x20xf32> -> !xetile.tile<24x16xf32>
    %tc = xetile.init_tile %c[4, 0] : memref<20x24xi32> -> !xetile.tile<16x24xi32>
    %va = xetile.load_tile %ta {padding = 2.500000e+00 : f32} : !xetile.tile<16x24xf32> -> vector<16x24xf32>
    %vc = xetile.load_tile %tc {padding = 7 : i32} : !xetile.tile<16x24xi32> -> vector<16x24xi32>
    %rows = xetile.tile_reduce <maximumf>, %va [1] : vector<16x24xf32> -> vector<16x1xf32>
    %all = xetile.tile_broadcast %rows [1] : vector<16x1xf32> -> vector<16x24xf32>
    %difference = arith.subf %va, %all : vector<16x24xf32>
    %turned = xetile.tile_transpose %difference, [1, 0] : vector<16x24xf32> -> vector<24x16xf32>
    xetile.store_tile %turned, %tb : vector<24x16xf32>, !xetile.tile<24x16xf32>
    %sums = xetile.tile_reduce <add>, %vc [0] : vector<16x24xi32> -> vector<1x24xi32>
    %spread = xetile.tile_broadcast %sums [0] : vector<1x24xi32> -> vector<16x24xi32>
    %bigger = arith.cmpi sgt, %spread, %vc : vector<16x24xi32>
    %chosen = arith.select %bigger, %vc, %spread : vector<16x24xi1>, vector<16x24xi32>
    %least = arith.minsi %vc, %spread : vector<16x24xi32>
    %same = arith.cmpi eq, %chosen, %least : vector<16x24xi32>
    xetile.check %same, "the lesser one" : vector<16x24xi1>
    xetile.store_tile %chosen, %tc : vector<16x24xi32>, !xetile.tile<16x24xi32>
    gpu.return
  }
}
