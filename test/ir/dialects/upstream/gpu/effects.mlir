// RUN: xetile-opt %s --cse --dce | FileCheck %s
// RUN: xetile-opt %s --licm | FileCheck %s --check-prefix=LICM

// Ids are computed once and only where they are used; barriers and what they order stay.
// CHECK-LABEL: @kernel
// CHECK-COUNT-1: gpu.block_id
// CHECK-NOT: gpu.thread_id
// CHECK-COUNT-1: arith.remui
// CHECK: gpu.barrier
// CHECK-NEXT: memref.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load

// LICM-LABEL: @kernel
// LICM: scf.for
// LICM-NEXT: gpu.shuffle
// LICM-NEXT: gpu.barrier
// LICM-NEXT: memref.load
gpu.module @m {
  gpu.func @kernel(%m: memref<16xf32>, %out: memref<16xf32>) kernel {
    %x = gpu.block_id x
    %y = gpu.block_id x
    %t = gpu.thread_id x
    %s = gpu.subgroup_id : index
    %c4 = arith.constant 4 : index
    %r = arith.remui %s, %c4 : index
    %q = arith.remui %s, %c4 : index
    %unused = arith.remui %x, %c4 : index
    gpu.barrier
    %0 = memref.load %m[%x] : memref<16xf32>
    gpu.barrier
    %1 = memref.load %m[%y] : memref<16xf32>
    memref.store %0, %out[%r] : memref<16xf32>
    memref.store %1, %out[%q] : memref<16xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = arith.constant 1 : i32
    %w = arith.constant 16 : i32
    scf.for %k = %c0 to %c4 step %c1 {
      %lane = gpu.lane_id
      %v, %valid = gpu.shuffle xor %0, %i, %w : f32
      gpu.barrier
      %2 = memref.load %out[%lane] : memref<16xf32>
      %3 = arith.addf %2, %v : f32
      memref.store %3, %out[%lane] : memref<16xf32>
    }
    gpu.return
  }
}
