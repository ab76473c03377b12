// RUN: xetile-opt --xetile-blocking="device=bmg" %s | FileCheck %s

// A transpose exchanges the blocks and what is in them. Both dimensions of an axis are reduced and broadcast; the order
// of a reduction counts their joined index, so that any blocks do.

// CHECK-LABEL: gpu.func @rearranged
// CHECK: %[[V:.*]] = xetile.load_tile {{.*}} -> vector<1x3x32x16xf16>
// CHECK: %[[T:.*]] = xetile.tile_transpose %[[V]], [1, 0, 3, 2] : vector<1x3x32x16xf16> -> vector<3x1x16x32xf16>
// CHECK: %[[R:.*]] = xetile.tile_reduce <add>, %[[T]] [1, 3] : vector<3x1x16x32xf16> -> vector<3x1x16x1xf16>
// CHECK: %[[R2:.*]] = xetile.tile_unpack %[[R]] {inner_blocks = array<i64: 16, 1>} : vector<3x1x16x1xf16> -> vector<48x1xf16>
// CHECK: %[[R4:.*]] = xetile.tile_pack %[[R2]] {inner_blocks = array<i64: 8, 1>} : vector<48x1xf16> -> vector<6x1x8x1xf16>
// CHECK: %[[B:.*]] = xetile.tile_broadcast %[[R4]] [1, 3] : vector<6x1x8x1xf16> -> vector<6x2x8x16xf16>
// CHECK: %[[T2:.*]] = xetile.tile_unpack %[[T]]
// CHECK: %[[T4:.*]] = xetile.tile_pack %[[T2]] {inner_blocks = array<i64: 8, 16>}
// CHECK: %[[S:.*]] = arith.addf %[[T4]], %[[B]] : vector<6x2x8x16xf16>
// CHECK: xetile.store_tile %[[S]], {{.*}} : vector<6x2x8x16xf16>
// CHECK: xetile.tile_reduce <add>, %[[V]] [0, 1, 2, 3] {reassoc} : vector<1x3x32x16xf16> -> vector<1x1x1x1xf16>
gpu.module @m {
  gpu.func @rearranged(%A: memref<64x64xf16>, %D: memref<64x64xf16>) kernel {
    %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x48xf16>
    %v = xetile.load_tile %ta : !xetile.tile<32x48xf16> -> vector<32x48xf16>
    %t = xetile.tile_transpose %v, [1, 0] : vector<32x48xf16> -> vector<48x32xf16>
    %r = xetile.tile_reduce <add>, %t [1] : vector<48x32xf16> -> vector<48x1xf16>
    %b = xetile.tile_broadcast %r [1] : vector<48x1xf16> -> vector<48x32xf16>
    %s = arith.addf %t, %b : vector<48x32xf16>
    %td = xetile.init_tile %D[0, 0] : memref<64x64xf16> -> !xetile.tile<48x32xf16>
    xetile.store_tile %s, %td : vector<48x32xf16>, !xetile.tile<48x32xf16>
    %all = xetile.tile_reduce <add>, %v [0, 1] {reassoc} : vector<32x48xf16> -> vector<1x1xf16>
    %te = xetile.init_tile %D[0, 0] : memref<64x64xf16> -> !xetile.tile<1x1xf16>
    xetile.store_tile %all, %te : vector<1x1xf16>, !xetile.tile<1x1xf16>
    gpu.return
  }

  // What nothing is asked of follows the product through the transpose: no block is changed on the way.

  // CHECK-LABEL: gpu.func @followed
  // CHECK: %[[K:.*]] = arith.constant dense<2.000000e+00> : vector<2x4x16x8xf32>
  // CHECK: %[[U:.*]] = arith.addf %[[K]], %[[K]] : vector<2x4x16x8xf32>
  // CHECK: %[[C:.*]] = xetile.tile_transpose %[[U]], [1, 0, 3, 2] : vector<2x4x16x8xf32> -> vector<4x2x8x16xf32>
  // CHECK-NOT: tile_pack
  // CHECK: xetile.tile_mma {{.*}}, {{.*}}, %[[C]]
  gpu.func @followed(%a: vector<4x2x8x16xf16>, %b: vector<2x2x16x16xf16>) kernel {
    %a2 = xetile.tile_unpack %a {inner_blocks = array<i64: 8, 16>} : vector<4x2x8x16xf16> -> vector<32x32xf16>
    %b2 = xetile.tile_unpack %b {inner_blocks = array<i64: 16, 16>} : vector<2x2x16x16xf16> -> vector<32x32xf16>
    %k = arith.constant dense<2.0> : vector<32x32xf32>
    %u = arith.addf %k, %k : vector<32x32xf32>
    %c = xetile.tile_transpose %u, [1, 0] : vector<32x32xf32> -> vector<32x32xf32>
    %d = xetile.tile_mma %a2, %b2, %c : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
    gpu.return
  }
}
