// XeTile RFC, appendix 2.4: C = A * B for a GPU whose prefetches are not good enough. The workgroup copies A and B to
// shared memory ahead of the product, and each element comes from global memory once per workgroup.
//
// 64 subgroups (1024 work-items) compute a 256x256 tile of C. For the copy the subgroups divide a K step of 32 into
// pieces that nobody shares (4x32 each); for the product each loads the 32x32 that it needs, from shared memory.
// Shared memory holds four K steps, side by side for A and one below the other for B: two rings. Three are filled
// before the loop; step k multiplies slot k mod 4, and fills slot (k + 3) mod 4 with what it loaded from global memory
// at its beginning, so that the latency of that load is spent in the product.
//
// One barrier per step is enough. Between the fill of a slot at step k and its use at step k + 3 lie the barriers of
// k + 1 and k + 2; between its use at step k - 1 and its next fill at step k lies the barrier of k.
//
// Departures from the RFC's text:
// - C is 4096x4096, and the sum is carried through the loop;
// - the loops over i and j are the grid. A workgroup has one tile, so the barrier before the first stores is gone: it
//   kept a tile's stores behind the loads of the tile before;
// - shared memory holds rings of 256x128 and 128x256, not matrices of 4096x4096, which no GPU has room for;
// - the RFC adds the ring's absolute offset (0, 32, 64, 96) at each step as if it were a step, and so leaves the ring:
//   here a tile steps by 32, and by -96 at the end of the ring;
// - the tiles of the rings are indexed from the ring's corner, not from i and j;
// - what is copied has the tile's shape and type, 256x32 and 32x256 of f16; the RFC writes 256x256xf32;
// - maps are named; those of the moved tiles (mp_a_pft, mp_b_pft), which are not defined, are the copy's.

#map_a = #xetile.wg_map<sg_layout = [8, 8], sg_data = [32, 32]>
#map_a_copy = #xetile.wg_map<sg_layout = [64, 1], sg_data = [4, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 8], sg_data = [32, 32]>
#map_b_copy = #xetile.wg_map<sg_layout = [8, 8], sg_data = [4, 32]>
#map_c = #xetile.wg_map<sg_layout = [8, 8], sg_data = [32, 32]>

!matrix_a = memref<4096x4096xf16>
!matrix_b = memref<4096x4096xf16>
!matrix_c = memref<4096x4096xf32>
!ring_a = memref<256x128xf16, #gpu.address_space<workgroup>>
!ring_b = memref<128x256xf16, #gpu.address_space<workgroup>>
!from_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a_copy>>
!from_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b_copy>>
!fill_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a_copy, memory_space = 3>>
!fill_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b_copy, memory_space = 3>>
!use_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a, memory_space = 3>>
!use_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b, memory_space = 3>>
!tile_c = !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #map_c>>

