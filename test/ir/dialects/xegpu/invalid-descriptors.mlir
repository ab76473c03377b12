// Descriptors of blocks: one error per chunk; mlir-opt refuses every one of them too.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%A: memref<64x64xf16>) {
  // expected-error @below {{'TensorDesc' has elements of f32, the source of f16}}
  %0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

func.func @f(%A: memref<64x64xf16>, %i: index) {
  // expected-error @below {{'offsets' has 1 entries, the source has rank 2}}
  %0 = xegpu.create_nd_tdesc %A[%i] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%A: memref<64x64xf16>, %i: index) {
  // expected-error @below {{'strides' has 1 entries, the source has rank 2}}
  %0 = xegpu.create_nd_tdesc %A, shape : [%i, 16], strides : [1] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%A: memref<64xf16>) {
  // expected-error @below {{'TensorDesc' has rank 2, the source only 1}}
  %0 = xegpu.create_nd_tdesc %A : memref<64xf16> -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%p: i64) {
  // expected-error @below {{'shape' and 'strides' are missing, a source of i64 needs them}}
  %0 = xegpu.create_nd_tdesc %p : i64 -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%A: memref<64x64xf16, 3>) {
  // expected-error @below {{'source' is in memory space 3, !xegpu.tensor_desc<8x16xf16> describes memory space 0}}
  %0 = xegpu.create_nd_tdesc %A : memref<64x64xf16, 3> -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%A: memref<64xf32>) {
  // expected-error @below {{'source' is in memory space 0, !xegpu.tensor_desc<16xf32, #xegpu.block_tdesc_attr<memory_space = slm>> describes memory space 3}}
  %0 = xegpu.create_nd_tdesc %A : memref<64xf32> -> !xegpu.tensor_desc<16xf32, #xegpu.block_tdesc_attr<memory_space = slm>>
  return
}

// -----

func.func @f(%A: memref<64xf32>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, must not be scattered}}
  %0 = xegpu.create_nd_tdesc %A : memref<64xf32> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%p: si64) {
  // expected-error @below {{operand 'source' is si64, expected a memref or an address (i32, ui32, i64, ui64)}}
  %0 = xegpu.create_nd_tdesc %p, shape : [64, 64], strides : [64, 1] : si64 -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%p: i16) {
  // expected-error @below {{operand 'source' is i16, expected a memref or an address (i32, ui32, i64, ui64)}}
  %0 = xegpu.create_nd_tdesc %p, shape : [64, 64], strides : [64, 1] : i16 -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%p: tensor<64x64xf16>) {
  // expected-error @below {{operand 'source' is tensor<64x64xf16>, expected a memref or an address (i32, ui32, i64, ui64)}}
  %0 = xegpu.create_nd_tdesc %p : tensor<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%A: memref<64x64xf16>) {
  // expected-error @below {{expected a list of values or integers}}
  %0 = xegpu.create_nd_tdesc %A[] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%A: memref<64x64xf16>) {
  // expected-error @below {{'const_offsets' has 1 dynamic entries and 0 values}}
  %0 = "xegpu.create_nd_tdesc"(%A) <{const_offsets = array<i64: -9223372036854775808, 0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (memref<64x64xf16>) -> !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %i: index) {
  // expected-error @below {{'offsets' has 1 entries, !xegpu.tensor_desc<8x16xf16> has rank 2}}
  %0 = xegpu.update_nd_offset %t, [%i] : !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %i: index) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, must not be scattered}}
  %0 = xegpu.update_nd_offset %t, [%i] : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'result' is !xegpu.tensor_desc<8x16xf32>, must be as the operand, !xegpu.tensor_desc<8x16xf16>}}
  %0 = "xegpu.update_nd_offset"(%t) <{const_offsets = array<i64: 0, 16>}> : (!xegpu.tensor_desc<8x16xf16>) -> !xegpu.tensor_desc<8x16xf32>
  return
}
