// RUN: xetile-opt --xetile-blocking="device=bmg" %s | FileCheck %s

// Scattered tiles, and tiles that are only changed atomically, have the blocks of what else is done with their elements,
// else those of an accumulator. Vectors of indices stay of the tile's shape; what is computed with them is in blocks.

#scattered = #xetile.tile_attr<scattered = true>

// CHECK-LABEL: gpu.func @scattered
// CHECK: %[[STEPS:.*]] = arith.constant dense<3> : vector<3x5x8x4xindex>
// CHECK: %[[I4:.*]] = xetile.tile_pack %i {inner_blocks = array<i64: 8, 4>} : vector<24x20xindex> -> vector<3x5x8x4xindex>
// CHECK: %[[J4:.*]] = arith.addi %[[I4]], %[[STEPS]] : vector<3x5x8x4xindex>
// CHECK: %[[J:.*]] = xetile.tile_unpack %[[J4]]
// CHECK: %[[T:.*]] = xetile.init_tile %A, %[[J]] : memref<4096xf32>, vector<24x20xindex> -> !xetile.tile<24x20xf32, #xetile.tile_attr<inner_blocks = [8, 4], scattered = true>>
// CHECK: %[[S:.*]] = xetile.tile_unpack %[[STEPS]]
// CHECK: %[[U:.*]] = xetile.update_tile_offset %[[T]], %[[S]]
// CHECK: %[[M:.*]] = xetile.tile_pack %mask {inner_blocks = array<i64: 8, 4>} : vector<24x20xi1> -> vector<3x5x8x4xi1>
// CHECK: %[[V:.*]] = xetile.load_gather %[[U]], %[[M]] {padding = 1.000000e+00 : f64} : {{.*}}, vector<3x5x8x4xi1> -> vector<3x5x8x4xf32>
// CHECK: %[[B:.*]] = xetile.init_tile %B[3, 4] : memref<64x64xf32> -> !xetile.tile<24x20xf32, #xetile.tile_attr<inner_blocks = [8, 4]>>
// CHECK: %[[OLD:.*]] = xetile.atomic_rmw_tile <addf> %[[V]], %[[B]] : vector<3x5x8x4xf32>, {{.*}} -> vector<3x5x8x4xf32>
// CHECK: xetile.store_scatter %[[OLD]], %[[T]], {{.*}} : vector<3x5x8x4xf32>, {{.*}}, vector<3x5x8x4xi1>
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

  // What a product takes comes in the product's blocks, what a message stores in the message's.

  // CHECK-LABEL: gpu.func @suiting
  // CHECK: xetile.load_gather {{.*}} -> vector<4x2x8x16xf16>
  // CHECK: xetile.load_gather {{.*}} -> vector<1x1x4x16xf32>
  gpu.func @suiting(%A: memref<4096xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>, %D: memref<4096xf32>, %i: vector<32x32xindex>, %j: vector<4x16xindex>) kernel {
    %all = arith.constant dense<true> : vector<32x32xi1>
    %some = arith.constant dense<true> : vector<4x16xi1>
    %t = xetile.init_tile %A, %i : memref<4096xf16>, vector<32x32xindex> -> !xetile.tile<32x32xf16, #scattered>
    %a = xetile.load_gather %t, %all : !xetile.tile<32x32xf16, #scattered>, vector<32x32xi1> -> vector<32x32xf16>
    %u = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
    %b = xetile.load_tile %u : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %c = xetile.tile_mma %a, %b : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
    %o = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
    xetile.store_tile %c, %o : vector<32x32xf32>, !xetile.tile<32x32xf32>
    %s = xetile.init_tile %D, %j : memref<4096xf32>, vector<4x16xindex> -> !xetile.tile<4x16xf32, #scattered>
    %g = xetile.load_gather %s, %some : !xetile.tile<4x16xf32, #scattered>, vector<4x16xi1> -> vector<4x16xf32>
    %p = xetile.init_tile %C[32, 0] : memref<64x64xf32> -> !xetile.tile<4x16xf32>
    xetile.store_tile %g, %p : vector<4x16xf32>, !xetile.tile<4x16xf32>
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
