// Scattered accesses and tiles of matrices that no lane can do.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics --convert-xegpu-to-xevm="device=bmg"

func.func @scalar(%p: i64, %i: index, %m: i1) {
  // expected-error @below {{'xegpu.load' has f32, what one lane holds; expected XeGPU of one subgroup, an offset and a mask for each element or chunk}}
  %v = xegpu.load %p[%i], %m : i64, index, i1 -> f32
  return
}

// -----

func.func @nibbles(%A: memref<64xi4>) {
  %s = vector.step : vector<16xindex>
  %m = arith.constant dense<true> : vector<16xi1>
  // expected-error @below {{'xegpu.load' of i4 has several elements in a byte; expected i8}}
  %v = xegpu.load %A[%s], %m : memref<64xi4>, vector<16xindex>, vector<16xi1> -> vector<16xi4>
  return
}

// -----

func.func @twelve(%A: memref<64xf32>) {
  %s = vector.step : vector<12xindex>
  %m = arith.constant dense<true> : vector<12xi1>
  // expected-error @below {{'xegpu.load' has vector<12xindex>; expected extents that are powers of two, of which lanes can hold parts: instead of 12 take 8 and 4}}
  %v = xegpu.load %A[%s], %m : memref<64xf32>, vector<12xindex>, vector<12xi1> -> vector<12xf32>
  return
}

// -----

func.func @linear(%A: memref<64xf32, affine_map<(d0) -> (d0 floordiv 2)>>) {
  %s = vector.step : vector<16xindex>
  %m = arith.constant dense<true> : vector<16xi1>
  // expected-error @below {{'xegpu.load' counts from memref<64xf32, affine_map<(d0) -> ((d0 floordiv 2))>>; expected strides}}
  %v = xegpu.load %A[%s], %m : memref<64xf32, affine_map<(d0) -> (d0 floordiv 2)>>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
  return
}

// -----

func.func @of_a_lane(%S: memref<4096xi8, 3>, %n: index) {
  %m = xegpu.create_mem_desc %S : memref<4096xi8, 3> -> !xegpu.mem_desc<32x64xf16>
  // expected-error @below {{'xegpu.load_matrix' has vector<8xf16>, what one lane holds; expected XeGPU of one subgroup, rows and columns}}
  %v = xegpu.load_matrix %m[%n, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<8xf16>
  return
}

// -----

func.func @outside(%S: memref<4096xi8, 3>) {
  %c30 = arith.constant 30 : index
  %m = xegpu.create_mem_desc %S : memref<4096xi8, 3> -> !xegpu.mem_desc<32x64xf16>
  // expected-error @below {{'xegpu.load_matrix' covers indices 30 to 37 of dimension 0 of !xegpu.mem_desc<32x64xf16>; expected 0 to 31}}
  %v = xegpu.load_matrix %m[%c30, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<8x16xf16>
  return
}

// -----

func.func @nibble_matrix(%S: memref<4096xi8, 3>) {
  // expected-error @below {{'xegpu.create_mem_desc' of i4 has several elements in a byte; expected i8 and a vector.bitcast of what is loaded or stored}}
  %m = xegpu.create_mem_desc %S : memref<4096xi8, 3> -> !xegpu.mem_desc<128x64xi4>
  %v = xegpu.load_matrix %m[0, 0] : !xegpu.mem_desc<128x64xi4> -> vector<8x16xi4>
  return
}
