// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" %s | FileCheck %s

// Two blocks side by side are one message; loops carry only the offset that moves.

// CHECK-LABEL: gpu.func @loads
// CHECK-SAME: intel_reqd_sub_group_size = 16 : i32
// CHECK: %[[D:.*]] = xegpu.create_nd_tdesc %A : memref<4096x4096xf16> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
// CHECK: scf.for {{.*}} iter_args(%[[K:.*]] = %{{.*}}) -> (index)
// CHECK: %[[V:.*]] = xegpu.load_nd %[[D]][%m, %[[K]]] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x32x16xf16>
// CHECK: %[[V0:.*]] = vector.extract %[[V]][0] : vector<32x16xf16> from vector<2x32x16xf16>
// CHECK: %[[V1:.*]] = vector.extract %[[V]][1]
// CHECK: vector.extract_strided_slice %[[V0]] {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
// CHECK: %[[N:.*]] = arith.addi %[[K]], %{{.*}} : index
// CHECK: scf.yield %[[N]] : index
#blocked = #xetile.tile_attr<inner_blocks = [32, 16]>
gpu.module @m {
  gpu.func @loads(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %C: memref<4096x4096xf32>, %m: index) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %t = xetile.init_tile %A[%m, 0] : memref<4096x4096xf16> -> !xetile.tile<32x32xf16, #blocked>
    %tb = xetile.init_tile %B[0, 0] : memref<4096x4096xf16> -> !xetile.tile<32x64xf16, #blocked>
    %tc = xetile.init_tile %C[0, 0] : memref<4096x4096xf32> -> !xetile.tile<32x64xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%u = %t) -> (!xetile.tile<32x32xf16, #blocked>) {
      %v = xetile.load_tile %u : !xetile.tile<32x32xf16, #blocked> -> vector<1x2x32x16xf16>
      %v2 = xetile.tile_unpack %v {inner_blocks = array<i64: 32, 16>} : vector<1x2x32x16xf16> -> vector<32x32xf16>
      %v4 = xetile.tile_pack %v2 {inner_blocks = array<i64: 8, 16>} : vector<32x32xf16> -> vector<4x2x8x16xf16>
      %w = xetile.load_tile %tb : !xetile.tile<32x64xf16, #blocked> -> vector<1x4x32x16xf16>
      %w2 = xetile.tile_unpack %w {inner_blocks = array<i64: 32, 16>} : vector<1x4x32x16xf16> -> vector<32x64xf16>
      %w4 = xetile.tile_pack %w2 {inner_blocks = array<i64: 16, 16>} : vector<32x64xf16> -> vector<2x4x16x16xf16>
      %d = xetile.tile_mma %v4, %w4 : vector<4x2x8x16xf16>, vector<2x4x16x16xf16> -> vector<4x4x8x16xf32>
      xetile.store_tile %d, %tc : vector<4x4x8x16xf32>, !xetile.tile<32x64xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
      %n = xetile.update_tile_offset %u, [0, 32] : !xetile.tile<32x32xf16, #blocked>
      scf.yield %n : !xetile.tile<32x32xf16, #blocked>
    }
    gpu.return
  }
}

// Blocks that follow each other without a choice are one.

// CHECK-LABEL: gpu.func @straight
// CHECK-NOT: cf.br
// CHECK: gpu.return
gpu.module @straight_blocks {
  gpu.func @straight(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    cf.br ^next
  ^next:
    xetile.prefetch_tile %t : !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }
}
