// RUN: xetile-opt %s --canonicalize --split-input-file | FileCheck %s

// A slice of a slice is one slice.
// CHECK-LABEL: @slices
// CHECK-SAME: (%[[A:.+]]: vector<32x16xf16>)
// CHECK-NEXT: %[[S:.+]] = vector.extract_strided_slice %[[A]] {offsets = [12, 4], sizes = [4, 8], strides = [1, 1]} : vector<32x16xf16> to vector<4x8xf16>
// CHECK-NEXT: func.return %[[S]]
func.func @slices(%a: vector<32x16xf16>) -> vector<4x8xf16> {
  %0 = vector.extract_strided_slice %a {offsets = [8], sizes = [8], strides = [1]} : vector<32x16xf16> to vector<8x16xf16>
  %1 = vector.extract_strided_slice %0 {offsets = [4, 4], sizes = [4, 8], strides = [1, 1]} : vector<8x16xf16> to vector<4x8xf16>
  func.return %1 : vector<4x8xf16>
}

// -----

// All of a vector is the vector, whether taken or overwritten.
// CHECK-LABEL: @whole
// CHECK-SAME: (%[[A:.+]]: vector<32x16xf16>, %{{.+}}: vector<32x16xf16>)
// CHECK-NEXT: func.return %[[A]], %[[A]]
func.func @whole(%a: vector<32x16xf16>, %b: vector<32x16xf16>) -> (vector<32x16xf16>, vector<32x16xf16>) {
  %0 = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [32, 16], strides = [1, 1]} : vector<32x16xf16> to vector<32x16xf16>
  %1 = vector.insert_strided_slice %a, %b {offsets = [0, 0], strides = [1, 1]} : vector<32x16xf16> into vector<32x16xf16>
  func.return %0, %1 : vector<32x16xf16>, vector<32x16xf16>
}

// -----

// Constants stay constants.
// CHECK-LABEL: @constants
// CHECK-DAG: arith.constant dense<2.000000e+00> : vector<8x16xf32>
// CHECK-DAG: arith.constant dense<2.000000e+00> : vector<16x32xf32>
// CHECK-DAG: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : vector<2x2xi32>
// CHECK-DAG: arith.constant dense<[2, 3, 1]> : vector<3xi32>
// CHECK-DAG: arith.constant dense<[513, 1027]> : vector<2xi16>
// CHECK-DAG: arith.constant dense<[1.000000e+00, 2.000000e+00]> : vector<2xf32>
// CHECK-DAG: arith.constant dense<true> : vector<2x4xi1>
// CHECK-DAG: arith.constant dense<false> : vector<2x4xi1>
// CHECK-NOT: vector.{{[a-z]}}
func.func @constants() -> (vector<8x16xf32>, vector<16x32xf32>, vector<2x2xi32>, vector<3xi32>, vector<2xi16>, vector<2xf32>, vector<2x4xi1>, vector<2x4xi1>) {
  %s = arith.constant dense<2.0> : vector<32x16xf32>
  %0 = vector.extract_strided_slice %s {offsets = [8], sizes = [8], strides = [1]} : vector<32x16xf32> to vector<8x16xf32>
  %1 = vector.transpose %s, [1, 0] : vector<32x16xf32> to vector<16x32xf32>
  %l = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %2 = vector.shape_cast %l : vector<4xi32> to vector<2x2xi32>
  %3 = vector.shuffle %l, %l [1, 2, 4] : vector<4xi32>, vector<4xi32>
  %b = arith.constant dense<[1, 2, 3, 4]> : vector<4xi8>
  %4 = vector.bitcast %b : vector<4xi8> to vector<2xi16>
  %x = arith.constant 1.0 : f32
  %y = arith.constant 2.0 : f32
  %5 = vector.from_elements %x, %y : vector<2xf32>
  %6 = vector.constant_mask [2, 4] : vector<2x4xi1>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %7 = vector.create_mask %c0, %c4 : vector<2x4xi1>
  func.return %0, %1, %2, %3, %4, %5, %6, %7 : vector<8x16xf32>, vector<16x32xf32>, vector<2x2xi32>, vector<3xi32>, vector<2xi16>, vector<2xf32>, vector<2x4xi1>, vector<2x4xi1>
}

