// A product, a bias for all rows, a clamp, a conversion; `map` on all of them.
#wg_map_a = #xetile.wg_map<sg_layout = [4, 4], sg_data = [16, 32]>
#wg_map_b = #xetile.wg_map<sg_layout = [4, 4], sg_data = [32, 16]>
#wg_map_c = #xetile.wg_map<sg_layout = [4, 4], sg_data = [16, 16]>
#wg_map_bias = #xetile.wg_map<sg_layout = [4, 4], sg_data = [1, 16]>
gpu.module @test {
  gpu.func @test(%A: memref<64x32xf16>, %B: memref<32x64xf16>, %bias: memref<1x64xf32>, %C: memref<64x64xf16>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 4, 4, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %ta = xetile.init_tile %A[%c0, %c0] : memref<64x32xf16> -> !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #wg_map_a>>
    %tb = xetile.init_tile %B[%c0, %c0] : memref<32x64xf16> -> !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = #wg_map_b>>
    %tbias = xetile.init_tile %bias[%c0, %c0] : memref<1x64xf32> -> !xetile.tile<1x64xf32, #xetile.tile_attr<wg_map = #wg_map_bias>>
    %a = xetile.load_tile %ta : !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #wg_map_a>> -> vector<64x32xf16>
    %b = xetile.load_tile %tb : !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = #wg_map_b>> -> vector<32x64xf16>
    %bv = xetile.load_tile %tbias : !xetile.tile<1x64xf32, #xetile.tile_attr<wg_map = #wg_map_bias>> -> vector<1x64xf32>
    %cst = arith.constant {map = #wg_map_c} dense<0.0> : vector<64x64xf32>
    %d = xetile.tile_mma %a, %b, %cst {wg_map_a = #wg_map_a, wg_map_b = #wg_map_b, wg_map_c = #wg_map_c} : vector<64x32xf16>, vector<32x64xf16>, vector<64x64xf32> -> vector<64x64xf32>
    %bb = vector.broadcast %bv {map = #wg_map_c} : vector<1x64xf32> to vector<64x64xf32>
    %e = arith.addf %d, %bb {map = #wg_map_c} : vector<64x64xf32>
    %f = arith.maximumf %e, %cst {map = #wg_map_c} : vector<64x64xf32>
    %g = arith.truncf %f {map = #wg_map_c} : vector<64x64xf32> to vector<64x64xf16>
    %tc = xetile.init_tile %C[%c0, %c0] : memref<64x64xf16> -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #wg_map_c>>
    xetile.store_tile %g,  %tc : vector<64x64xf16>, !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #wg_map_c>>
    gpu.return
  }
}
