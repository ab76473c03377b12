// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// A step along the columns is the number of the lane.
// CHECK-LABEL: @step
// CHECK: %[[LANE:.*]] = gpu.lane_id
// CHECK: vector.broadcast %[[LANE]] : index to vector<1xindex>
func.func @step(%A: memref<64x64xi32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi32> -> !xegpu.tensor_desc<8x16xi32>
  %s = vector.step : vector<16xindex>
  %i = arith.index_cast %s : vector<16xindex> to vector<16xi32>
  %v = vector.broadcast %i : vector<16xi32> to vector<8x16xi32>
  xegpu.store_nd %v, %a[%c0, %c0] : vector<8x16xi32>, !xegpu.tensor_desc<8x16xi32>
  return
}

// -----

// Rows are compared register by register, columns once for all.
// CHECK-LABEL: @masks
// CHECK-DAG: %[[ROWS:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[ROWS]], %{{.*}} : vector<8xi32>
// CHECK: %[[LEFT:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: %[[COLUMNS:.*]] = vector.broadcast %[[LEFT]] : i1 to vector<8xi1>
// CHECK: arith.andi %[[BELOW]], %[[COLUMNS]] : vector<8xi1>
func.func @masks(%A: memref<64x64xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %inside = vector.create_mask %m, %n : vector<8x16xi1>
  %other = arith.constant dense<0xFF800000> : vector<8x16xf32>
  %w = arith.select %inside, %v, %other : vector<8x16xi1>, vector<8x16xf32>
  xegpu.store_nd %w, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// A mask that is known: the first six rows of nine lanes.
// CHECK-LABEL: @known_mask
// CHECK: arith.constant dense<[511, 511, 511, 511, 511, 511, 0, 0]> : vector<8xi32>
func.func @known_mask(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %inside = vector.constant_mask [6, 9] : vector<8x16xi1>
  %any = ub.poison : vector<8x16xf32>
  %w = arith.select %inside, %v, %any : vector<8x16xi1>, vector<8x16xf32>
  xegpu.store_nd %w, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Scalars that all lanes have: two columns of them, by the lowest bit of the lane.
// CHECK-LABEL: @scalars
// CHECK: %[[ODD:.*]] = arith.trunci %{{.*}} : i32 to i1
// CHECK: arith.select %[[ODD]], %y, %x : f32
func.func @scalars(%x: f32, %y: f32, %A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x2xf32>
  %v = vector.from_elements %x, %y : vector<2xf32>
  %w = vector.broadcast %v : vector<2xf32> to vector<8x2xf32>
  %b = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %u = arith.constant dense<1.0> : vector<8x16xf32>
  %t = vector.insert_strided_slice %w, %u {offsets = [0, 4], strides = [1, 1]} : vector<8x2xf32> into vector<8x16xf32>
  xegpu.store_nd %t, %b[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}
