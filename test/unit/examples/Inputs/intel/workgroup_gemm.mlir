// A workgroup's product with prefetches; tile attributes through aliases, `map` on constants, subgroups counted as work-items.
#wg_map_a = #xetile.wg_map<sg_layout = [4, 4], sg_data = [32, 32]>
#tile_attr_a = #xetile.tile_attr<wg_map = #wg_map_a>
#wg_map_b = #xetile.wg_map<sg_layout = [4, 4], sg_data = [32, 32]>
#tile_attr_b = #xetile.tile_attr<wg_map = #wg_map_b>
#wg_map_c = #xetile.wg_map<sg_layout = [4, 4], sg_data = [32, 32]>
#tile_attr_c = #xetile.tile_attr<wg_map = #wg_map_c>
#wg_map_a_prefetch = #xetile.wg_map<sg_layout = [16, 1], sg_data = [8, 32]>
#tile_attr_a_prefetch = #xetile.tile_attr<wg_map = #wg_map_a_prefetch>
gpu.module @test_kernel {
  gpu.func @test_kernel(%A: memref<256x256xbf16>, %B: memref<256x256xbf16>, %C: memref<256x256xf32>) kernel attributes {gpu.known_block_size = array<i32: 4, 4, 1>, gpu.known_grid_size = array<i32: 2, 2, 1>, VectorComputeFunctionINTEL, spirv.entry_point_abi = #spirv.entry_point_abi<>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %block_id_x = gpu.block_id x
    %block_id_y = gpu.block_id y
    %m = arith.muli %block_id_x, %c128 : index
    %n = arith.muli %block_id_y, %c128 : index
    %cst = arith.constant {map = #wg_map_c} dense<0.0> : vector<128x128xf32>
    %a0 = xetile.init_tile %A[%m, %c0] : memref<256x256xbf16> -> !xetile.tile<128x32xbf16, #tile_attr_a>
    %ap0 = xetile.init_tile %A[%m, %c0] : memref<256x256xbf16> -> !xetile.tile<128x32xbf16, #tile_attr_a_prefetch>
    xetile.prefetch_tile %ap0 {l1_hint = #xetile.cache_hint<cached>, l3_hint = #xetile.cache_hint<cached>} : !xetile.tile<128x32xbf16, #tile_attr_a_prefetch>
    %b0 = xetile.init_tile %B[%c0, %n] : memref<256x256xbf16> -> !xetile.tile<32x128xbf16, #tile_attr_b>
    %r:4 = scf.for %k = %c0 to %c256 step %c32 iter_args(%a = %a0, %b = %b0, %ap = %ap0, %c = %cst) -> (!xetile.tile<128x32xbf16, #tile_attr_a>, !xetile.tile<32x128xbf16, #tile_attr_b>, !xetile.tile<128x32xbf16, #tile_attr_a_prefetch>, vector<128x128xf32>) {
      %av = xetile.load_tile %a {padding = 0.000000e+00 : f32} : !xetile.tile<128x32xbf16, #tile_attr_a> -> vector<128x32xbf16>
      %bv = xetile.load_tile %b { padding = 0.000000e+00 : f32 } : !xetile.tile<32x128xbf16, #tile_attr_b> -> vector<32x128xbf16>
      %an = xetile.update_tile_offset %a, [%c0, %c32] : !xetile.tile<128x32xbf16, #tile_attr_a>
      %bn = xetile.update_tile_offset %b, [%c32, %c0] : !xetile.tile<32x128xbf16, #tile_attr_b>
      %apn = xetile.update_tile_offset %ap, [%c0, %c32] : !xetile.tile<128x32xbf16, #tile_attr_a_prefetch>
      xetile.prefetch_tile %apn : !xetile.tile<128x32xbf16, #tile_attr_a_prefetch>
      gpu.barrier
      %d = xetile.tile_mma %av, %bv, %c {wg_map_a = #wg_map_a, wg_map_b = #wg_map_b, wg_map_c = #wg_map_c} : vector<128x32xbf16>, vector<32x128xbf16>, vector<128x128xf32> -> vector<128x128xf32>
      scf.yield %an, %bn, %apn, %d : !xetile.tile<128x32xbf16, #tile_attr_a>, !xetile.tile<32x128xbf16, #tile_attr_b>, !xetile.tile<128x32xbf16, #tile_attr_a_prefetch>, vector<128x128xf32>
    }
    %ct = xetile.init_tile %C[%m, %n] : memref<256x256xf32> -> !xetile.tile<128x128xf32, #tile_attr_c>
    xetile.store_tile %r#3, %ct : vector<128x128xf32>, !xetile.tile<128x128xf32, #tile_attr_c>
    gpu.return
  }
}
