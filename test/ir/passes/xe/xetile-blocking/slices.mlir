// RUN: xetile-opt --xetile-blocking="device=bmg" %s | FileCheck %s

// A slice takes whole blocks, for which larger ones are cut. What a product asks of the slice decides how the vector
// that is sliced is loaded.

// CHECK-LABEL: gpu.func @operand
// CHECK: %[[B:.*]] = xetile.load_tile {{.*}} -> vector<2x2x32x16xf16>
// CHECK-NEXT: %[[B2:.*]] = xetile.tile_unpack %[[B]]
// CHECK-NEXT: %[[B4:.*]] = xetile.tile_pack %[[B2]] {inner_blocks = array<i64: 16, 16>} : vector<64x32xf16> -> vector<4x2x16x16xf16>
// CHECK-NEXT: %[[S:.*]] = vector.extract_strided_slice %[[B4]] {offsets = [3, 0], sizes = [1, 2], strides = [1, 1]} : vector<4x2x16x16xf16> to vector<1x2x16x16xf16>
// CHECK: xetile.tile_mma %{{.*}}, %[[S]]
gpu.module @m {
  gpu.func @operand(%B: memref<64x64xf16>, %a: vector<8x16xf16>) kernel {
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<64x32xf16>
    %b = xetile.load_tile %tb : !xetile.tile<64x32xf16> -> vector<64x32xf16>
    %s = vector.extract_strided_slice %b {offsets = [48], sizes = [16], strides = [1]} : vector<64x32xf16> to vector<16x32xf16>
    %d = xetile.tile_mma %a, %s : vector<8x16xf16>, vector<16x32xf16> -> vector<8x32xf32>
    gpu.return
  }

  // Nothing is cut where blocks fit; what nothing is asked of follows through the slice, in blocks that fit.

  // CHECK-LABEL: gpu.func @followed
  // CHECK: %[[V:.*]] = xetile.load_tile {{.*}} -> vector<1x3x32x16xf16>
  // CHECK-NEXT: %[[S:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0, 1], sizes = [1, 2], strides = [1, 1]} : vector<1x3x32x16xf16> to vector<1x2x32x16xf16>
  // CHECK-NEXT: %[[K:.*]] = arith.constant dense<2.000000e+00> : vector<1x2x32x16xf16>
  // CHECK-NEXT: %[[P:.*]] = arith.addf %[[S]], %[[K]] : vector<1x2x32x16xf16>
  // CHECK-NEXT: %[[P2:.*]] = xetile.tile_unpack %[[P]]
  // CHECK-NEXT: %[[P4:.*]] = xetile.tile_pack %[[P2]] {inner_blocks = array<i64: 4, 16>}
  // CHECK-NEXT: vector.extract_strided_slice %[[P4]] {offsets = [1, 0], sizes = [3, 2], strides = [1, 1]} : vector<8x2x4x16xf16> to vector<3x2x4x16xf16>
  gpu.func @followed(%A: memref<64x64xf16>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x48xf16>
    %v = xetile.load_tile %t : !xetile.tile<32x48xf16> -> vector<32x48xf16>
    %s = vector.extract_strided_slice %v {offsets = [0, 16], sizes = [32, 32], strides = [1, 1]} : vector<32x48xf16> to vector<32x32xf16>
    %k = arith.constant dense<2.0> : vector<32x32xf16>
    %p = arith.addf %s, %k : vector<32x32xf16>
    %q = vector.extract_strided_slice %p {offsets = [4, 0], sizes = [12, 32], strides = [1, 1]} : vector<32x32xf16> to vector<12x32xf16>
    gpu.return
  }

  // What has no blocks is sliced whole.

  // CHECK-LABEL: gpu.func @whole
  // CHECK: vector.extract_strided_slice %v {{.*}} : vector<32x16xf32> to vector<8x16xf32>
  // CHECK-NEXT: vector.extract_strided_slice %l {{.*}} : vector<32xf32> to vector<8xf32>
  gpu.func @whole(%v: vector<32x16xf32>, %l: vector<32xf32>, %A: memref<64x64xf16>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x48xf16>
    %s = vector.extract_strided_slice %v {offsets = [8], sizes = [8], strides = [1]} : vector<32x16xf32> to vector<8x16xf32>
    %m = vector.extract_strided_slice %l {offsets = [8], sizes = [8], strides = [1]} : vector<32xf32> to vector<8xf32>
    gpu.return
  }
}
