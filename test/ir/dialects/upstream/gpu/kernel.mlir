// Modules, functions, their attributions, and the ids of work-items.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt --allow-unregistered-dialect | xetile-opt | FileCheck %s %}

// CHECK: gpu.module @kernels attributes {foo = 1 : i32} {
gpu.module @kernels attributes {foo = 1 : i32} {
  // CHECK: gpu.func @gemm(%{{[a-zA-Z0-9_#]+}}: memref<4096x4096xf16> {llvm.noalias}, %{{[a-zA-Z0-9_#]+}}: i32) workgroup(%{{[a-zA-Z0-9_#]+}} : memref<32xf32, #gpu.address_space<workgroup>>, %{{[a-zA-Z0-9_#]+}} : memref<32xf32, #gpu.address_space<workgroup>>) private(%{{[a-zA-Z0-9_#]+}} : memref<1xf32, #gpu.address_space<private>> {foo}) kernel attributes {VectorComputeFunctionINTEL, intel_reqd_sub_group_size = 16 : i32, known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>, xetile.level = "workgroup"} {
  gpu.func @gemm(%arg0: memref<4096x4096xf16> {llvm.noalias}, %arg1: i32) workgroup(%arg2 : memref<32xf32, #gpu.address_space<workgroup>>, %arg3 : memref<32xf32, #gpu.address_space<workgroup>>) private(%arg4 : memref<1xf32, #gpu.address_space<private>> {foo}) kernel attributes {VectorComputeFunctionINTEL, intel_reqd_sub_group_size = 16 : i32, known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>, xetile.level = "workgroup"} {
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
    // CHECK: gpu.subgroup_size upper_bound 4 {a} : index
    %3 = gpu.subgroup_size upper_bound 4 {a} : index
    // CHECK: gpu.num_subgroups upper_bound 4 : index
    %4 = gpu.num_subgroups upper_bound 4 : index
    // CHECK: gpu.num_subgroups : index
    %5 = gpu.num_subgroups : index
    // CHECK: gpu.lane_id
    %6 = gpu.lane_id
    // CHECK: gpu.lane_id upper_bound 16 {b}
    %7 = gpu.lane_id upper_bound 16 {b}
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
    // CHECK: gpu.barrier {foo}
    gpu.barrier {foo}
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
    // CHECK: gpu.return {a} %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32, f32
    gpu.return {a} %arg0, %arg0 : f32, f32
  }
  // CHECK: gpu.func @dev3(%{{[a-zA-Z0-9_#]+}}: f32) -> (f32 {foo.x}) {
  gpu.func @dev3(%arg0: f32) -> (f32 {foo.x}) {
    // CHECK: gpu.return %{{[a-zA-Z0-9_#]+}} : f32
    gpu.return %arg0 : f32
  }
}
// CHECK: gpu.module @m3 {
gpu.module @m3 {
}
// CHECK: gpu.module @m4<#gpu.select_object<0 : i64>> {
gpu.module @m4<#gpu.select_object<0 : i64>> {
}
