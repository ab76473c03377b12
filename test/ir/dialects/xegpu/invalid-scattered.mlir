// Gathers, scatters and atomics: one error per chunk; mlir-opt refuses every one of them too.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<16xf32>, must be scattered}}
  %0 = xegpu.create_tdesc %m, %o : memref<1024xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>) {
  // expected-error @below {{'TensorDesc' has shape [8], expected [16] from the offsets}}
  %0 = xegpu.create_tdesc %m, %o : memref<1024xf32>, vector<16xindex> -> !xegpu.tensor_desc<8xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>) {
  // expected-error @below {{'source' is in memory space 0, !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<memory_space = slm>> describes memory space 3}}
  %0 = xegpu.create_tdesc %m, %o : memref<1024xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<memory_space = slm>>
  return
}

// -----

func.func @f(%m: memref<32x32xf32>, %o: vector<16xindex>) {
  // expected-error @below {{memref<32x32xf32> must be a memref of rank 1 or an address (i32, ui32, i64, ui64)}}
  %0 = xegpu.create_tdesc %m, %o : memref<32x32xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xi32>) {
  // expected-error @below {{vector<16xi32> must be a vector of index}}
  %0 = xegpu.create_tdesc %m, %o : memref<1024xf32>, vector<16xi32> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>, %o: vector<16xindex>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<8x16xf16>, must be scattered}}
  %0 = xegpu.update_offset %t, %o : !xegpu.tensor_desc<8x16xf16>, vector<16xindex>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %o: vector<8xindex>) {
  // expected-error @below {{'offsets' has shape [8], expected [16] from !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>}}
  %0 = xegpu.update_offset %t, %o : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<8xindex>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %o: vector<16xindex>) {
  // expected-error @below {{'result' is !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>, must be as the operand, !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>}}
  %0 = "xegpu.update_offset"(%t, %o) : (!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xindex>) -> !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>
  return
}

// -----

func.func @f(%p: i64, %o: vector<16xindex>) {
  // expected-error @below {{'offset_align_byte' is missing, a source of i64 needs it}}
  xegpu.prefetch %p[%o] : i64, vector<16xindex>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>) {
  // expected-error @below {{'offset_align_byte' is given, a source of memref<1024xf32> takes none}}
  xegpu.prefetch %m[%o] <{offset_align_byte = 4 : i64}> : memref<1024xf32>, vector<16xindex>
  return
}

// -----