gpu.module @kernels {
  gpu.func @gemm(%A: !matrix_a, %B: !matrix_b, %C: !matrix_c) workgroup(%ring_a: !ring_a, %ring_b: !ring_b) kernel
      attributes {known_block_size = array<i32: 1024, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %K = arith.constant 4096 : index
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %back = arith.constant -96 : index

    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %i = arith.muli %block_x, %c256 : index
    %j = arith.muli %block_y, %c256 : index

    // global memory: K steps 0 to 3
    %a_from_0 = xetile.init_tile %A[%i, 0] : !matrix_a -> !from_a
    %b_from_0 = xetile.init_tile %B[0, %j] : !matrix_b -> !from_b
    %a_from_1 = xetile.init_tile %A[%i, 32] : !matrix_a -> !from_a
    %b_from_1 = xetile.init_tile %B[32, %j] : !matrix_b -> !from_b
    %a_from_2 = xetile.init_tile %A[%i, 64] : !matrix_a -> !from_a
    %b_from_2 = xetile.init_tile %B[64, %j] : !matrix_b -> !from_b
    %a_from_3 = xetile.init_tile %A[%i, 96] : !matrix_a -> !from_a
    %b_from_3 = xetile.init_tile %B[96, %j] : !matrix_b -> !from_b

    // shared memory: slots 0 to 3 as they are filled
    %a_fill_0 = xetile.init_tile %ring_a[0, 0] : !ring_a -> !fill_a
    %b_fill_0 = xetile.init_tile %ring_b[0, 0] : !ring_b -> !fill_b
    %a_fill_1 = xetile.init_tile %ring_a[0, 32] : !ring_a -> !fill_a
    %b_fill_1 = xetile.init_tile %ring_b[32, 0] : !ring_b -> !fill_b
    %a_fill_2 = xetile.init_tile %ring_a[0, 64] : !ring_a -> !fill_a
    %b_fill_2 = xetile.init_tile %ring_b[64, 0] : !ring_b -> !fill_b
    %a_fill_3 = xetile.init_tile %ring_a[0, 96] : !ring_a -> !fill_a
    %b_fill_3 = xetile.init_tile %ring_b[96, 0] : !ring_b -> !fill_b

    %a_0 = xetile.load_tile %a_from_0 : !from_a -> vector<256x32xf16>
    %b_0 = xetile.load_tile %b_from_0 : !from_b -> vector<32x256xf16>
    %a_1 = xetile.load_tile %a_from_1 : !from_a -> vector<256x32xf16>
    %b_1 = xetile.load_tile %b_from_1 : !from_b -> vector<32x256xf16>
    %a_2 = xetile.load_tile %a_from_2 : !from_a -> vector<256x32xf16>
    %b_2 = xetile.load_tile %b_from_2 : !from_b -> vector<32x256xf16>
    xetile.store_tile %a_0, %a_fill_0 : vector<256x32xf16>, !fill_a
    xetile.store_tile %b_0, %b_fill_0 : vector<32x256xf16>, !fill_b
    xetile.store_tile %a_1, %a_fill_1 : vector<256x32xf16>, !fill_a
    xetile.store_tile %b_1, %b_fill_1 : vector<32x256xf16>, !fill_b
    xetile.store_tile %a_2, %a_fill_2 : vector<256x32xf16>, !fill_a
    xetile.store_tile %b_2, %b_fill_2 : vector<32x256xf16>, !fill_b
    gpu.barrier

    // the same shared memory as the product divides it
    %a_use_0 = xetile.init_tile %ring_a[0, 0] : !ring_a -> !use_a
    %b_use_0 = xetile.init_tile %ring_b[0, 0] : !ring_b -> !use_b

    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<256x256xf32>
    %result:7 = scf.for %k = %c0 to %K step %c32
        iter_args(%a_from = %a_from_3, %b_from = %b_from_3, %a_fill = %a_fill_3, %b_fill = %b_fill_3,
                  %a_use = %a_use_0, %b_use = %b_use_0, %acc = %zero)
        -> (!from_a, !from_b, !fill_a, !fill_b, !use_a, !use_b, vector<256x256xf32>) {
      %a_ahead = xetile.load_tile %a_from : !from_a -> vector<256x32xf16>
      %b_ahead = xetile.load_tile %b_from : !from_b -> vector<32x256xf16>
      %a = xetile.load_tile %a_use : !use_a -> vector<256x32xf16>
      %b = xetile.load_tile %b_use : !use_b -> vector<32x256xf16>
      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
      gpu.barrier
      xetile.store_tile %a_ahead, %a_fill : vector<256x32xf16>, !fill_a
      xetile.store_tile %b_ahead, %b_fill : vector<32x256xf16>, !fill_b

      // the used slot is the last one when k mod 128 is 96; the filled one, three slots ahead, when it is 0
      %place = arith.remui %k, %c128 : index
      %use_wraps = arith.cmpi eq, %place, %c96 : index
      %fill_wraps = arith.cmpi eq, %place, %c0 : index
      %use_step = arith.select %use_wraps, %back, %c32 : index
      %fill_step = arith.select %fill_wraps, %back, %c32 : index
      %a_from_next = xetile.update_tile_offset %a_from, [%c0, %c32] : !from_a
      %b_from_next = xetile.update_tile_offset %b_from, [%c32, %c0] : !from_b
      %a_fill_next = xetile.update_tile_offset %a_fill, [%c0, %fill_step] : !fill_a
      %b_fill_next = xetile.update_tile_offset %b_fill, [%fill_step, %c0] : !fill_b
      %a_use_next = xetile.update_tile_offset %a_use, [%c0, %use_step] : !use_a
      %b_use_next = xetile.update_tile_offset %b_use, [%use_step, %c0] : !use_b
      scf.yield %a_from_next, %b_from_next, %a_fill_next, %b_fill_next, %a_use_next, %b_use_next, %sum
          : !from_a, !from_b, !fill_a, !fill_b, !use_a, !use_b, vector<256x256xf32>
    }

    %c_tile = xetile.init_tile %C[%i, %j] : !matrix_c -> !tile_c
    xetile.store_tile %result#6, %c_tile : vector<256x256xf32>, !tile_c
    gpu.return
  }
}
