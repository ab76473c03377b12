// XeTile RFC, appendix 2.5: C = A * B for a GPU with two levels of cache, prefetched separately.
//
// A workgroup of 32 subgroups computes a 512x256 tile of C. Its K steps of 32 are prefetched to the inner cache four
// steps ahead (locality<3>); every fourth step, 128 of K are prefetched to the outer cache (locality<2>), which runs
// two such pieces ahead. A barrier at that moment keeps the subgroups of a workgroup together, so that they use the
// outer cache's contents at the same time.
//
// Departures from the RFC's text:
// - C is 4096x4096, and the sum is carried through the loop; what is multiplied is what was loaded;
// - the loops over i and j are the grid, 8x16, and i counts by 512, the rows of a tile: by 256, two workgroups would
//   compute and write the same rows;
// - the outer cache's second piece begins at 128, where the first one ends, not at 256;
// - before the loop, the two levels' tiles move by each other's distance: meant is 128 for the outer level, 32 for the
//   inner one, as in the loop;
// - `k % 4 == 0` holds for all multiples of 32: every fourth step is k % 128 == 0;
// - B's loaded tile moves from its own place (the RFC assigns it to %a2_load);
// - A's loaded tile has 512 rows in the loop as before it, and B's map is B's;
// - tiles that move in a branch are results of scf.if.
//
// A subgroup's 64x64 sums in f32 fill 256 registers, all that a thread of these devices has: the program is right, but
// the code generator spills. 256 rows per workgroup, so 32x64 per subgroup as in 2.1, halve them.

#map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [64, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [64, 64]>
#map_a_outer = #xetile.wg_map<sg_layout = [32, 1], sg_data = [16, 128]>
#map_b_outer = #xetile.wg_map<sg_layout = [16, 2], sg_data = [8, 128]>
#map_a_inner = #xetile.wg_map<sg_layout = [32, 1], sg_data = [16, 32]>
#map_b_inner = #xetile.wg_map<sg_layout = [4, 8], sg_data = [8, 32]>

!matrix_a = memref<4096x4096xf16>
!matrix_b = memref<4096x4096xf16>
!matrix_c = memref<4096x4096xf32>
!tile_a = !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = #map_a>>
!tile_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b>>
!tile_c = !xetile.tile<512x256xf32, #xetile.tile_attr<wg_map = #map_c>>
!outer_a = !xetile.tile<512x128xf16, #xetile.tile_attr<wg_map = #map_a_outer>>
!outer_b = !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = #map_b_outer>>
!inner_a = !xetile.tile<512x32xf16, #xetile.tile_attr<wg_map = #map_a_inner>>
!inner_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b_inner>>

