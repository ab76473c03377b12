// One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @below {{'function_type' of a kernel has results, it has to have none}}
  gpu.func @f(%a: i32) -> i32 kernel {
    gpu.return %a : i32
  }
}

// -----

gpu.module @m {
  // expected-error @below {{'known_block_size' is array<i32: 512, 1>, it has to be an i32 array with 3 elements; write it as in array<i32: 16, 1, 1>}}
  gpu.func @f() kernel attributes {known_block_size = array<i32: 512, 1>} {
    gpu.return
  }
}

// -----

// a list is no array, and would be ignored
gpu.module @m {
  // expected-error @below {{'known_grid_size' is [16 : i64, 1 : i64, 1 : i64], it has to be an i32 array with 3 elements; write it as in array<i32: 16, 1, 1>}}
  gpu.func @f() kernel attributes {known_grid_size = [16, 1, 1]} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{'workgroup' attribution memref<4xf32, #gpu.address_space<private>> is in memory space private}}
  gpu.func @f() workgroup(%w : memref<4xf32, #gpu.address_space<private>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{'private' attribution is i32, it has to be a memref}}
  gpu.func @f() private(%w : i32) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%a: i32) -> i32 {
    // expected-error @below {{'operands' are (), the function returns (i32)}}
    gpu.return
  }
}

// -----

// expected-error @below {{'gpu.func' expects parent op 'gpu.module'}}
gpu.func @f() kernel {
  gpu.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'width' is 15, it has to be a power of two}}
  %0, %1 = gpu.rotate %a, 3, 15 : f32
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'offset' is 16, it has to lie in [0, 16)}}
  %0, %1 = gpu.rotate %a, 16, 16 : f32
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'op' is and, which does not combine f32}}
  %0 = gpu.subgroup_reduce and %a : (f32) -> f32
  func.return
}

// -----

func.func @f(%a: i32) {
  // expected-error @below {{'op' is maximumf, which does not combine i32}}
  %0 = gpu.all_reduce maximumf %a {} : (i32) -> i32
  func.return
}

// -----

func.func @f(%a: i32) {
  // expected-error @below {{expected either an op attribute or a non-empty body}}
  %0 = gpu.all_reduce %a {} : (i32) -> i32
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'cluster_size' is 3, it has to be a power of two}}
  %0 = gpu.subgroup_reduce add %a cluster(size = 3) : (f32) -> f32
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'broadcast_type' is specific_lane, the op has no lane}}
  %0 = gpu.subgroup_broadcast %a, specific_lane : f32
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{'dynamicSizes' has 0 entries, memref<?xf32> has 1 dynamic extents}}
  %0 = gpu.alloc () : memref<?xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{result 'result' is i32, expected index}}
  %0 = gpu.subgroup_id : i32
  func.return
}
