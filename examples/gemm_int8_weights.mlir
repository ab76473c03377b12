// C = A * (W * scales) for 4096 x 4096 matrices: A is f16, the weights are signed bytes, and each 128 weights of a column
// have one scale. Weights become f16 before the product. By the map, the four subgroups of a column need the same part of
// them: each converts a quarter, which the others take from shared memory (`xetile-wg-to-sg`, `operands=once`).
//
// One workgroup computes one 128x256 tile of C: the grid has 32x16 workgroups, block_id x is the row of tiles and
// block_id y the column. 16 subgroups, laid out 4x4, share the tile as 32x64 pieces; 16 lanes make a subgroup, hence
// 256 work-items. No more maps are written than the tiles' own: those of the vectors follow.

#map_a = #xetile.wg_map<sg_layout = [4, 4], sg_data = [32, 32]>
#map_w = #xetile.wg_map<sg_layout = [4, 4], sg_data = [32, 64]>
#map_scales = #xetile.wg_map<sg_layout = [4, 4], sg_data = [1, 64]>
#map_c = #xetile.wg_map<sg_layout = [4, 4], sg_data = [32, 64]>

!tile_a = !xetile.tile<128x32xf16, #xetile.tile_attr<wg_map = #map_a>>
!tile_w = !xetile.tile<32x256xi8, #xetile.tile_attr<wg_map = #map_w>>
!tile_scales = !xetile.tile<1x256xf16, #xetile.tile_attr<wg_map = #map_scales>>
!tile_c = !xetile.tile<128x256xf32, #xetile.tile_attr<wg_map = #map_c>>

gpu.module @kernels {
  gpu.func @gemm_int8_weights(%A: memref<4096x4096xf16>, %W: memref<4096x4096xi8>, %scales: memref<32x4096xf16>,
                              %C: memref<4096x4096xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 32, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index

    // the first row and column of this workgroup's tile
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %m = arith.muli %block_x, %c128 : index
    %n = arith.muli %block_y, %c256 : index

    %a_start = xetile.init_tile %A[%m, 0] : memref<4096x4096xf16> -> !tile_a
    %w_start = xetile.init_tile %W[0, %n] : memref<4096x4096xi8> -> !tile_w
    %scales_start = xetile.init_tile %scales[0, %n] : memref<32x4096xf16> -> !tile_scales

    // groups of 128 along K, in each of which the scales stay the same
    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<128x256xf32>
    %result:4 = scf.for %group = %c0 to %c4096 step %c128
        iter_args(%a_group = %a_start, %w_group = %w_start, %scales_tile = %scales_start, %acc_group = %zero)
        -> (!tile_a, !tile_w, !tile_scales, vector<128x256xf32>) {
      %row = xetile.load_tile %scales_tile : !tile_scales -> vector<1x256xf16>
      %rows = xetile.tile_broadcast %row [0] : vector<1x256xf16> -> vector<32x256xf16>

      %part:3 = scf.for %k = %c0 to %c128 step %c32
          iter_args(%a_tile = %a_group, %w_tile = %w_group, %acc = %acc_group)
          -> (!tile_a, !tile_w, vector<128x256xf32>) {
        %a = xetile.load_tile %a_tile : !tile_a -> vector<128x32xf16>
        %w = xetile.load_tile %w_tile : !tile_w -> vector<32x256xi8>
        %w_f16 = arith.sitofp %w : vector<32x256xi8> to vector<32x256xf16>
        %b = arith.mulf %w_f16, %rows : vector<32x256xf16>

        %sum = xetile.tile_mma %a, %b, %acc
            : vector<128x32xf16>, vector<32x256xf16>, vector<128x256xf32> -> vector<128x256xf32>

        %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
        %w_next = xetile.update_tile_offset %w_tile, [%c32, %c0] : !tile_w
        scf.yield %a_next, %w_next, %sum : !tile_a, !tile_w, vector<128x256xf32>
      }
      %scales_next = xetile.update_tile_offset %scales_tile, [%c1, %c0] : !tile_scales
      scf.yield %part#0, %part#1, %scales_next, %part#2 : !tile_a, !tile_w, !tile_scales, vector<128x256xf32>
    }

    %c_tile = xetile.init_tile %C[%m, %n] : memref<4096x4096xf32> -> !tile_c
    xetile.store_tile %result#3, %c_tile : vector<128x256xf32>, !tile_c
    gpu.return
  }
}
