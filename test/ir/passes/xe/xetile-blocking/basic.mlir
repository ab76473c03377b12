// RUN: xetile-opt --xetile-blocking="device=bmg" %s | FileCheck %s

// A and B are loaded in the largest blocks and repacked for the product; C stays in the product's blocks.

// CHECK-LABEL: gpu.func @product
// CHECK: xetile.init_tile %A{{.*}} -> !xetile.tile<32x32xf16, #xetile.tile_attr<inner_blocks = [32, 16]>>
// CHECK: xetile.init_tile %B{{.*}} -> !xetile.tile<32x64xf16, #xetile.tile_attr<inner_blocks = [32, 16]>>
// CHECK: xetile.init_tile %C{{.*}} -> !xetile.tile<32x64xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4x4x8x16xf32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<4x4x8x16xf32>)
// CHECK: %[[A:.*]] = xetile.load_tile {{.*}} -> vector<1x2x32x16xf16>
// CHECK: %[[B:.*]] = xetile.load_tile {{.*}} -> vector<1x4x32x16xf16>
// CHECK: %[[A2:.*]] = xetile.tile_unpack %[[A]] {inner_blocks = array<i64: 32, 16>} : vector<1x2x32x16xf16> -> vector<32x32xf16>
// CHECK: %[[A4:.*]] = xetile.tile_pack %[[A2]] {inner_blocks = array<i64: 8, 16>} : vector<32x32xf16> -> vector<4x2x8x16xf16>
// CHECK: %[[B2:.*]] = xetile.tile_unpack %[[B]]
// CHECK: %[[B4:.*]] = xetile.tile_pack %[[B2]] {inner_blocks = array<i64: 16, 16>} : vector<32x64xf16> -> vector<2x4x16x16xf16>
// CHECK: xetile.tile_mma %[[A4]], %[[B4]], %[[ACC]] : vector<4x2x8x16xf16>, vector<2x4x16x16xf16>, vector<4x4x8x16xf32> -> vector<4x4x8x16xf32>
// CHECK-NOT: tile_unpack
// CHECK: xetile.store_tile {{.*}} : vector<4x4x8x16xf32>
gpu.module @m {
  gpu.func @product(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x64xf16>
    %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<32x64xf32>
    %zero = arith.constant dense<0.0> : vector<32x64xf32>
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (vector<32x64xf32>) {
      %a = xetile.load_tile %ta : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %b = xetile.load_tile %tb : !xetile.tile<32x64xf16> -> vector<32x64xf16>
      %d = xetile.tile_mma %a, %b, %acc : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> vector<32x64xf32>
      scf.yield %d : vector<32x64xf32>
    }
    xetile.store_tile %r, %tc : vector<32x64xf32>, !xetile.tile<32x64xf32>
    gpu.return
  }
}
