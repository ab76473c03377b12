// Attention forward in one pass over the keys: O = softmax(Q * transposed(K) / 8) * V for 32 heads, each with 4096 queries,
// 4096 keys and D = 64, all f16. No score is ever written to memory: what was summed before is rescaled when a larger
// score comes.
//
// One workgroup computes 128 rows of O of one head: the grid has 32x32 workgroups, block_id x is the block of queries and
// block_id y the head. 8 subgroups, one below the other, have 16 whole rows each, so that the largest score and the sum
// of a row never leave a subgroup; all of them see the same 64 keys at a time.

#map_q = #xetile.wg_map<sg_layout = [8, 1], sg_data = [16, 64]>
#map_k = #xetile.wg_map<sg_layout = [1, 8], sg_data = [64, 64]>
#map_v = #xetile.wg_map<sg_layout = [8, 1], sg_data = [64, 64]>
#map_o = #xetile.wg_map<sg_layout = [8, 1], sg_data = [16, 64]>
#map_parts = #xetile.wg_map<sg_layout = [8, 1], sg_data = [16, 16]>
#map_rows = #xetile.wg_map<sg_layout = [8, 1], sg_data = [16, 1]>

!matrix = memref<32x4096x64xf16>
!tile_q = !xetile.tile<128x64xf16, #xetile.tile_attr<wg_map = #map_q>>
!tile_k = !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #map_k>>
!tile_v = !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = #map_v>>
!tile_o = !xetile.tile<128x64xf16, #xetile.tile_attr<wg_map = #map_o>>

gpu.module @kernels {
  gpu.func @flash_attention(%Q: !matrix, %K: !matrix, %V: !matrix, %O: !matrix) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 32, 32, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %keys = arith.constant 4096 : index

    %block = gpu.block_id x
    %head = gpu.block_id y
    %first = arith.muli %block, %c128 : index

    // exp(x / 8) is exp2(x * log2(e) / 8): the factor goes to Q, once
    %q_tile = xetile.init_tile %Q[%head, %first, 0] : !matrix -> !tile_q
    %q_loaded = xetile.load_tile %q_tile : !tile_q -> vector<128x64xf16>
    %scale = arith.constant dense<0.180336878> : vector<128x64xf16>
    %q = arith.mulf %q_loaded, %scale : vector<128x64xf16>

    %k_start = xetile.init_tile %K[%head, 0, 0] : !matrix -> !tile_k
    %v_start = xetile.init_tile %V[%head, 0, 0] : !matrix -> !tile_v

    %s_zero = arith.constant {wg_map = #map_o} dense<0.000000e+00> : vector<128x64xf32>
    %o_zero = arith.constant {wg_map = #map_o} dense<0.000000e+00> : vector<128x64xf32>
    %parts_zero = arith.constant {wg_map = #map_parts} dense<0.000000e+00> : vector<128x16xf32>
    %m_none = arith.constant {wg_map = #map_rows} dense<0xFF800000> : vector<128x1xf32>
    %result:5 = scf.for %at = %c0 to %keys step %c64
        iter_args(%k_tile = %k_start, %v_tile = %v_start, %m = %m_none, %parts = %parts_zero, %o = %o_zero)
        -> (!tile_k, !tile_v, vector<128x1xf32>, vector<128x16xf32>, vector<128x64xf32>) {
      %k_rows = xetile.load_tile %k_tile : !tile_k -> vector<64x64xf16>
      %k = xetile.tile_transpose %k_rows, [1, 0] : vector<64x64xf16> -> vector<64x64xf16>

      %s = xetile.tile_mma %q, %k, %s_zero
          : vector<128x64xf16>, vector<64x64xf16>, vector<128x64xf32> -> vector<128x64xf32>

      // the largest score so far, and by how much it makes smaller what was summed before
      %largest = xetile.tile_reduce <maxnumf>, %s [1] : vector<128x64xf32> -> vector<128x1xf32>
      %m_next = arith.maxnumf %m, %largest : vector<128x1xf32>
      %change = arith.subf %m, %m_next : vector<128x1xf32>
      %rescale = math.exp2 %change : vector<128x1xf32>

      %m_all = xetile.tile_broadcast %m_next [1] : vector<128x1xf32> -> vector<128x64xf32>
      %below = arith.subf %s, %m_all : vector<128x64xf32>
      %p = math.exp2 %below : vector<128x64xf32>

      // the sum of a row stays 16 sums until the loop has ended
      %p0 = vector.extract_strided_slice %p {offsets = [0, 0], sizes = [128, 16], strides = [1, 1]}
          : vector<128x64xf32> to vector<128x16xf32>
      %p1 = vector.extract_strided_slice %p {offsets = [0, 16], sizes = [128, 16], strides = [1, 1]}
          : vector<128x64xf32> to vector<128x16xf32>
      %p2 = vector.extract_strided_slice %p {offsets = [0, 32], sizes = [128, 16], strides = [1, 1]}
          : vector<128x64xf32> to vector<128x16xf32>
      %p3 = vector.extract_strided_slice %p {offsets = [0, 48], sizes = [128, 16], strides = [1, 1]}
          : vector<128x64xf32> to vector<128x16xf32>
      %p01 = arith.addf %p0, %p1 : vector<128x16xf32>
      %p012 = arith.addf %p01, %p2 : vector<128x16xf32>
      %added = arith.addf %p012, %p3 : vector<128x16xf32>
      %rescale_parts = xetile.tile_broadcast %rescale [1] : vector<128x1xf32> -> vector<128x16xf32>
      %parts_kept = arith.mulf %parts, %rescale_parts : vector<128x16xf32>
      %parts_next = arith.addf %parts_kept, %added : vector<128x16xf32>

      %rescale_o = xetile.tile_broadcast %rescale [1] : vector<128x1xf32> -> vector<128x64xf32>
      %o_kept = arith.mulf %o, %rescale_o : vector<128x64xf32>
      %p_f16 = arith.truncf %p : vector<128x64xf32> to vector<128x64xf16>
      // loaded only here, as the registers hold either K or V
      %v = xetile.load_tile %v_tile : !tile_v -> vector<64x64xf16>
      %o_next = xetile.tile_mma %p_f16, %v, %o_kept
          : vector<128x64xf16>, vector<64x64xf16>, vector<128x64xf32> -> vector<128x64xf32>

      %k_next = xetile.update_tile_offset %k_tile, [%c64, %c0] : !tile_k
      %v_next = xetile.update_tile_offset %v_tile, [%c64, %c0] : !tile_v
      scf.yield %k_next, %v_next, %m_next, %parts_next, %o_next
          : !tile_k, !tile_v, vector<128x1xf32>, vector<128x16xf32>, vector<128x64xf32>
    }

    %sum = xetile.tile_reduce <add>, %result#3 [1] : vector<128x16xf32> -> vector<128x1xf32>
    %sums = xetile.tile_broadcast %sum [1] : vector<128x1xf32> -> vector<128x64xf32>
    // a product with a reciprocal has more digits than f16
    %o_f32 = arith.divf %result#4, %sums fastmath<arcp> : vector<128x64xf32>
    %o_f16 = arith.truncf %o_f32 : vector<128x64xf32> to vector<128x64xf16>
    %o_tile = xetile.init_tile %O[%head, %first, 0] : !matrix -> !tile_o
    xetile.store_tile %o_f16, %o_tile : vector<128x64xf16>, !tile_o
    gpu.return
  }
}
