// Attention in one pass over K and V: the rows' largest score and sum of powers are carried and corrected on the way.
// Only the tiles and the products have maps; all other maps follow.
#q = #xetile.wg_map<sg_layout = [8, 1], sg_data = [16, 64]>
#kt = #xetile.wg_map<sg_layout = [8, 1], sg_data = [64, 64]>
#k = #xetile.wg_map<sg_layout = [1, 8], sg_data = [64, 64]>
gpu.module @attention {
  gpu.func @attention(%Q: memref<256x64xf16>, %K: memref<192x64xf16>, %V: memref<192x64xf16>, %O: memref<256x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %bx = gpu.block_id x
    %m = arith.muli %bx, %c128 : index
    %tq = xetile.init_tile %Q[%m, 0] : memref<256x64xf16> -> !xetile.tile<128x64xf16, #q>
    %tk0 = xetile.init_tile %K[0, 0] : memref<192x64xf16> -> !xetile.tile<64x64xf16, #k>
    %tv0 = xetile.init_tile %V[0, 0] : memref<192x64xf16> -> !xetile.tile<64x64xf16, #kt>
    %q = xetile.load_tile %tq : !xetile.tile<128x64xf16, #q> -> vector<128x64xf16>
    %mi0 = arith.constant dense<0xFF800000> : vector<128x1xf32>
    %li0 = arith.constant dense<0.0> : vector<128x1xf32>
    %o0 = arith.constant dense<0.0> : vector<128x64xf32>
    %scale = arith.constant dense<0.125> : vector<128x64xf32>
    %r:5 = scf.for %i = %c0 to %c192 step %c64 iter_args(%tk = %tk0, %tv = %tv0, %mi = %mi0, %li = %li0, %o = %o0) -> (!xetile.tile<64x64xf16, #k>, !xetile.tile<64x64xf16, #kt>, vector<128x1xf32>, vector<128x1xf32>, vector<128x64xf32>) {
      %kv = xetile.load_tile %tk : !xetile.tile<64x64xf16, #k> -> vector<64x64xf16>
      %kt = xetile.tile_transpose %kv, [1, 0] : vector<64x64xf16> -> vector<64x64xf16>
      %s0 = xetile.tile_mma %q, %kt {wg_map_c = #q} : vector<128x64xf16>, vector<64x64xf16> -> vector<128x64xf32>
      %s = arith.mulf %s0, %scale : vector<128x64xf32>
      %rm = xetile.tile_reduce <maximumf>, %s [1] : vector<128x64xf32> -> vector<128x1xf32>
      %mn = arith.maximumf %mi, %rm : vector<128x1xf32>
      %mb = xetile.tile_broadcast %mn [1] : vector<128x1xf32> -> vector<128x64xf32>
      %sm = arith.subf %s, %mb : vector<128x64xf32>
      %p = math.exp %sm : vector<128x64xf32>
      %md = arith.subf %mi, %mn : vector<128x1xf32>
      %alpha = math.exp %md : vector<128x1xf32>
      %la = arith.mulf %li, %alpha : vector<128x1xf32>
      %ps = xetile.tile_reduce <add>, %p [1] : vector<128x64xf32> -> vector<128x1xf32>
      %ln = arith.addf %la, %ps : vector<128x1xf32>
      %ab = xetile.tile_broadcast %alpha [1] : vector<128x1xf32> -> vector<128x64xf32>
      %oa = arith.mulf %o, %ab : vector<128x64xf32>
      %ph = arith.truncf %p : vector<128x64xf32> to vector<128x64xf16>
      %v = xetile.load_tile %tv : !xetile.tile<64x64xf16, #kt> -> vector<64x64xf16>
      %on = xetile.tile_mma %ph, %v, %oa {wg_map_c = #q} : vector<128x64xf16>, vector<64x64xf16>, vector<128x64xf32> -> vector<128x64xf32>
      %tkn = xetile.update_tile_offset %tk, [64, 0] : !xetile.tile<64x64xf16, #k>
      %tvn = xetile.update_tile_offset %tv, [64, 0] : !xetile.tile<64x64xf16, #kt>
      scf.yield %tkn, %tvn, %mn, %ln, %on : !xetile.tile<64x64xf16, #k>, !xetile.tile<64x64xf16, #kt>, vector<128x1xf32>, vector<128x1xf32>, vector<128x64xf32>
    }
    %lb = xetile.tile_broadcast %r#3 [1] : vector<128x1xf32> -> vector<128x64xf32>
    %res = arith.divf %r#4, %lb : vector<128x64xf32>
    %to = xetile.init_tile %O[%m, 0] : memref<256x64xf32> -> !xetile.tile<128x64xf32, #q>
    xetile.store_tile %res, %to : vector<128x64xf32>, !xetile.tile<128x64xf32, #q>
    gpu.return
  }
}
