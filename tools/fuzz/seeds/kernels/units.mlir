gpu.module @m {
  gpu.func @units(%a: memref<40x32xf16>, %b: memref<32x40xf16>, %c: memref<40x40xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %ta = xetile.init_tile %a[-3, 0] : memref<40x32xf16> -> !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [16, 16]>>>
    %tb = xetile.init_tile %b[0, 13] : memref<32x40xf16> -> !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [32, 32]>>>
    %tc = xetile.init_tile %c[4, 8] : memref<40x40xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [16, 32]>>>
    %va = xetile.load_tile %ta : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [16, 16]>>> -> vector<32x32xf16>
    %vb = xetile.load_tile %tb {padding = 5.000000e-01 : f32} : !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [32, 32]>>> -> vector<32x32xf16>
    %d = xetile.tile_mma %va, %vb : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
    xetile.store_tile %d, %tc : vector<32x32xf32>, !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [16, 32]>>>
    gpu.return
  }
  gpu.func @slices(%a: memref<24x64xf16>, %b: memref<48x64xf16>, %c: memref<24x64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %ta = xetile.init_tile %a[0, 5] : memref<24x64xf16> -> !xetile.tile<24x32xf16>
    %tb = xetile.init_tile %b[0, 0] : memref<48x64xf16> -> !xetile.tile<48x32xf16>
    %tc = xetile.init_tile %c[0, 0] : memref<24x64xf32> -> !xetile.tile<8x16xf32>
    %va = xetile.load_tile %ta : !xetile.tile<24x32xf16> -> vector<24x32xf16>
    %vb = xetile.load_tile %tb : !xetile.tile<48x32xf16> -> vector<48x32xf16>
    %sa = vector.extract_strided_slice %va {offsets = [4, 16], sizes = [8, 16], strides = [1, 1]} : vector<24x32xf16> to vector<8x16xf16>
    %sb = vector.extract_strided_slice %vb {offsets = [32, 16], sizes = [16, 16], strides = [1, 1]} : vector<48x32xf16> to vector<16x16xf16>
    %d = xetile.tile_mma %sa, %sb : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    xetile.store_tile %d, %tc : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
