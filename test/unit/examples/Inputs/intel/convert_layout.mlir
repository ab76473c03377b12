// Data changes hands between subgroups, convert_layout with both maps.
#wg_map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#wg_map_a = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>
gpu.module @test_kernel {
  gpu.func @test_kernel(%A: memref<256x256xf32>, %C: memref<256x256xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 8, 4, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %A[0, 0] : memref<256x256xf32> -> !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #wg_map_b>>
    %v = xetile.load_tile %t : !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #wg_map_b>> -> vector<256x256xf32>
    %w = xetile.convert_layout %v {wg_map_result = #wg_map_a, wg_map_source = #wg_map_b} : vector<256x256xf32>
    %x = math.exp %w {map = #wg_map_a} : vector<256x256xf32>
    %ct = xetile.init_tile %C[0, 0] : memref<256x256xf32> -> !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #wg_map_a>>
    xetile.store_tile %x, %ct : vector<256x256xf32>, !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #wg_map_a>>
    gpu.return
  }
}
