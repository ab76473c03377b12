// What the work-items of a workgroup or subgroup do together.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt --allow-unregistered-dialect | xetile-opt | FileCheck %s %}

// CHECK: gpu.module @kernels attributes {foo = 1 : i32} {
gpu.module @kernels attributes {foo = 1 : i32} {
  // CHECK: gpu.func @gemm(%{{[a-zA-Z0-9_#]+}}: memref<4096x4096xf16> {llvm.noalias}, %{{[a-zA-Z0-9_#]+}}: i32) workgroup(%{{[a-zA-Z0-9_#]+}} : memref<32xf32, #gpu.address_space<workgroup>>, %{{[a-zA-Z0-9_#]+}} : memref<32xf32, #gpu.address_space<workgroup>>) private(%{{[a-zA-Z0-9_#]+}} : memref<1xf32, #gpu.address_space<private>>) kernel attributes {VectorComputeFunctionINTEL, intel_reqd_sub_group_size = 16 : i32, known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>, xetile.level = "workgroup"} {
  gpu.func @gemm(%arg0: memref<4096x4096xf16> {llvm.noalias}, %arg1: i32) workgroup(%arg2 : memref<32xf32, #gpu.address_space<workgroup>>, %arg3 : memref<32xf32, #gpu.address_space<workgroup>>) private(%arg4 : memref<1xf32, #gpu.address_space<private>>) kernel attributes {VectorComputeFunctionINTEL, intel_reqd_sub_group_size = 16 : i32, known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>, xetile.level = "workgroup"} {
    // CHECK: gpu.block_id  x
    %block_id_x = gpu.block_id  x
    // CHECK: gpu.block_id  y upper_bound 64
    %block_id_y = gpu.block_id  y upper_bound 64
    // CHECK: gpu.thread_id  x
    %thread_id_x = gpu.thread_id  x
    // CHECK: gpu.block_dim  x
    %block_dim_x = gpu.block_dim  x
    // CHECK: gpu.grid_dim  z
    %grid_dim_z = gpu.grid_dim  z
    // CHECK: gpu.global_id  x upper_bound 64 {foo}
    %global_id_x = gpu.global_id  x upper_bound 64 {foo}
    // CHECK: gpu.subgroup_id : index
    %0 = gpu.subgroup_id : index
    // CHECK: gpu.subgroup_id upper_bound 4 : index
    %1 = gpu.subgroup_id upper_bound 4 : index
    // CHECK: gpu.subgroup_size : index
    %2 = gpu.subgroup_size : index
    // CHECK: gpu.subgroup_size upper_bound 4 : index
    %3 = gpu.subgroup_size upper_bound 4 : index
    // CHECK: gpu.num_subgroups upper_bound 4 : index
    %4 = gpu.num_subgroups upper_bound 4 : index
    // CHECK: gpu.num_subgroups : index
    %5 = gpu.num_subgroups : index
    // CHECK: gpu.lane_id
    %6 = gpu.lane_id
    // CHECK: gpu.lane_id upper_bound 16
    %7 = gpu.lane_id upper_bound 16
    // CHECK: gpu.cluster_id  x
    %cluster_id_x = gpu.cluster_id  x
    // CHECK: gpu.cluster_dim  x
    %cluster_dim_x = gpu.cluster_dim  x
    // CHECK: gpu.cluster_dim_blocks  x
    %cluster_dim_blocks_x = gpu.cluster_dim_blocks  x
    // CHECK: gpu.cluster_block_id  x
    %cluster_block_id_x = gpu.cluster_block_id  x
    // CHECK: gpu.barrier
    gpu.barrier
    // CHECK: arith.constant 1.000000e+00 : f32
    %cst = arith.constant 1.000000e+00 : f32
    // CHECK: gpu.printf "Hello %{{[a-zA-Z0-9_#]+}}", %{{[a-zA-Z0-9_#]+}} : i32
    gpu.printf "Hello %d", %arg1 : i32
    // CHECK: gpu.printf "Hello"
    gpu.printf "Hello"
    // CHECK: arith.constant 16 : i32
    %c16_i32 = arith.constant 16 : i32
    // CHECK: gpu.shuffle  xor %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32
    %shuffleResult, %valid = gpu.shuffle  xor %cst, %arg1, %c16_i32 : f32
    // CHECK: gpu.shuffle  idx %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32
    %shuffleResult_0, %valid_1 = gpu.shuffle  idx %cst, %arg1, %c16_i32 : f32
    // CHECK: gpu.shuffle  up %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32
    %shuffleResult_2, %valid_3 = gpu.shuffle  up %cst, %arg1, %c16_i32 : f32
    // CHECK: gpu.shuffle  down %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32
    %shuffleResult_4, %valid_5 = gpu.shuffle  down %cst, %arg1, %c16_i32 : f32
    // CHECK: gpu.rotate %{{[a-zA-Z0-9_#]+}}, 3, 16 : f32
    %rotateResult, %valid_6 = gpu.rotate %cst, 3, 16 : f32
    // CHECK: gpu.all_reduce  add %{{[a-zA-Z0-9_#]+}} {
    %8 = gpu.all_reduce  add %cst {
    // CHECK: } : (f32) -> f32
    } : (f32) -> f32
    // CHECK: gpu.all_reduce  add %{{[a-zA-Z0-9_#]+}} uniform {
    %9 = gpu.all_reduce  add %cst uniform {
    // CHECK: } : (f32) -> f32
    } : (f32) -> f32
    // CHECK: gpu.all_reduce  %{{[a-zA-Z0-9_#]+}} {
    %10 = gpu.all_reduce  %cst {
    ^bb0(%arg5: f32, %arg6: f32):
      // CHECK: arith.addf %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32
      %18 = arith.addf %arg5, %arg6 : f32
      // CHECK: gpu.yield %{{[a-zA-Z0-9_#]+}} : f32
      gpu.yield %18 : f32
    // CHECK: } : (f32) -> f32
    } : (f32) -> f32
    // CHECK: gpu.subgroup_reduce  add %{{[a-zA-Z0-9_#]+}} : (f32) -> f32
    %11 = gpu.subgroup_reduce  add %cst : (f32) -> f32
    // CHECK: gpu.subgroup_reduce  maximumf %{{[a-zA-Z0-9_#]+}} uniform : (f32) -> f32
    %12 = gpu.subgroup_reduce  maximumf %cst uniform : (f32) -> f32
    // CHECK: gpu.subgroup_reduce  add %{{[a-zA-Z0-9_#]+}} cluster(size = 4) : (f32) -> f32
    %13 = gpu.subgroup_reduce  add %cst cluster(size = 4) : (f32) -> f32
    // CHECK: gpu.subgroup_reduce  add %{{[a-zA-Z0-9_#]+}} uniform cluster(size = 4, stride = 2) {foo} : (f32) -> f32
    %14 = gpu.subgroup_reduce  add %cst uniform cluster(size = 4, stride = 2) {foo} : (f32) -> f32
    // CHECK: gpu.subgroup_broadcast %{{[a-zA-Z0-9_#]+}},  first_active_lane : f32
    %15 = gpu.subgroup_broadcast %cst,  first_active_lane : f32
    // CHECK: gpu.subgroup_broadcast %{{[a-zA-Z0-9_#]+}},  specific_lane %{{[a-zA-Z0-9_#]+}} : f32
    %16 = gpu.subgroup_broadcast %cst,  specific_lane %arg1 : f32
    // CHECK: gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %17 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // CHECK: gpu.return
    gpu.return
  }
  // CHECK: gpu.func @dev(%{{[a-zA-Z0-9_#]+}}: f32) -> f32 {
  gpu.func @dev(%arg0: f32) -> f32 {
    // CHECK: gpu.return %{{[a-zA-Z0-9_#]+}} : f32
    gpu.return %arg0 : f32
  }
  // CHECK: gpu.func @dev2(%{{[a-zA-Z0-9_#]+}}: f32) -> (f32, f32) {
  gpu.func @dev2(%arg0: f32) -> (f32, f32) {
    // CHECK: gpu.return %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32, f32
    gpu.return %arg0, %arg0 : f32, f32
  }
}
