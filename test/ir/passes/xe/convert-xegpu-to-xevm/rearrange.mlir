// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// A row is a register of each lane; put into every row it is the same register, under eight names.
// CHECK-LABEL: @row
// CHECK: %[[V:.*]] = xevm.blockload2d {{.*}} -> vector<8xi32>
// CHECK: %[[ROWS:.*]] = vector.shuffle %[[V]], %[[V]] [3, 3, 3, 3, 3, 3, 3, 3]
// CHECK: %[[U:.*]] = vector.bitcast %[[ROWS]] : vector<8xi32> to vector<8xf32>
// CHECK: xevm.blockstore2d {{.*}}, %[[U]] <
func.func @row(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %t = vector.extract %v[3] : vector<16xf32> from vector<8x16xf32>
  %u = vector.broadcast %t : vector<16xf32> to vector<8x16xf32>
  xegpu.store_nd %u, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// A column is what one lane holds: it gives its registers to all.
// CHECK-LABEL: @column
// CHECK: %[[LANE:.*]] = arith.constant 3 : i32
// CHECK: %[[V:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: %[[COLUMN:.*]], %{{.*}} = gpu.shuffle idx %[[V]], %[[LANE]], %{{.*}} : vector<8xf32>
// CHECK: xevm.blockstore2d {{.*}}, %[[COLUMN]] <
func.func @column(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %t = vector.extract_strided_slice %v {offsets = [0, 3], sizes = [8, 1], strides = [1, 1]} : vector<8x16xf32> to vector<8x1xf32>
  %u = vector.broadcast %t : vector<8x1xf32> to vector<8x16xf32>
  xegpu.store_nd %u, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Transposes and casts of the shape are other names: the sum is of the registers that the message left.
// CHECK-LABEL: @names
// CHECK: %[[V:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: %[[S:.*]] = arith.mulf %[[V]], %{{.*}} : vector<8xf32>
// CHECK: xevm.blockstore2d {{.*}}, %[[S]] <
func.func @names(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %t = vector.transpose %v, [1, 0] : vector<8x16xf32> to vector<16x8xf32>
  %two = arith.constant dense<2.0> : vector<16x8xf32>
  %s = arith.mulf %t, %two : vector<16x8xf32>
  %x = xegpu.convert_layout %s <{input_layout = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 1]>}> : vector<16x8xf32>
  %u = vector.transpose %x, [1, 0] : vector<16x8xf32> to vector<8x16xf32>
  %w = vector.shape_cast %u : vector<8x16xf32> to vector<2x4x16xf32>
  %y = vector.shape_cast %w : vector<2x4x16xf32> to vector<8x16xf32>
  xegpu.store_nd %y, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Words of 32 bits are two elements, which are neighbours in the registers of a lane.
// CHECK-LABEL: @halves_of_words
// CHECK: %[[V:.*]] = xevm.blockload2d {{.*}} -> vector<8xi32>
// CHECK-NEXT: %[[H:.*]] = vector.bitcast %[[V]] : vector<8xi32> to vector<16xi16>
// CHECK: arith.addi %[[H]], %{{.*}} : vector<16xi16>
func.func @halves_of_words(%A: memref<64x64xi32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi32> -> !xegpu.tensor_desc<8x16xi32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xi32> -> vector<8x16xi32>
  %h = vector.bitcast %v : vector<8x16xi32> to vector<8x32xi16>
  %s = arith.addi %h, %h : vector<8x32xi16>
  %w = vector.bitcast %s : vector<8x32xi16> to vector<8x16xi32>
  xegpu.store_nd %w, %a[%c0, %c0] : vector<8x16xi32>, !xegpu.tensor_desc<8x16xi32>
  return
}

// -----

// What is inserted is merged by register; where it has some of the columns, by lane.
// CHECK-LABEL: @inserted
// CHECK: %[[CHOSEN:.*]] = arith.trunci %{{.*}} : i32 to i1
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [4, 5, 6, 7, 0, 1, 2, 3] : vector<4xf32>, vector<8xf32>
// CHECK: arith.select %[[CHOSEN]], %{{.*}}, %{{.*}} : vector<8xf32>
func.func @inserted(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %upper = vector.extract_strided_slice %v {offsets = [0, 0], sizes = [4, 16], strides = [1, 1]} : vector<8x16xf32> to vector<4x16xf32>
  %t = vector.insert_strided_slice %upper, %v {offsets = [4, 0], strides = [1, 1]} : vector<4x16xf32> into vector<8x16xf32>
  %left = vector.extract_strided_slice %v {offsets = [0, 0], sizes = [8, 8], strides = [1, 1]} : vector<8x16xf32> to vector<8x8xf32>
  %u = vector.insert_strided_slice %left, %t {offsets = [0, 8], strides = [1, 1]} : vector<8x8xf32> into vector<8x16xf32>
  xegpu.store_nd %u, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// An element is given to all lanes by the one that has it, and put where only its lane takes it.
// CHECK-LABEL: @elements
// CHECK: %[[E:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: %[[F:.*]], %{{.*}} = gpu.shuffle idx %[[E]], %c5_i32, %{{.*}} : f32
// CHECK: arith.addf %[[F]], %[[F]] : f32
// CHECK: arith.select
// CHECK: vector.shuffle {{.*}} [1, 0, 15, 6, 5, 4, 3, 2]
func.func @elements(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %e = vector.extract %v[3, 5] : f32 from vector<8x16xf32>
  %f = arith.addf %e, %e : f32
  %t = vector.insert %f, %v[2, 7] : f32 into vector<8x16xf32>
  %u = vector.shuffle %t, %t [1, 0, 15, 6, 5, 4, 3, 2] : vector<8x16xf32>, vector<8x16xf32>
  %corner = vector.extract_strided_slice %u {offsets = [0, 4], sizes = [1, 2], strides = [1, 1]} : vector<8x16xf32> to vector<1x2xf32>
  %x, %y = vector.to_elements %corner : vector<1x2xf32>
  memref.store %x, %A[%c0, %c0] : memref<64x64xf32>
  memref.store %y, %A[%c0, %c0] : memref<64x64xf32>
  xegpu.store_nd %u, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}
