// Layer norm of each row of a 4096 x 256 f16 matrix: (x - mean) / sqrt(variance + epsilon) * gamma + beta, where gamma
// and beta are rows. Computed in f32.
//
// A subgroup has 8 whole rows, so the sums of a row never leave it. A workgroup has 16 subgroups, one below the other,
// and 128 rows: 32 workgroups. All subgroups share gamma and beta.

#map = #xetile.wg_map<sg_layout = [16, 1], sg_data = [8, 256]>
#map_row = #xetile.wg_map<sg_layout = [16, 1], sg_data = [1, 256]>

!tile = !xetile.tile<128x256xf16, #xetile.tile_attr<wg_map = #map>>
!tile_row = !xetile.tile<1x256xf32, #xetile.tile_attr<wg_map = #map_row>>

gpu.module @kernels {
  gpu.func @layer_norm(%X: memref<4096x256xf16>, %gamma: memref<1x256xf32>, %beta: memref<1x256xf32>,
                       %Y: memref<4096x256xf16>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 32, 1, 1>} {
    %c128 = arith.constant 128 : index
    %block = gpu.block_id x
    %first = arith.muli %block, %c128 : index

    %x_tile = xetile.init_tile %X[%first, 0] : memref<4096x256xf16> -> !tile
    %x_f16 = xetile.load_tile %x_tile : !tile -> vector<128x256xf16>
    %x = arith.extf %x_f16 : vector<128x256xf16> to vector<128x256xf32>

    // means are sums times 1 / 256
    %share = arith.constant dense<0.00390625> : vector<128x1xf32>
    %sum = xetile.tile_reduce <add>, %x [1] : vector<128x256xf32> -> vector<128x1xf32>
    %mean = arith.mulf %sum, %share : vector<128x1xf32>
    %mean_all = xetile.tile_broadcast %mean [1] : vector<128x1xf32> -> vector<128x256xf32>
    %centred = arith.subf %x, %mean_all : vector<128x256xf32>

    %square = arith.mulf %centred, %centred : vector<128x256xf32>
    %squares = xetile.tile_reduce <add>, %square [1] : vector<128x256xf32> -> vector<128x1xf32>
    %variance = arith.mulf %squares, %share : vector<128x1xf32>
    %epsilon = arith.constant dense<1.0e-5> : vector<128x1xf32>
    %positive = arith.addf %variance, %epsilon : vector<128x1xf32>
    %factor = math.rsqrt %positive : vector<128x1xf32>
    %factor_all = xetile.tile_broadcast %factor [1] : vector<128x1xf32> -> vector<128x256xf32>
    %normal = arith.mulf %centred, %factor_all : vector<128x256xf32>

    %gamma_tile = xetile.init_tile %gamma[0, 0] : memref<1x256xf32> -> !tile_row
    %gamma_row = xetile.load_tile %gamma_tile : !tile_row -> vector<1x256xf32>
    %gamma_all = xetile.tile_broadcast %gamma_row [0] : vector<1x256xf32> -> vector<128x256xf32>
    %beta_tile = xetile.init_tile %beta[0, 0] : memref<1x256xf32> -> !tile_row
    %beta_row = xetile.load_tile %beta_tile : !tile_row -> vector<1x256xf32>
    %beta_all = xetile.tile_broadcast %beta_row [0] : vector<1x256xf32> -> vector<128x256xf32>
    %scaled = arith.mulf %normal, %gamma_all : vector<128x256xf32>
    %y = arith.addf %scaled, %beta_all : vector<128x256xf32>
    %y_f16 = arith.truncf %y : vector<128x256xf32> to vector<128x256xf16>

    %y_tile = xetile.init_tile %Y[%first, 0] : memref<4096x256xf16> -> !tile
    xetile.store_tile %y_f16, %y_tile : vector<128x256xf16>, !tile
    gpu.return
  }
}