func.func @f(%m: memref<1024xf32>) {
  // expected-error @below {{'offsets' are missing, a base of memref<1024xf32> needs them}}
  xegpu.prefetch %m : memref<1024xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %o: vector<16xindex>) {
  // expected-error @below {{'offsets' are given, a tensor_desc carries its own}}
  xegpu.prefetch %t[%o] : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xindex>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // expected-error @below {{'TensorDesc' is !xegpu.tensor_desc<8x16xf16>, must be scattered}}
  xegpu.prefetch %t : !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>) {
  // expected-error @below {{'l1_hint' is write_back, legal here are cached, uncached, streaming, read_invalidate}}
  xegpu.prefetch %t <{l1_hint = #xegpu.cache_hint<write_back>}> : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %k: vector<16xi1>) {
  // expected-error @below {{'offsets' are missing, a base of memref<1024xf32> needs them}}
  %0 = xegpu.load %m, %k : memref<1024xf32>, vector<16xi1> -> vector<16xf32>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>, %k: vector<16xi1>) {
  // expected-error @below {{'value' has elements of f16, the memref of f32}}
  %0 = xegpu.load %m[%o], %k : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf16>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>, %k: vector<16xi1>) {
  // expected-error @below {{'mask' is vector<16xi1>, expected shape [8] from vector<8xf32> with 'chunk_size' 1}}
  %0 = xegpu.load %m[%o], %k : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<8xf32>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>, %k: vector<16xi1>) {
  // expected-error @below {{'value' has 4 elements, expected 'chunk_size', 8}}
  %0 = xegpu.load %m[%o], %k <{chunk_size = 8 : i64}> : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>, %k: i1) {
  // expected-error @below {{'mask' is i1, must be a vector as the offsets are}}
  %0 = xegpu.load %m[%o], %k : memref<1024xf32>, vector<16xindex>, i1 -> vector<16xf32>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>, %k: vector<16xi1>) {
  // expected-error @below {{'value' is f32, a scalar takes a scalar offset and mask and 'chunk_size' 1, not vector<16xindex>, vector<16xi1> and 1}}
  %0 = xegpu.load %m[%o], %k : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> f32
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: index, %k: i1) {
  // expected-error @below {{'value' has 4 elements, expected 'chunk_size', 8, for one lane}}
  %0 = xegpu.load %m[%o], %k <{chunk_size = 8 : i64}> : memref<1024xf32>, index, i1 -> vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<1024xf32>, %o: vector<16xindex>, %k: vector<16xi32>) {
  // expected-error @below {{operand 'mask' is vector<16xi32>, expected a vector of i1 or i1}}
  %0 = xegpu.load %m[%o], %k : memref<1024xf32>, vector<16xindex>, vector<16xi32> -> vector<16xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<8xi1>) {
  // expected-error @below {{'mask' is vector<8xi1>, expected shape [16] from !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>}}
  %0 = xegpu.load %t, %k : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<8xi1> -> vector<16xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<16xi1>) {
  // expected-error @below {{'value' has shape [8], expected [16] or one lane's [1]}}
  %0 = xegpu.load %t, %k : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1> -> vector<8xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<16xi1>) {
  // expected-error @below {{'value' is f32, must be a vector with a tensor_desc}}
  %0 = xegpu.load %t, %k : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1> -> f32
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<16xi1>) {
  // expected-error @below {{'value' has elements of f16, the descriptor of f32}}
  %0 = xegpu.load %t, %k : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1> -> vector<16xf16>
  return
}

// -----

func.func @f(%v: vector<16xf32>, %m: memref<1024xf32>, %o: vector<16xindex>, %k: vector<16xi1>) {
  // expected-error @below {{'l1_hint' is read_invalidate, legal here are cached, uncached, write_back, write_through}}
  xegpu.store %v, %m[%o], %k <{l1_hint = #xegpu.cache_hint<read_invalidate>}> : vector<16xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
  return
}

// -----

func.func @f(%v: vector<16xf16>, %m: memref<1024xf32>, %o: vector<16xindex>, %k: vector<16xi1>) {
  // expected-error @below {{'value' has elements of f16, the memref of f32}}
  xegpu.store %v, %m[%o], %k : vector<16xf16>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
  return
}

// -----

func.func @f(%v: vector<16xf32>, %m: memref<1024xf32>, %k: vector<16xi1>) {
  // expected-error @below {{'offsets' are missing, a base of memref<1024xf32> needs them}}
  xegpu.store %v, %m, %k : vector<16xf32>, memref<1024xf32>, vector<16xi1>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<16xi1>, %v: vector<16xf16>) {
  // expected-error @below {{'value' has elements of f16, the descriptor of f32}}
  %0 = xegpu.atomic_rmw addf %t, %k, %v : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf16> -> vector<16xf16>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<16xi1>, %v: vector<8xf32>) {
  // expected-error @below {{'value' has shape [8], the descriptor [16]}}
  %0 = xegpu.atomic_rmw addf %t, %k, %v : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<8xf32> -> vector<8xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<16xi1>, %v: vector<16xf32>) {
  // expected-error @below {{kind is 'swap', it has to be one of addf, addi, andi, assign, maximumf, maxnumf, maxs, maxu, minimumf, minnumf, mins, minu, mulf, muli, ori, xori}}
  %0 = xegpu.atomic_rmw swap %t, %k, %v : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
  return
}

// -----

func.func @f(%t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %k: vector<16xi1>, %v: vector<16xf32>) {
  // expected-error @below {{'kind' is 99, must be from 0 to 15}}
  %0 = "xegpu.atomic_rmw"(%t, %k, %v) <{kind = 99 : i64}> : (!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
  return
}
