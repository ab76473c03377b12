// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" --split-input-file --verify-diagnostics %s | FileCheck %s

// A slice of a vector in blocks is some of the blocks: nothing is left of it. One that begins inside of a block cuts it.

// CHECK-LABEL: gpu.func @blocks
// CHECK: %{{.*}} = xegpu.load_nd {{.*}}[0, 0]
// CHECK: %[[V1:.*]] = xegpu.load_nd {{.*}}[8, 0]
// CHECK-NOT: extract_strided_slice
// CHECK: xegpu.store_nd %[[V1]], %{{.*}}[0, 0] : vector<8x16xf32>
// CHECK: %[[HALF:.*]] = vector.extract_strided_slice %[[V1]] {offsets = [4, 0], sizes = [4, 16], strides = [1, 1]} : vector<8x16xf32> to vector<4x16xf32>
// CHECK: xegpu.store_nd %[[HALF]]
#blocked = #xetile.tile_attr<inner_blocks = [8, 16]>
gpu.module @m {
  gpu.func @blocks(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32, #blocked>
    %o = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #blocked>
    %h = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<4x16xf32, #xetile.tile_attr<inner_blocks = [4, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #blocked> -> vector<2x1x8x16xf32>
    %s = vector.extract_strided_slice %v {offsets = [1], sizes = [1], strides = [1]} : vector<2x1x8x16xf32> to vector<1x1x8x16xf32>
    xetile.store_tile %s, %o : vector<1x1x8x16xf32>, !xetile.tile<8x16xf32, #blocked>
    %w = xetile.tile_unpack %v {inner_blocks = array<i64: 8, 16>} : vector<2x1x8x16xf32> -> vector<16x16xf32>
    %q = vector.extract_strided_slice %w {offsets = [12], sizes = [4], strides = [1]} : vector<16x16xf32> to vector<4x16xf32>
    %p = xetile.tile_pack %q {inner_blocks = array<i64: 4, 16>} : vector<4x16xf32> -> vector<1x1x4x16xf32>
    xetile.store_tile %p, %h : vector<1x1x4x16xf32>, !xetile.tile<4x16xf32, #xetile.tile_attr<inner_blocks = [4, 16]>>
    gpu.return
  }
}

// -----

#blocked = #xetile.tile_attr<inner_blocks = [8, 16]>
gpu.module @m {
  gpu.func @inside(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32, #blocked>
    %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #blocked> -> vector<2x1x8x16xf32>
    // expected-error @below {{the slice takes 4x16 of each block of 8x16; slices of whole blocks are lowered to XeGPU: unpack the vector before}}
    %s = vector.extract_strided_slice %v {offsets = [0, 0, 2], sizes = [2, 1, 4], strides = [1, 1, 1]} : vector<2x1x8x16xf32> to vector<2x1x4x16xf32>
    gpu.return
  }
}
