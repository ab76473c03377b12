// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// Rows of a block are registers of each lane: the slice is a shuffle of registers, no data moves between lanes.
// CHECK-LABEL: @slice
// CHECK: %[[V:.*]] = xevm.blockload2d {{.*}} -> vector<16xi32>
// CHECK: %[[LOWER:.*]] = vector.shuffle %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: %[[S:.*]] = vector.bitcast %[[LOWER]] : vector<8xi32> to vector<8xf32>
// CHECK: xevm.blockstore2d {{.*}}, %[[S]] <
func.func @slice(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x16xf32>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
  %s = vector.extract_strided_slice %v {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<16x16xf32> to vector<8x16xf32>
  xegpu.store_nd %s, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Eight rows are eight registers of a lane; elementwise ops work on them, and a constant needs no message.
// CHECK-LABEL: @constant_and_elementwise
// CHECK: %[[V:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<8xf32>
// CHECK: %[[W:.*]] = arith.mulf %[[V]], %[[TWO]] : vector<8xf32>
// CHECK: xevm.blockstore2d {{.*}}, %[[W]] <
func.func @constant_and_elementwise(%C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %two = arith.constant dense<2.0> : vector<8x16xf32>
  %v = xegpu.load_nd %c[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %w = arith.mulf %v, %two : vector<8x16xf32>
  xegpu.store_nd %w, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Two products on one accumulator, in 8-bit integers: A in 16-bit words, B in 32-bit words.
// CHECK-LABEL: @products
// CHECK: %[[A:.*]] = xevm.blockload2d {{.*}} -> vector<8xi16>
// CHECK: %[[B:.*]] = xevm.blockload2d {{.*}} -> vector<8xi32>
// CHECK: %[[D:.*]] = xevm.mma %[[A]], %[[B]] {shape = <m = 8, n = 16, k = 32>, types = <d = s32, a = s8, b = s8>} : (vector<8xi16>, vector<8xi32>) -> vector<8xi32>
// CHECK: %{{.*}} = xevm.mma %[[A]], %[[B]], %[[D]] {shape = <m = 8, n = 16, k = 32>, types = <d = s32, a = s8, b = s8, c = s32>}
func.func @products(%A: memref<64x64xi8>, %B: memref<64x64xi8>, %C: memref<64x64xi32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<8x32xi8>
  %b = xegpu.create_nd_tdesc %B : memref<64x64xi8> -> !xegpu.tensor_desc<32x16xi8>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xi32> -> !xegpu.tensor_desc<8x16xi32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x32xi8> -> vector<8x32xi8>
  %w = xegpu.load_nd %b[%c0, %c0] <{packed}> : !xegpu.tensor_desc<32x16xi8> -> vector<8x16x4xi8>
  %d = xegpu.dpas %v, %w : vector<8x32xi8>, vector<8x16x4xi8> -> vector<8x16xi32>
  %e = xegpu.dpas %v, %w, %d : vector<8x32xi8>, vector<8x16x4xi8>, vector<8x16xi32> -> vector<8x16xi32>
  xegpu.store_nd %e, %c[%c0, %c0] : vector<8x16xi32>, !xegpu.tensor_desc<8x16xi32>
  return
}

// -----

// A loop carries the registers, not the block.
// CHECK-LABEL: @carried
// CHECK: %[[V:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %[[V]]) -> (vector<8xf32>)
// CHECK: arith.addf %[[X]], %{{.*}} : vector<8xf32>
func.func @carried(%C: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %c[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (vector<8x16xf32>) {
    %y = arith.addf %x, %v : vector<8x16xf32>
    scf.yield %y : vector<8x16xf32>
  }
  xegpu.store_nd %r, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// A vector that every lane has whole is none that is dealt out: its elements are taken as they are.
// CHECK-LABEL: @whole
// CHECK: %[[E:.*]] = vector.extract %v[1] : f32 from vector<4xf32>
// CHECK: memref.store %[[E]]
func.func @whole(%C: memref<64x64xf32>, %v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %e = vector.extract %v[1] : f32 from vector<4xf32>
  memref.store %e, %C[%c0, %c0] : memref<64x64xf32>
  return
}
