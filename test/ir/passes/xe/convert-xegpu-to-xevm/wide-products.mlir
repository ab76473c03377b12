// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// Bytes times a row of scales: in f32, where the product is exact, and rounded once. The row is f32 before it is broadcast,
// in front of the loop, as it was before.
// CHECK-LABEL: @scaled
// CHECK: arith.extf %{{.*}} : vector<1xf16> to vector<1xf32>
// CHECK: scf.for
// CHECK-NOT: arith.extf
// CHECK: %[[W:.*]] = arith.sitofp %{{.*}} : vector<8xi8> to vector<8xf32>
// CHECK: %[[P:.*]] = arith.mulf %[[W]], %{{.*}} fastmath<nnan> : vector<8xf32>
// CHECK: arith.truncf %[[P]] : vector<8xf32> to vector<8xf16>
// CHECK: xevm.blockstore2d
func.func @scaled(%W: memref<64x64xi8>, %S: memref<64x64xf16>, %C: memref<64x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %w = xegpu.create_nd_tdesc %W : memref<64x64xi8> -> !xegpu.tensor_desc<8x16xi8>
  %s = xegpu.create_nd_tdesc %S : memref<64x64xf16> -> !xegpu.tensor_desc<1x16xf16>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %row = xegpu.load_nd %s[%c0, %c0] : !xegpu.tensor_desc<1x16xf16> -> vector<1x16xf16>
  %scales = vector.broadcast %row : vector<1x16xf16> to vector<8x16xf16>
  scf.for %i = %c0 to %n step %c8 {
    %v = xegpu.load_nd %w[%i, %c0] : !xegpu.tensor_desc<8x16xi8> -> vector<8x16xi8>
    %x = arith.sitofp %v : vector<8x16xi8> to vector<8x16xf16>
    %y = arith.mulf %x, %scales fastmath<nnan> : vector<8x16xf16>
    xegpu.store_nd %y, %c[%i, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  }
  return
}

// -----

// Halves that are no small integers are multiplied as they are.
// CHECK-LABEL: @halves
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<8xf16>
func.func @halves(%W: memref<64x64xi16>, %C: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %w = xegpu.create_nd_tdesc %W : memref<64x64xi16> -> !xegpu.tensor_desc<8x16xi16>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %v = xegpu.load_nd %w[%c0, %c0] : !xegpu.tensor_desc<8x16xi16> -> vector<8x16xi16>
  %x = arith.sitofp %v : vector<8x16xi16> to vector<8x16xf16>
  %s = xegpu.load_nd %c[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %y = arith.mulf %x, %s : vector<8x16xf16>
  xegpu.store_nd %y, %c[%c0, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}
