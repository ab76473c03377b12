// Layouts of matrices in shared memory that mlir-opt takes without a word, and that are none of their elements.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{mem_layout has the entry 'strides', expected one of block, stride}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<strides = [64, 1]>>) {
  return
}

// -----

// expected-error @below {{mem_layout has stride = [64 : i64], expected 2 integers above 0}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = [64]>>) {
  return
}

// -----

// expected-error @below {{mem_layout has stride = 64 : i64, expected 2 integers above 0}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = 64>>) {
  return
}

// -----

// expected-error @below {{mem_layout has stride = [64 : i64, 0 : i64], expected 2 integers above 0}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = [64, 0]>>) {
  return
}

// -----

// expected-error @below {{mem_layout puts the last element at 2295, past the 2048 elements of the mem_desc; give it the rows or columns of the padding too}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = [72, 1]>>) {
  return
}

// -----

// expected-error @below {{mem_layout has blocks [16, 24], must divide the shape [32, 64]}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16, 24]>>) {
  return
}

// -----

// expected-error @below {{mem_layout has blocks and the strides [64, 2], one of them must be 1}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16, 16], stride = [64, 2]>>) {
  return
}

// -----

func.func @f(%m: memref<64xi8, 3>) {
  // expected-error @below {{!xegpu.mem_desc<16x32xi1> has bytes of i1, 'source' i8; expected i8 in both}}
  %0 = xegpu.create_mem_desc %m : memref<64xi8, 3> -> !xegpu.mem_desc<16x32xi1>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16>) {
  // expected-error @below {{'offsets' has 0 entries, !xegpu.mem_desc<32x64xf16> has rank 2}}
  %0 = xegpu.load_matrix %d[] : !xegpu.mem_desc<32x64xf16> -> vector<8x16xf16>
  return
}

// -----

func.func @f(%p: i64, %o: vector<16xindex>, %m: vector<16xi1>) {
  // expected-error @below {{'chunk_size' is 0, must be at least 1}}
  %0 = xegpu.load %p[%o], %m <{chunk_size = 0 : i64}> : i64, vector<16xindex>, vector<16xi1> -> vector<16xf32>
  return
}
