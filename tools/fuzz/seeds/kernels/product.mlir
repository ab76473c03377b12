gpu.module @m {
  gpu.func @product(%a: memref<40x48xf16>, %b: memref<48x64xf16>, %c: memref<40x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 2, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %row = arith.muli %x, %c32 : index
    %column = arith.muli %y, %c32 : index
    %ta = xetile.init_tile %a[%row, 0] : memref<40x48xf16> -> !xetile.tile<32x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    %tb = xetile.init_tile %b[0, %column] : memref<48x64xf16> -> !xetile.tile<16x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    %tc = xetile.init_tile %c[%row, %column] : memref<40x64xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    %zero = arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>} dense<0.000000e+00> : vector<32x32xf32>
    %sum, %ea, %eb = scf.for %k = %c0 to %c48 step %c16 iter_args(%acc = %zero, %na = %ta, %nb = %tb) -> (vector<32x32xf32>, !xetile.tile<32x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>, !xetile.tile<16x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>) {
      xetile.prefetch_tile %na : !xetile.tile<32x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      %va = xetile.load_tile %na : !xetile.tile<32x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>> -> vector<32x16xf16>
      %vb = xetile.load_tile %nb {padding = 1.000000e+00 : f32} : !xetile.tile<16x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>> -> vector<16x32xf16>
      %next = xetile.tile_mma %va, %vb, %acc {wg_map_a = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>, wg_map_b = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>, wg_map_c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>} : vector<32x16xf16>, vector<16x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
      %ma = xetile.update_tile_offset %na, [%c0, %c16] : !xetile.tile<32x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      %mb = xetile.update_tile_offset %nb, [16, 0] : !xetile.tile<16x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
      scf.yield %next, %ma, %mb : vector<32x32xf32>, !xetile.tile<32x16xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>, !xetile.tile<16x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    }
    xetile.store_tile %sum, %tc : vector<32x32xf32>, !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>>
    gpu.return
  }
}