gpu.module @kernels {
  gpu.func @gemm(%A: !matrix_a, %B: !matrix_b, %C: !matrix_c) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 8, 16, 1>} {
    %K = arith.constant 4096 : index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index

    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %i = arith.muli %block_x, %c512 : index
    %j = arith.muli %block_y, %c256 : index

    // outer cache: K from 0 to 255, and then from 256
    %a_outer_1 = xetile.init_tile %A[%i, 0] : !matrix_a -> !outer_a
    %b_outer_1 = xetile.init_tile %B[0, %j] : !matrix_b -> !outer_b
    %a_outer_2 = xetile.init_tile %A[%i, 128] : !matrix_a -> !outer_a
    %b_outer_2 = xetile.init_tile %B[128, %j] : !matrix_b -> !outer_b
    xetile.prefetch_tile %a_outer_1 locality<2> : !outer_a
    xetile.prefetch_tile %b_outer_1 locality<2> : !outer_b
    xetile.prefetch_tile %a_outer_2 locality<2> : !outer_a
    xetile.prefetch_tile %b_outer_2 locality<2> : !outer_b
    %a_outer_start = xetile.update_tile_offset %a_outer_2, [%c0, %c128] : !outer_a
    %b_outer_start = xetile.update_tile_offset %b_outer_2, [%c128, %c0] : !outer_b

    // inner cache: K from 0 to 127, and then from 128
    %a_inner_1 = xetile.init_tile %A[%i, 0] : !matrix_a -> !inner_a
    %b_inner_1 = xetile.init_tile %B[0, %j] : !matrix_b -> !inner_b
    %a_inner_2 = xetile.init_tile %A[%i, 32] : !matrix_a -> !inner_a
    %b_inner_2 = xetile.init_tile %B[32, %j] : !matrix_b -> !inner_b
    %a_inner_3 = xetile.init_tile %A[%i, 64] : !matrix_a -> !inner_a
    %b_inner_3 = xetile.init_tile %B[64, %j] : !matrix_b -> !inner_b
    %a_inner_4 = xetile.init_tile %A[%i, 96] : !matrix_a -> !inner_a
    %b_inner_4 = xetile.init_tile %B[96, %j] : !matrix_b -> !inner_b
    xetile.prefetch_tile %a_inner_1 locality<3> : !inner_a
    xetile.prefetch_tile %b_inner_1 locality<3> : !inner_b
    xetile.prefetch_tile %a_inner_2 locality<3> : !inner_a
    xetile.prefetch_tile %b_inner_2 locality<3> : !inner_b
    xetile.prefetch_tile %a_inner_3 locality<3> : !inner_a
    xetile.prefetch_tile %b_inner_3 locality<3> : !inner_b
    xetile.prefetch_tile %a_inner_4 locality<3> : !inner_a
    xetile.prefetch_tile %b_inner_4 locality<3> : !inner_b
    %a_inner_start = xetile.update_tile_offset %a_inner_4, [%c0, %c32] : !inner_a
    %b_inner_start = xetile.update_tile_offset %b_inner_4, [%c32, %c0] : !inner_b

    %a_start = xetile.init_tile %A[%i, 0] : !matrix_a -> !tile_a
    %b_start = xetile.init_tile %B[0, %j] : !matrix_b -> !tile_b

    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<512x256xf32>
    %result:7 = scf.for %k = %c0 to %K step %c32
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %a_inner = %a_inner_start, %b_inner = %b_inner_start,
                  %a_outer = %a_outer_start, %b_outer = %b_outer_start, %acc = %zero)
        -> (!tile_a, !tile_b, !inner_a, !inner_b, !outer_a, !outer_b, vector<512x256xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<512x32xf16>
      %b = xetile.load_tile %b_tile : !tile_b -> vector<32x256xf16>

      %place = arith.remui %k, %c128 : index
      %fourth = arith.cmpi eq, %place, %c0 : index
      %outer:2 = scf.if %fourth -> (!outer_a, !outer_b) {
        gpu.barrier
        xetile.prefetch_tile %a_outer locality<2> : !outer_a
        xetile.prefetch_tile %b_outer locality<2> : !outer_b
        %a_outer_next = xetile.update_tile_offset %a_outer, [%c0, %c128] : !outer_a
        %b_outer_next = xetile.update_tile_offset %b_outer, [%c128, %c0] : !outer_b
        scf.yield %a_outer_next, %b_outer_next : !outer_a, !outer_b
      } else {
        scf.yield %a_outer, %b_outer : !outer_a, !outer_b
      }
      xetile.prefetch_tile %a_inner locality<3> : !inner_a
      xetile.prefetch_tile %b_inner locality<3> : !inner_b
      %a_inner_next = xetile.update_tile_offset %a_inner, [%c0, %c32] : !inner_a
      %b_inner_next = xetile.update_tile_offset %b_inner, [%c32, %c0] : !inner_b

      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !tile_b
      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<512x32xf16>, vector<32x256xf16>, vector<512x256xf32> -> vector<512x256xf32>
      scf.yield %a_next, %b_next, %a_inner_next, %b_inner_next, %outer#0, %outer#1, %sum
          : !tile_a, !tile_b, !inner_a, !inner_b, !outer_a, !outer_b, vector<512x256xf32>
    }

    %c_tile = xetile.init_tile %C[%i, %j] : !matrix_c -> !tile_c
    xetile.store_tile %result#6, %c_tile : vector<512x256xf32>, !tile_c
    gpu.return
  }
}
