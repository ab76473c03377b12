gpu.module @m {
  gpu.func @moves(%a: memref<32x64xf32>, %c: memref<64x32xf32>, %r: memref<32x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %ta = xetile.init_tile %a[0, 0] : memref<32x64xf32> -> !xetile.tile<32x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 32]>>>
    %tc = xetile.init_tile %c[0, 0] : memref<64x32xf32> -> !xetile.tile<64x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 16]>>>
    %tr = xetile.init_tile %r[0, 0] : memref<32x64xf32> -> !xetile.tile<32x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 64]>>>
    %v = xetile.load_tile %ta : !xetile.tile<32x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 32]>>> -> vector<32x64xf32>
    %w = xetile.tile_conv_layout %v {wg_map_result = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 64]>, wg_map_source = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 32]>} : vector<32x64xf32>
    %least = xetile.tile_reduce <minimumf>, %w [1] {wg_map_result = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 1]>} : vector<32x64xf32> -> vector<32x1xf32>
    %wide = xetile.tile_broadcast %least [1] {wg_map_result = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 64]>} : vector<32x1xf32> -> vector<32x64xf32>
    xetile.store_tile %wide, %tr : vector<32x64xf32>, !xetile.tile<32x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 64]>>>
    %t = xetile.tile_transpose %v, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 16]>} : vector<32x64xf32> -> vector<64x32xf32>
    xetile.store_tile %t, %tc : vector<64x32xf32>, !xetile.tile<64x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 16]>>>
    gpu.return
  }
}
