// RUN: xetile-opt --convert-xegpu-to-xevm="device=ptl" %s | FileCheck %s

// The types of the product, not those of its words, say how it takes B: in a packed message, which nothing has to repack.
// CHECK: %[[A:.*]] = xevm.blockload2d {{.*}}pack_register = false{{.*}} -> vector<8xi16>
// CHECK: %[[B:.*]] = xevm.blockload2d {{.*}}pack_register = true{{.*}} -> vector<8xi32>
// CHECK-NEXT: xevm.mma %[[A]], %[[B]] {{.*}}f8E4M3FN
func.func @product(%A: memref<64x64xi8>, %B: memref<64x64xi8>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<8x32xi8>
  %b = xegpu.create_nd_tdesc %B : memref<64x64xi8> -> !xegpu.tensor_desc<32x16xi8>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x32xi8> -> vector<8x32xi8>
  %w = xegpu.load_nd %b[%c0, %c0] : !xegpu.tensor_desc<32x16xi8> -> vector<32x16xi8>
  %d = xegpu.dpas %v, %w {xetile.operand_types = [f8E4M3FN, f8E4M3FN]} : vector<8x32xi8>, vector<32x16xi8> -> vector<8x16xf32>
  xegpu.store_nd %d, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}
