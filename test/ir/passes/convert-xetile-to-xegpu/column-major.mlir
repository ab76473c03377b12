// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" --split-input-file %s | FileCheck %s

// The message sees the columns of the matrix as rows. It transposes elements of 32 bits; others are transposed as they
// come, block by block, as is everything that is stored.

// CHECK-LABEL: gpu.func @words
// CHECK: %[[D:.*]] = xegpu.create_nd_tdesc %{{.*}}, shape : [96, 64], strides : [64, 1] : i64 -> !xegpu.tensor_desc<16x8xf32>
// CHECK: xegpu.load_nd %[[D]][16, %m] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8x16xf32>
gpu.module @m {
  gpu.func @words(%A: memref<64x96xf32, strided<[1, 64]>>, %m: index) kernel {
    %t = xetile.init_tile %A[%m, 16] : memref<64x96xf32, strided<[1, 64]>> -> !xetile.tile<8x16xf32, #xetile.tile_attr<order = [0, 1], inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32, #xetile.tile_attr<order = [0, 1], inner_blocks = [8, 16]>> -> vector<1x1x8x16xf32>
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @halves
// CHECK: %[[V:.*]] = xegpu.load_nd %{{.*}}[0, 8] : !xegpu.tensor_desc<32x16xf16> -> vector<32x16xf16>
// CHECK: %[[T:.*]] = vector.transpose %[[V]], [1, 0] : vector<32x16xf16> to vector<16x32xf16>
// CHECK: %[[P:.*]] = vector.extract_strided_slice %[[T]] {offsets = [0, 8], sizes = [16, 8], strides = [1, 1]}
// CHECK: %[[S:.*]] = vector.transpose %[[P]], [1, 0] : vector<16x8xf16> to vector<8x16xf16>
// CHECK: xegpu.store_nd %[[S]], %{{.*}}[8, 0] : vector<8x16xf16>
gpu.module @m {
  gpu.func @halves(%A: memref<64x96xf16, strided<[1, 64]>>) kernel {
    %t = xetile.init_tile %A[8, 0] : memref<64x96xf16, strided<[1, 64]>> -> !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 32]>>
    %v = xetile.load_tile %t : !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 32]>> -> vector<1x1x16x32xf16>
    %w = xetile.tile_unpack %v {inner_blocks = array<i64: 16, 32>} : vector<1x1x16x32xf16> -> vector<16x32xf16>
    %p = xetile.tile_pack %w {inner_blocks = array<i64: 16, 8>} : vector<16x32xf16> -> vector<1x4x16x8xf16>
    %u = xetile.init_tile %A[0, 0] : memref<64x96xf16, strided<[1, 64]>> -> !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 8]>>
    xetile.store_tile %p, %u : vector<1x4x16x8xf16>, !xetile.tile<16x32xf16, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 8]>>
    gpu.return
  }
}
