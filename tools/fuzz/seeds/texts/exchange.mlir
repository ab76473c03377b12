#by_rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
#by_columns = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
gpu.module @m {
  gpu.func @between_maps(%in: memref<32x32xf32>, %out: memref<32x32xf32>) workgroup(%shared : memref<32x32xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %from = xetile.init_tile %in[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_rows>>
    %x = xetile.load_tile %from : !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_rows>> -> vector<32x32xf32>
    %there = xetile.init_tile %shared[0, 0] : memref<32x32xf32, #gpu.address_space<workgroup>> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_rows, memory_space = 3>>
    xetile.store_tile %x, %there : vector<32x32xf32>, !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_rows, memory_space = 3>>
    gpu.barrier
    %back = xetile.init_tile %shared[0, 0] : memref<32x32xf32, #gpu.address_space<workgroup>> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_columns, memory_space = 3>>
    %y = xetile.load_tile %back : !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_columns, memory_space = 3>> -> vector<32x32xf32>
    %z = xetile.convert_layout %y {wg_map_source = #by_columns, wg_map_result = #by_rows} : vector<32x32xf32>
    %to = xetile.init_tile %out[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_rows>>
    xetile.store_tile %z, %to : vector<32x32xf32>, !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #by_rows>>
    gpu.return
  }
}
