// Loads, stores and prefetches of blocks: one error per chunk; mlir-opt refuses every one of them too.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %i: index) {
  // expected-error @below {{'offsets' has 1 entries, !xegpu.tensor_desc<8x16xf16> has rank 2}}
  xegpu.prefetch_nd %t[%i] : !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'l1_hint' is write_back, legal here are cached, uncached, streaming, read_invalidate}}
  xegpu.prefetch_nd %t <{l1_hint = #xegpu.cache_hint<write_back>}> : !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{expected one of cached, uncached, streaming, read_invalidate, write_back, write_through, found 'often'}}
  xegpu.prefetch_nd %t <{l1_hint = #xegpu.cache_hint<often>}> : !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, must not be scattered}}
  xegpu.prefetch_nd %t : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %i: index) {
  // expected-error @below {{'offsets' has 1 entries, !xegpu.tensor_desc<8x16xf16> has rank 2}}
  %0 = xegpu.load_nd %t[%i] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'value' has shape [16, 8], expected [8, 16] from !xegpu.tensor_desc<8x16xf16>}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<8x16xf16> -> vector<16x8xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'value' has elements of f32, the descriptor of f16}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'value' has 7 elements, no even share of the 128 of !xegpu.tensor_desc<8x16xf16>}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<8x16xf16> -> vector<7xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'l2_hint' is write_through, legal here are cached, uncached, streaming, read_invalidate}}
  %0 = xegpu.load_nd %t <{l2_hint = #xegpu.cache_hint<write_through>}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'transpose' has 1 entries, the descriptor has rank 2}}
  %0 = xegpu.load_nd %t <{transpose = array<i64: 0>}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'value' has shape [8, 16], expected [4, 16, 2] from !xegpu.tensor_desc<8x16xf16>}}
  %0 = xegpu.load_nd %t <{packed}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, must not be scattered}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>> -> vector<16xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<4x8x16xf16>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<4x8x16xf16>, must have rank 1 or 2}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<4x8x16xf16> -> vector<4x8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>>, must have no layout where 'value' is one lane's share}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>> -> vector<8xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>) {
  // expected-error @below {{'value' has shape [8, 32], expected [2, 8, 16] from !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<8x32xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{result 'value' is f16, expected a vector of i1, i4, i8, i16, i32, i64, f16, bf16, tf32, f32 or f64}}
  %0 = xegpu.load_nd %t : !xegpu.tensor_desc<8x16xf16> -> f16
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %v: vector<16x16xf16>, %i: index) {
  // expected-error @below {{'value' has shape [16, 16], expected [8, 16] from !xegpu.tensor_desc<8x16xf16>}}
  xegpu.store_nd %v, %t[%i, %i] : vector<16x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %v: vector<8x16xf32>, %i: index) {
  // expected-error @below {{'value' has elements of f32, the descriptor of f16}}
  xegpu.store_nd %v, %t[%i, %i] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %v: vector<8x16xf16>, %i: index) {
  // expected-error @below {{'offsets' has 1 entries, !xegpu.tensor_desc<8x16xf16> has rank 2}}
  xegpu.store_nd %v, %t[%i] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %v: vector<8x16xf16>) {
  // expected-error @below {{'l1_hint' is streaming, legal here are cached, uncached, write_back, write_through}}
  xegpu.store_nd %v, %t <{l1_hint = #xegpu.cache_hint<streaming>}> : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %v: vector<7xf16>) {
  // expected-error @below {{'value' has 7 elements, no even share of the 128 of !xegpu.tensor_desc<8x16xf16>}}
  xegpu.store_nd %v, %t : vector<7xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>, %v: vector<8x16xf16>) {
  // expected-error @below {{'TensorDesc' has array_length 2, a store takes 1}}
  xegpu.store_nd %v, %t : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %v: vector<16xf32>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, must not be scattered}}
  xegpu.store_nd %v, %t : vector<16xf32>, !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<2x2x2xf16>, %v: vector<2x2x2xf16>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<2x2x2xf16>, must have rank 1 or 2}}
  xegpu.store_nd %v, %t : vector<2x2x2xf16>, !xegpu.tensor_desc<2x2x2xf16>
  return
}
