// Through shared memory, allocated as bytes and viewed; memory_space = 3 of two integer types.
#map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>
#map_t = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>
#slm = #xetile.tile_attr<wg_map = #map, memory_space = 3 : i32>
#slm_t = #xetile.tile_attr<wg_map = #map_t, memory_space = 3 : i64>
gpu.module @test {
  gpu.func @test(%A: memref<64x64xf16>, %C: memref<64x64xf16>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 4, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %slm = memref.alloc() : memref<8192xi8, 3>
    %view = memref.view %slm[%c0][] : memref<8192xi8, 3> to memref<64x64xf16, 3>
    %t = xetile.init_tile %A[%c0, %c0] : memref<64x64xf16> -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #map>>
    %v = xetile.load_tile %t : !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #map>> -> vector<64x64xf16>
    %s = xetile.init_tile %view[%c0, %c0] : memref<64x64xf16, 3> -> !xetile.tile<64x64xf16, #slm>
    xetile.store_tile %v, %s : vector<64x64xf16>, !xetile.tile<64x64xf16, #slm>
    gpu.barrier
    %s2 = xetile.init_tile %view[%c0, %c0] : memref<64x64xf16, 3> -> !xetile.tile<64x64xf16, #slm_t>
    %w = xetile.load_tile %s2 : !xetile.tile<64x64xf16, #slm_t> -> vector<64x64xf16>
    %o = xetile.init_tile %C[%c0, %c0] : memref<64x64xf16> -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #map_t>>
    xetile.store_tile %w, %o : vector<64x64xf16>, !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #map_t>>
    gpu.return
  }
}
