// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg upstream-plan=true" %s | FileCheck %s

// Every load is one block of at most 16x16, in the layout of the matrix in memory; B is not packed.

// CHECK-LABEL: func.func @product
// CHECK-DAG: %[[A:.*]] = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
// CHECK-DAG: %[[B:.*]] = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
// CHECK-DAG: %[[C:.*]] = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
// CHECK-COUNT-4: xegpu.load_nd %[[A]]{{.*}} : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>
// CHECK-COUNT-8: vector.extract_strided_slice %{{.*}} : vector<16x16xf16> to vector<8x16xf16>
// CHECK-COUNT-2: xegpu.load_nd %[[B]]{{.*}} : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>
// CHECK-COUNT-8: xegpu.dpas {{.*}} : vector<8x16xf16>, vector<16x16xf16>{{.*}} -> vector<8x16xf32>
// CHECK-COUNT-4: xegpu.store_nd %{{.*}}, %[[C]]
#blocked = #xetile.tile_attr<inner_blocks = [32, 16]>
#stored = #xetile.tile_attr<inner_blocks = [8, 16]>
func.func @product(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16, #blocked>
  %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x16xf16, #blocked>
  %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<32x16xf32, #stored>
  %a = xetile.load_tile %ta : !xetile.tile<32x32xf16, #blocked> -> vector<1x2x32x16xf16>
  %a2 = xetile.tile_unpack %a {inner_blocks = array<i64: 32, 16>} : vector<1x2x32x16xf16> -> vector<32x32xf16>
  %a4 = xetile.tile_pack %a2 {inner_blocks = array<i64: 8, 16>} : vector<32x32xf16> -> vector<4x2x8x16xf16>
  %b = xetile.load_tile %tb : !xetile.tile<32x16xf16, #blocked> -> vector<1x1x32x16xf16>
  %b2 = xetile.tile_unpack %b {inner_blocks = array<i64: 32, 16>} : vector<1x1x32x16xf16> -> vector<32x16xf16>
  %b4 = xetile.tile_pack %b2 {inner_blocks = array<i64: 16, 16>} : vector<32x16xf16> -> vector<2x1x16x16xf16>
  %d = xetile.tile_mma %a4, %b4 : vector<4x2x8x16xf16>, vector<2x1x16x16xf16> -> vector<4x1x8x16xf32>
  xetile.store_tile %d, %tc : vector<4x1x8x16xf32>, !xetile.tile<32x16xf32, #stored>
  return
}
