// D = gelu(A * B + bias) for 4096 x 4096 f16 matrices, one layer of a network: the bias is one row that is added to all
// rows, gelu is the form with tanh, and the result is rounded to f16 once, at the end.
//
// One workgroup computes one 256x256 tile of D: the grid has 16x16 workgroups, block_id x is the row of tiles and
// block_id y the column. 32 subgroups, laid out 8x4, share the tile as 32x64 pieces; 16 lanes make a subgroup, hence
// 512 work-items. Everything after the product stays in the subgroup that computed it.

#map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>

// The eight subgroups of a column share the 64 elements of the bias that belong to it.
#map_bias = #xetile.wg_map<sg_layout = [8, 4], sg_data = [1, 64]>

!tile_a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #map_a>>
!tile_b = !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = #map_b>>
!tile_bias = !xetile.tile<1x256xf32, #xetile.tile_attr<wg_map = #map_bias>>
!tile_d = !xetile.tile<256x256xf16, #xetile.tile_attr<wg_map = #map_c>>

gpu.module @kernels {
  gpu.func @gemm_bias_gelu(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %bias: memref<1x4096xf32>,
                           %D: memref<4096x4096xf16>) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c4096 = arith.constant 4096 : index

    // the first row and column of this workgroup's tile
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %m = arith.muli %block_x, %c256 : index
    %n = arith.muli %block_y, %c256 : index

    %a_start = xetile.init_tile %A[%m, 0] : memref<4096x4096xf16> -> !tile_a
    %b_start = xetile.init_tile %B[0, %n] : memref<4096x4096xf16> -> !tile_b

    %zero = arith.constant {wg_map = #map_c} dense<0.000000e+00> : vector<256x256xf32>
    %result:3 = scf.for %k = %c0 to %c4096 step %c32
        iter_args(%a_tile = %a_start, %b_tile = %b_start, %acc = %zero)
        -> (!tile_a, !tile_b, vector<256x256xf32>) {
      %a = xetile.load_tile %a_tile : !tile_a -> vector<256x32xf16>
      %b = xetile.load_tile %b_tile : !tile_b -> vector<32x256xf16>

      %sum = xetile.tile_mma %a, %b, %acc {wg_map_a = #map_a, wg_map_b = #map_b, wg_map_c = #map_c}
          : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>

      %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !tile_a
      %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !tile_b
      scf.yield %a_next, %b_next, %sum : !tile_a, !tile_b, vector<256x256xf32>
    }

    %bias_tile = xetile.init_tile %bias[0, %n] : memref<1x4096xf32> -> !tile_bias
    %row = xetile.load_tile %bias_tile : !tile_bias -> vector<1x256xf32>
    %rows = xetile.tile_broadcast %row [0] : vector<1x256xf32> -> vector<256x256xf32>
    %x = arith.addf %result#2, %rows : vector<256x256xf32>

    // gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
    %half = arith.constant dense<0.5> : vector<256x256xf32>
    %one = arith.constant dense<1.0> : vector<256x256xf32>
    %cubic = arith.constant dense<0.044715> : vector<256x256xf32>
    %root = arith.constant dense<0.797884583> : vector<256x256xf32>
    %square = arith.mulf %x, %x : vector<256x256xf32>
    %bend = arith.mulf %square, %cubic : vector<256x256xf32>
    %factor = arith.addf %bend, %one : vector<256x256xf32>
    %inner = arith.mulf %x, %factor : vector<256x256xf32>
    %scaled = arith.mulf %inner, %root : vector<256x256xf32>
    // 1 is added to it, so that the digits near zero that an approximation loses are lost anyway
    %tanh = math.tanh %scaled fastmath<afn> : vector<256x256xf32>
    %share = arith.addf %tanh, %one : vector<256x256xf32>
    %halved = arith.mulf %x, %half : vector<256x256xf32>
    %gelu = arith.mulf %halved, %share : vector<256x256xf32>
    %d = arith.truncf %gelu : vector<256x256xf32> to vector<256x256xf16>

    %d_tile = xetile.init_tile %D[%m, %n] : memref<4096x4096xf16> -> !tile_d
    xetile.store_tile %d, %d_tile : vector<256x256xf16>, !tile_d
    gpu.return
  }
}
