// Views that contradict what they view. One error per chunk; mlir-opt 22 refuses each.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: memref<?x?xf32>, %n: index) {
  // expected-error @below {{'result' is memref<64xf32, strided<[1]>>, the subview is memref<?x64xf32, strided<[?, 1]>>}}
  %0 = memref.subview %a[0, 0] [%n, 64] [1, 1] : memref<?x?xf32> to memref<64xf32, strided<[1]>>
  func.return
}

// -----

func.func @f(%a: memref<?x?xf32>) {
  // expected-error @below {{'result' is memref<4x4xf32, strided<[64, 1]>>, the subview is memref<4x4xf32, strided<[?, 1]>>}}
  %0 = memref.subview %a[0, 0] [4, 4] [1, 1] : memref<?x?xf32> to memref<4x4xf32, strided<[64, 1]>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'result' is memref<4x4xf32, strided<[32, 1]>>, the subview is memref<4x4xf32, strided<[32, 1], offset: 64>>}}
  %0 = memref.subview %a[2, 0] [4, 4] [1, 1] : memref<16x32xf32> to memref<4x4xf32, strided<[32, 1]>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'result' is memref<4x4xf16, strided<[32, 1], offset: 64>>, the subview is memref<4x4xf32, strided<[32, 1], offset: 64>>}}
  %0 = memref.subview %a[2, 0] [4, 4] [1, 1] : memref<16x32xf32> to memref<4x4xf16, strided<[32, 1], offset: 64>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'result' is memref<4x4xf32, strided<[32, 1], offset: 64>, 3 : i64>, the subview is memref<4x4xf32, strided<[32, 1], offset: 64>>}}
  %0 = memref.subview %a[2, 0] [4, 4] [1, 1] : memref<16x32xf32> to memref<4x4xf32, strided<[32, 1], offset: 64>, 3>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{the subview reaches 17 in dimension 0 of memref<16x32xf32>}}
  %0 = memref.subview %a[14, 0] [4, 4] [1, 1] : memref<16x32xf32> to memref<4x4xf32, strided<[32, 1], offset: 448>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>, %n: index) {
  // expected-error @below {{offset 16 is outside of dimension 0 of memref<16x32xf32>}}
  %0 = memref.subview %a[16, 0] [%n, 4] [1, 1] : memref<16x32xf32> to memref<?x4xf32, strided<[32, 1], offset: 512>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'offsets' has -1, expected none below 0}}
  %0 = memref.subview %a[0, -1] [4, 4] [1, 1] : memref<16x32xf32> to memref<4x4xf32, strided<[32, 1], offset: -1>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'offsets' has 1 entries, expected 2}}
  %0 = memref.subview %a[0] [4] [1] : memref<16x32xf32> to memref<4x32xf32, strided<[32, 1]>>
  func.return
}

// -----

func.func @f(%a: memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>) {
  // expected-error @below {{'source' is memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>, whose layout is not strided}}
  %0 = memref.subview %a[0, 0] [4, 4] [1, 1] : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>> to memref<4x4xf32, strided<[1, 8]>>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %n: index) {
  // expected-error @below {{'result' is memref<?xf32, strided<[64]>> with stride 64 in dimension 0, expected a dynamic one}}
  %0 = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [%n] : memref<4xf32> to memref<?xf32, strided<[64]>>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @below {{'result' is memref<8xf32> with size 8 in dimension 0, expected 4}}
  %0 = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [1] : memref<4xf32> to memref<8xf32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %n: index) {
  // expected-error @below {{'result' is memref<4xf32, strided<[1]>> with offset 0, expected a dynamic one}}
  %0 = memref.reinterpret_cast %a to offset: [%n], sizes: [4], strides: [1] : memref<4xf32> to memref<4xf32, strided<[1]>>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @below {{'result' is memref<4xi64>, it has to have the elements and the memory space of memref<4xf32>}}
  %0 = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [1] : memref<4xf32> to memref<4xi64>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @below {{'offsets' has 2 entries, expected 1}}
  %0 = memref.reinterpret_cast %a to offset: [0, 0], sizes: [4], strides: [1] : memref<4xf32> to memref<4xf32>
  func.return
}

// -----

func.func @f(%a: memref<?x?xf32>) {
  // expected-error @below {{dimension 0 has extent 64, merging the dimensions [0, 1] makes a dynamic extent}}
  %0 = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32> into memref<64xf32>
  func.return
}

// -----

func.func @f(%a: memref<?x?xf32>) {
  // expected-error @below {{'result' is memref<?xf32, strided<[64]>>, expected memref<?xf32>}}
  %0 = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32> into memref<?xf32, strided<[64]>>
  func.return
}

// -----

func.func @f(%a: memref<4x8xf32>) {
  // expected-error @below {{dimension 0 has extent 64, merging the dimensions [0, 1] makes extent 32}}
  %0 = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<64xf32>
  func.return
}

// -----

func.func @f(%a: memref<4x8xf32, strided<[16, 1]>>) {
  // expected-error @below {{dimension 0 of memref<4x8xf32, strided<[16, 1]>> has stride 16, to be merged it needs 8}}
  %0 = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32, strided<[16, 1]>> into memref<32xf32, strided<[1]>>
  func.return
}

// -----

func.func @f(%a: memref<4x8x2xf32>) {
  // expected-error @below {{'reassociation' has the dimensions [0, 1], expected 0 to 2}}
  %0 = memref.collapse_shape %a [[0, 1]] : memref<4x8x2xf32> into memref<32xf32>
  func.return
}

// -----

func.func @f(%a: memref<4x1xf32>) {
  // expected-error @below {{extents [4, 1] are merged to a memref of rank 0; expected ones}}
  %0 = memref.collapse_shape %a [] : memref<4x1xf32> into memref<f32>
  func.return
}

// -----

func.func @f(%a: memref<?xf32>) {
  // expected-error @below {{dimension 0 has a dynamic extent, merging the dimensions [0, 1] makes extent 4}}
  %0 = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<?xf32> into memref<2x2xf32>
  func.return
}

// -----

func.func @f(%a: memref<?xf32>, %n: index) {
  // expected-error @below {{'result' is memref<?x2xf32, strided<[64, 1]>>, expected memref<?x2xf32>}}
  %0 = memref.expand_shape %a [[0, 1]] output_shape [%n, 2] : memref<?xf32> into memref<?x2xf32, strided<[64, 1]>>
  func.return
}

// -----

func.func @f(%a: memref<8xf32>) {
  // expected-error @below {{'output_shape' has 4 for dimension 0 of memref<2x4xf32>}}
  %0 = memref.expand_shape %a [[0, 1]] output_shape [4, 2] : memref<8xf32> into memref<2x4xf32>
  func.return
}

// -----

func.func @f(%a: memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>) {
  // expected-error @below {{'source' is memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>, whose layout is not strided}}
  %0 = memref.transpose %a (i, j) -> (j, i) : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>> to memref<8x8xf32, strided<[8, 1]>>
  func.return
}

// -----

func.func @f(%a: memref<8x8xf32>) {
  // expected-error @below {{'permutation' is (d0, d1)[s0] -> (d1, d0), it has to permute 2 dimensions}}
  %0 = "memref.transpose"(%a) <{permutation = affine_map<(d0, d1)[s0] -> (d1, d0)>}> : (memref<8x8xf32>) -> memref<8x8xf32, strided<[1, 8]>>
  func.return
}
