// RUN: xetile-opt --xetile-blocking="device=bmg" %s | FileCheck %s

// A block of a scattered tile, and of a tile that is changed atomically, has one element per lane. Vectors of indices
// stay of the tile's shape; what is computed with them is in blocks.

#scattered = #xetile.tile_attr<scattered = true>

// CHECK-LABEL: gpu.func @scattered
// CHECK: %[[STEPS:.*]] = arith.constant dense<3> : vector<6x5x4x4xindex>
// CHECK: %[[I4:.*]] = xetile.tile_pack %i {inner_blocks = array<i64: 4, 4>} : vector<24x20xindex> -> vector<6x5x4x4xindex>
// CHECK: %[[J4:.*]] = arith.addi %[[I4]], %[[STEPS]] : vector<6x5x4x4xindex>
// CHECK: %[[J:.*]] = xetile.tile_unpack %[[J4]]
// CHECK: %[[T:.*]] = xetile.init_tile %A, %[[J]] : memref<4096xf32>, vector<24x20xindex> -> !xetile.tile<24x20xf32, #xetile.tile_attr<inner_blocks = [4, 4], scattered = true>>
// CHECK: %[[S:.*]] = xetile.tile_unpack %[[STEPS]]
// CHECK: %[[U:.*]] = xetile.update_tile_offset %[[T]], %[[S]]
// CHECK: %[[M:.*]] = xetile.tile_pack %mask {inner_blocks = array<i64: 4, 4>} : vector<24x20xi1> -> vector<6x5x4x4xi1>
// CHECK: %[[V:.*]] = xetile.load_gather %[[U]], %[[M]] {padding = 1.000000e+00 : f64} : {{.*}}, vector<6x5x4x4xi1> -> vector<6x5x4x4xf32>
// CHECK: %[[B:.*]] = xetile.init_tile %B[3, 4] : memref<64x64xf32> -> !xetile.tile<24x20xf32, #xetile.tile_attr<inner_blocks = [4, 4]>>
// CHECK: %[[OLD:.*]] = xetile.atomic_rmw_tile <addf> %[[V]], %[[B]] : vector<6x5x4x4xf32>, {{.*}} -> vector<6x5x4x4xf32>
// CHECK: xetile.store_scatter %[[OLD]], %[[T]], {{.*}} : vector<6x5x4x4xf32>, {{.*}}, vector<6x5x4x4xi1>
gpu.module @m {
  gpu.func @scattered(%A: memref<4096xf32>, %B: memref<64x64xf32>, %mask: vector<24x20xi1>, %i: vector<24x20xindex>) kernel {
    %steps = arith.constant dense<3> : vector<24x20xindex>
    %j = arith.addi %i, %steps : vector<24x20xindex>
    %t = xetile.init_tile %A, %j : memref<4096xf32>, vector<24x20xindex> -> !xetile.tile<24x20xf32, #scattered>
    %u = xetile.update_tile_offset %t, %steps : !xetile.tile<24x20xf32, #scattered>, vector<24x20xindex>
    %v = xetile.load_gather %u, %mask {padding = 1.0} : !xetile.tile<24x20xf32, #scattered>, vector<24x20xi1> -> vector<24x20xf32>
    %b = xetile.init_tile %B[3, 4] : memref<64x64xf32> -> !xetile.tile<24x20xf32>
    %old = xetile.atomic_rmw_tile <addf> %v, %b : vector<24x20xf32>, !xetile.tile<24x20xf32> -> vector<24x20xf32>
    xetile.store_scatter %old, %t, %mask : vector<24x20xf32>, !xetile.tile<24x20xf32, #scattered>, vector<24x20xi1>
    gpu.return
  }

  // Tiles of rank 1 have no blocks.

  // CHECK-LABEL: gpu.func @line
  // CHECK: xetile.load_gather {{.*}} : !xetile.tile<48xf32, #xetile.tile_attr<scattered = true>>, vector<48xi1> -> vector<48xf32>
  gpu.func @line(%A: memref<4096xf32>, %mask: vector<48xi1>, %i: vector<48xindex>) kernel {
    %t = xetile.init_tile %A, %i : memref<4096xf32>, vector<48xindex> -> !xetile.tile<48xf32, #scattered>
    %v = xetile.load_gather %t, %mask : !xetile.tile<48xf32, #scattered>, vector<48xi1> -> vector<48xf32>
    xetile.store_scatter %v, %t, %mask : vector<48xf32>, !xetile.tile<48xf32, #scattered>, vector<48xi1>
    gpu.return
  }
}