// -----

// Casts and permutations that undo each other are nothing.
// CHECK-LABEL: @undone
// CHECK-SAME: (%[[A:.+]]: vector<32x16xf16>, %[[B:.+]]: vector<16xf32>)
// CHECK-NEXT: func.return %[[A]], %[[A]], %[[B]], %[[B]]
func.func @undone(%a: vector<32x16xf16>, %b: vector<16xf32>) -> (vector<32x16xf16>, vector<32x16xf16>, vector<16xf32>, vector<16xf32>) {
  %0 = vector.shape_cast %a : vector<32x16xf16> to vector<512xf16>
  %1 = vector.shape_cast %0 : vector<512xf16> to vector<32x16xf16>
  %2 = vector.transpose %a, [1, 0] : vector<32x16xf16> to vector<16x32xf16>
  %3 = vector.transpose %2, [1, 0] : vector<16x32xf16> to vector<32x16xf16>
  %4 = vector.bitcast %b : vector<16xf32> to vector<32xf16>
  %5 = vector.bitcast %4 : vector<32xf16> to vector<16xf32>
  %6:16 = vector.to_elements %b : vector<16xf32>
  %7 = vector.from_elements %6#0, %6#1, %6#2, %6#3, %6#4, %6#5, %6#6, %6#7, %6#8, %6#9, %6#10, %6#11, %6#12, %6#13, %6#14, %6#15 : vector<16xf32>
  func.return %1, %3, %5, %7 : vector<32x16xf16>, vector<32x16xf16>, vector<16xf32>, vector<16xf32>
}

// -----

// A shuffle of one shuffle is one shuffle; one in order is nothing.
// CHECK-LABEL: @shuffles
// CHECK-SAME: (%[[A:.+]]: vector<8xf16>, %[[B:.+]]: vector<8xf16>)
// CHECK-NEXT: %[[S:.+]] = vector.shuffle %[[A]], %[[B]] [8, 3, -1, 1] : vector<8xf16>, vector<8xf16>
// CHECK-NEXT: func.return %[[S]], %[[B]]
func.func @shuffles(%a: vector<8xf16>, %b: vector<8xf16>) -> (vector<4xf16>, vector<8xf16>) {
  %0 = vector.shuffle %a, %b [1, 8, 3] : vector<8xf16>, vector<8xf16>
  %1 = vector.shuffle %0, %0 [4, 2, -1, 0] : vector<3xf16>, vector<3xf16>
  %2 = vector.shuffle %a, %b [8, 9, 10, 11, 12, 13, 14, 15] : vector<8xf16>, vector<8xf16>
  func.return %1, %2 : vector<4xf16>, vector<8xf16>
}

// -----

// A shuffle that takes from two shuffles stays.
// CHECK-LABEL: @two_shuffles
// CHECK-COUNT-3: vector.shuffle
func.func @two_shuffles(%a: vector<8xf16>, %b: vector<8xf16>) -> vector<4xf16> {
  %0 = vector.shuffle %a, %b [0, 8] : vector<8xf16>, vector<8xf16>
  %1 = vector.shuffle %a, %b [1, 9] : vector<8xf16>, vector<8xf16>
  %2 = vector.shuffle %0, %1 [0, 2, 1, 3] : vector<2xf16>, vector<2xf16>
  func.return %2 : vector<4xf16>
}

// -----

// Neither a cast that only shows a wg_map nor its map is lost.
// CHECK-LABEL: @mapped
// CHECK: vector.shape_cast %{{.+}} {wg_map = 1 : i32}
func.func @mapped(%a: vector<32x16xf16>) -> vector<32x16xf16> {
  %0 = vector.shape_cast %a {wg_map = 1 : i32} : vector<32x16xf16> to vector<32x16xf16>
  func.return %0 : vector<32x16xf16>
}
