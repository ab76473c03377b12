// RUN: xetile-opt --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// Slices and the order that the matrix instruction wants become one selection of registers.

// CHECK-LABEL: gpu.func @product
// CHECK-SAME: xetile.level = "lane"
// CHECK: %[[P:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
// CHECK: %[[A:.*]] = xevm.blockload2d %[[P]], {{.*}} <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 32 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}>{{.*}} -> vector<64xi16>
// CHECK: %[[B:.*]] = xevm.blockload2d {{.*}}pack_register = true, tile_height = 16 : i32{{.*}} -> vector<8xi32>
// CHECK: %[[A1:.*]] = vector.shuffle %[[A]], %[[A]] [40, 41, 42, 43, 44, 45, 46, 47] : vector<64xi16>, vector<64xi16>
// CHECK: xevm.mma %[[A1]], %[[B]] {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16>} : (vector<8xi16>, vector<8xi32>) -> vector<8xf32>
// CHECK: xevm.blockstore2d {{.*}} : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xf32>)
gpu.module @m {
  gpu.func @product(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) kernel {
    %da = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %db = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
    %dc = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %da[0, 0] : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x32x16xf16>
    %b = xegpu.load_nd %db[0, 0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<8x16x2xf16>
    %v1 = vector.extract %v[1] : vector<32x16xf16> from vector<2x32x16xf16>
    %a = vector.extract_strided_slice %v1 {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
    %c = xegpu.dpas %a, %b : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    xegpu.store_nd %c, %dc[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
