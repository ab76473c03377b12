// One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'dest' is memref<8x?xf32>, which is not compatible with memref<16x32xf32>}}
  %0 = memref.cast %a : memref<16x32xf32> to memref<8x?xf32>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'dest' is memref<?x?xf32, strided<[64, 1], offset: ?>>, which is not compatible with memref<16x32xf32>}}
  %0 = memref.cast %a : memref<16x32xf32> to memref<?x?xf32, strided<[64, 1], offset: ?>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'dest' is memref<16x?xf32, #gpu.address_space<workgroup>>, it may differ from memref<16x32xf32> in the memory space only}}
  %0 = memref.memory_space_cast %a : memref<16x32xf32> to memref<16x?xf32, #gpu.address_space<workgroup>>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>, %b: memref<16x32xf16>) {
  // expected-error @below {{'target' is memref<16x32xf16>, it has to hold elements of memref<16x32xf32>}}
  memref.copy %a, %b : memref<16x32xf32> to memref<16x32xf16>
  func.return
}

// -----

func.func @f(%a: memref<16x32xf32>) {
  // expected-error @below {{'result' is memref<32x16xf32, strided<[1, 16]>>, the transposed is memref<32x16xf32, strided<[1, 32]>>}}
  %0 = memref.transpose %a (i, j) -> (j, i) : memref<16x32xf32> to memref<32x16xf32, strided<[1, 16]>>
  func.return
}

// -----

func.func @f(%a: memref<16xf32>, %x: f32, %i: index) {
  // expected-error @below {{'kind' is addi, which does not combine f32}}
  %0 = memref.atomic_rmw addi %x, %a[%i] : (f32, memref<16xf32>) -> f32
  func.return
}

// -----

// expected-error @below {{'initial_value' is dense<1.000000e+00> : tensor<2xf32>, it has to be a constant of tensor<3xf32>}}
"memref.global"() <{sym_name = "g", type = memref<3xf32>, initial_value = dense<1.0> : tensor<2xf32>}> : () -> ()
