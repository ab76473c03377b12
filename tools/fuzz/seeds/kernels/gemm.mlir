#a = #xetile.wg_map<sg_layout = [2, 1], sg_data = [16, 32]>
#b = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
#c = #xetile.wg_map<sg_layout = [2, 1], sg_data = [16, 32]>
!ta = !xetile.tile<32x32xbf16, #xetile.tile_attr<wg_map = #a>>
!tb = !xetile.tile<32x32xbf16, #xetile.tile_attr<wg_map = #b>>
!tc = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #c>>
gpu.module @m {
  gpu.func @k(%A: memref<40x72xbf16>, %B: memref<72x48xbf16>, %C: memref<40x48xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 2, 2, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c72 = arith.constant 72 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %m = arith.muli %x, %c32 : index
    %n = arith.muli %y, %c32 : index
    %a0 = xetile.init_tile %A[%m, 0] : memref<40x72xbf16> -> !ta
    %b0 = xetile.init_tile %B[0, %n] : memref<72x48xbf16> -> !tb
    %tc = xetile.init_tile %C[%m, %n] : memref<40x48xf32> -> !tc
    %c = xetile.load_tile %tc : !tc -> vector<32x32xf32>
    %zero = arith.constant {wg_map = #c} dense<0.0> : vector<32x32xf32>
    %r:3 = scf.for %k = %c0 to %c72 step %c32 iter_args(%ta = %a0, %tb = %b0, %sum = %c) -> (!ta, !tb, vector<32x32xf32>) {
      %a = xetile.load_tile %ta : !ta -> vector<32x32xbf16>
      %b = xetile.load_tile %tb : !tb -> vector<32x32xbf16>
      %an = xetile.update_tile_offset %ta, [0, 32] : !ta
      %bn = xetile.update_tile_offset %tb, [32, 0] : !tb
      xetile.prefetch_tile %an : !ta
      %d = xetile.tile_mma %a, %b, %sum {wg_map_a = #a, wg_map_b = #b, wg_map_c = #c}
          : vector<32x32xbf16>, vector<32x32xbf16>, vector<32x32xf32> -> vector<32x32xf32>
      scf.yield %an, %bn, %d : !ta, !tb, vector<32x32xf32>
    }
    %positive = arith.maximumf %r#2, %zero {wg_map = #c} : vector<32x32xf32>
    xetile.store_tile %positive, %tc : vector<32x32xf32>, !tc
    gpu.return
  }
}
