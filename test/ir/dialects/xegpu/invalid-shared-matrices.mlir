// Matrices in shared local memory: one error per chunk; mlir-opt refuses every one of them too.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%m: memref<4096xi8>) {
  // expected-error @below {{operand 'source' is memref<4096xi8>, expected a static memref of rank 1 or 2 in shared local memory (3 or #gpu.address_space<workgroup>)}}
  %0 = xegpu.create_mem_desc %m : memref<4096xi8> -> !xegpu.mem_desc<32x64xf16>
  return
}

// -----

func.func @f(%m: memref<2048xi8, 3>) {
  // expected-error @below {{'source' has 16384 bits, !xegpu.mem_desc<32x64xf16> 32768, must be equal}}
  %0 = xegpu.create_mem_desc %m : memref<2048xi8, 3> -> !xegpu.mem_desc<32x64xf16>
  return
}

// -----

func.func @f(%m: memref<?xi8, 3>) {
  // expected-error @below {{operand 'source' is memref<?xi8, 3 : i64>, expected a static memref of rank 1 or 2 in shared local memory (3 or #gpu.address_space<workgroup>)}}
  %0 = xegpu.create_mem_desc %m : memref<?xi8, 3> -> !xegpu.mem_desc<32x64xf16>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16>, %i: index) {
  // expected-error @below {{'res' has elements of f32, the mem_desc of f16}}
  %0 = xegpu.load_matrix %d[%i, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<8x16xf32>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16>, %i: index) {
  // expected-error @below {{'res' has shape [64, 16], must not exceed [32, 64]}}
  %0 = xegpu.load_matrix %d[%i, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<64x16xf16>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16>, %i: index) {
  // expected-error @below {{'res' is f16, must be a vector with 'subgroup_block_io'}}
  %0 = xegpu.load_matrix %d[%i, 0] <{subgroup_block_io}>: !xegpu.mem_desc<32x64xf16>, index -> f16
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<64xf16>, %i: index) {
  // expected-error @below {{'mem_desc' is !xegpu.mem_desc<64xf16>, must have rank 2 where 'res' is a vector}}
  %0 = xegpu.load_matrix %d[%i] : !xegpu.mem_desc<64xf16>, index -> vector<8xf16>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = [1, 32]>>) {
  // expected-error @below {{'mem_desc' is !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = [1 : i64, 32 : i64]>>, must be row-major with 'subgroup_block_io'}}
  %0 = xegpu.load_matrix %d[0, 0] <{subgroup_block_io}>: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<stride = [1, 32]>> -> vector<8xf16>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16>) {
  // expected-error @below {{'layout' has lane_data [2, 1], all but the last entry must be 1 with 'subgroup_block_io'}}
  %0 = xegpu.load_matrix %d[0, 0] <{subgroup_block_io, layout = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>}>: !xegpu.mem_desc<32x64xf16> -> vector<8x16xf16>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16>) {
  // expected-error @below {{'layout' has lane_layout [1, 16], must be the block of the mem_desc, [32, 64], with 'subgroup_block_io'}}
  %0 = xegpu.load_matrix %d[0, 0] <{subgroup_block_io, layout = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>}>: !xegpu.mem_desc<32x64xf16> -> vector<8x16xf16>
  return
}

// -----

func.func @f(%d: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16, 1], stride = [32, 1]>>) {
  // expected-error @below {{'layout' distributes a dimension of stride 32, must be 1 with 'subgroup_block_io'}}
  %0 = xegpu.load_matrix %d[0, 0] <{subgroup_block_io, layout = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 1]>}>: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16, 1], stride = [32, 1]>> -> vector<16x1xf16>
  return
}

// -----

// expected-note @below {{defined here as i32}}
func.func @f(%d: !xegpu.mem_desc<32x64xf16>, %i: i32) {
  // expected-error @below {{%i is used as index here, it is defined as i32}}
  %0 = xegpu.load_matrix %d[%i, 0] : !xegpu.mem_desc<32x64xf16>, i32 -> vector<8x16xf16>
  return
}

// -----

func.func @f(%v: vector<8x16xf32>, %d: !xegpu.mem_desc<32x64xf16>) {
  // expected-error @below {{'data' has elements of f32, the mem_desc of f16}}
  xegpu.store_matrix %v, %d[0, 0] : vector<8x16xf32>, !xegpu.mem_desc<32x64xf16>
  return
}

// -----

func.func @f(%v: vector<64x16xf16>, %d: !xegpu.mem_desc<32x64xf16>) {
  // expected-error @below {{'data' has shape [64, 16], must not exceed [32, 64]}}
  xegpu.store_matrix %v, %d[0, 0] : vector<64x16xf16>, !xegpu.mem_desc<32x64xf16>
  return
}

// -----

func.func @f(%v: f16, %d: !xegpu.mem_desc<32x64xf16>) {
  // expected-error @below {{'data' is f16, must be a vector with 'subgroup_block_io'}}
  xegpu.store_matrix %v, %d[0, 0] <{subgroup_block_io}>: f16, !xegpu.mem_desc<32x64xf16>
  return
}
