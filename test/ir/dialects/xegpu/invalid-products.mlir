// Products, layouts, fences, barriers: one error per chunk; mlir-opt refuses every one of them too.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: vector<8x16xf16>, %b: vector<16x16xbf16>) {
  // expected-error @below {{'lhs' has elements of f16, 'rhs' of bf16, must be equal}}
  %0 = xegpu.dpas %a, %b : vector<8x16xf16>, vector<16x16xbf16> -> vector<8x16xf32>
  return
}

// -----

func.func @f(%a: vector<8x16xf16>, %b: vector<8x16xf16>) {
  // expected-error @below {{k is 16 in 'lhs' and 8 in 'rhs', must be equal}}
  %0 = xegpu.dpas %a, %b : vector<8x16xf16>, vector<8x16xf16> -> vector<8x16xf32>
  return
}

// -----

func.func @f(%a: vector<8x16xf16>, %b: vector<16x16xf16>) {
  // expected-error @below {{m is 8 in 'lhs' and 4 in the result, must be equal}}
  %0 = xegpu.dpas %a, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<4x16xf32>
  return
}

// -----

func.func @f(%a: vector<8x16xf16>, %b: vector<16x16xf16>) {
  // expected-error @below {{n is 16 in 'rhs' and 8 in the result, must be equal}}
  %0 = xegpu.dpas %a, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x8xf32>
  return
}

// -----

func.func @f(%a: vector<8x16xf16>, %b: vector<16x16xf16>, %c: vector<8x16xf16>) {
  // expected-error @below {{'acc' is vector<8x16xf16>, must be as the result, vector<8x16xf32>}}
  %0 = xegpu.dpas %a, %b, %c : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf16> -> vector<8x16xf32>
  return
}

// -----

func.func @f(%a: vector<8x16xf16>, %b: vector<16xf16>) {
  // expected-error @below {{'lhs', 'rhs' and result have ranks 2, 1 and 2, must be 2, 2 or 3 (packed), and 2}}
  %0 = xegpu.dpas %a, %b : vector<8x16xf16>, vector<16xf16> -> vector<8x16xf32>
  return
}

// -----

func.func @f(%a: vector<8xf16>, %b: vector<7xf16>) {
  // expected-error @below {{'rhs' has 7 elements of f16, must be a multiple of 2}}
  %0 = xegpu.dpas %a, %b : vector<8xf16>, vector<7xf16> -> vector<8xf32>
  return
}

// -----

func.func @f(%a: vector<8xf64>, %b: vector<16xf64>) {
  // expected-error @below {{'rhs' has elements of f64, at most 32 bits fit its units}}
  %0 = xegpu.dpas %a, %b : vector<8xf64>, vector<16xf64> -> vector<8xf32>
  return
}

// -----

func.func @f(%a: vector<8x16xf8E4M3FN>, %b: vector<16x16xf8E4M3FN>) {
  // expected-error @below {{operand 'lhs' is vector<8x16xf8E4M3FN>, expected a vector of rank 1 or 2 or 3 of i1, i4, i8, i16, i32, i64, f16, bf16, tf32, f32 or f64}}
  %0 = xegpu.dpas %a, %b : vector<8x16xf8E4M3FN>, vector<16x16xf8E4M3FN> -> vector<8x16xf32>
  return
}

// -----

func.func @f(%v: vector<32x64xf16>) {
  // expected-error @below {{'input_layout' and 'target_layout' must both have sg_layout, or neither}}
  %0 = xegpu.convert_layout %v <{input_layout = #xegpu.layout<sg_layout = [4, 4], sg_data = [8, 16]>, target_layout = #xegpu.layout<inst_data = [8, 16]>}> : vector<32x64xf16>
  return
}

// -----

func.func @f(%v: vector<32x64xf16>) {
  // expected-error @below {{'input_layout' is #xegpu.layout<inst_data = [5, 16]>, does not distribute [32, 64] evenly}}
  %0 = xegpu.convert_layout %v <{input_layout = #xegpu.layout<inst_data = [5, 16]>, target_layout = #xegpu.layout<inst_data = [8, 16]>}> : vector<32x64xf16>
  return
}

// -----

func.func @f(%v: vector<32x64xf16>) {
  // expected-error @below {{'target_layout' is #xegpu.layout<inst_data = [8, 5]>, does not distribute [32, 64] evenly}}
  %0 = xegpu.convert_layout %v <{input_layout = #xegpu.layout<inst_data = [8, 16]>, target_layout = #xegpu.layout<inst_data = [8, 5]>}> : vector<32x64xf16>
  return
}

// -----

func.func @f(%v: vector<32x64xf16>) {
  // expected-error @below {{'source' is vector<32x64xf16>, must be as the result, vector<32x64xf32>}}
  %0 = "xegpu.convert_layout"(%v) <{input_layout = #xegpu.layout<inst_data = [8, 16]>, target_layout = #xegpu.layout<inst_data = [8, 16]>}> : (vector<32x64xf16>) -> vector<32x64xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected one of global, slm, found 'local'; did you mean 'slm'?}}
  xegpu.fence memory_kind = local, fence_scope = gpu
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected one of workgroup, gpu, found 'device'}}
  xegpu.fence memory_kind = slm, fence_scope = device
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error @below {{'xegpu.init_nbarrier' has i32 where i8 is expected}}
  %0 = xegpu.init_nbarrier %i, %i : i32, i32 -> !xegpu.nbarrier
  return
}
