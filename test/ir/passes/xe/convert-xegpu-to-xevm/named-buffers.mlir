// A variable of the module in shared memory is a buffer of each workgroup, planned with the others; by whichever name.
//
// RUN: xetile-opt --split-input-file --verify-diagnostics --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// CHECK-LABEL: gpu.func @twice
// CHECK-SAME: workgroup(%[[ALL:.*]] : memref<1152xi8, 3 : i64>)
// CHECK: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[ALL]][%[[FIRST]]][] : memref<1152xi8, 3 : i64> to memref<256xf32, 3 : i64>
// CHECK: memref.view %[[ALL]][%{{.*}}][] : memref<1152xi8, 3 : i64> to memref<32xf32, 3 : i64>
// CHECK: memref.view %[[ALL]][%[[FIRST]]][] : memref<1152xi8, 3 : i64> to memref<256xf32, 3 : i64>
// CHECK-NOT: get_global
gpu.module @m {
  memref.global "private" @buffer : memref<256xf32, 3>
  gpu.func @twice(%A: memref<4xf32>, %x: f32, %i: index) kernel {
    %b = memref.get_global @buffer : memref<256xf32, 3>
    %o = memref.alloc() : memref<32xf32, 3>
    memref.store %x, %b[%i] : memref<256xf32, 3>
    memref.store %x, %o[%i] : memref<32xf32, 3>
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    gpu.barrier
    %again = memref.get_global @buffer : memref<256xf32, 3>
    %v = memref.load %again[%i] : memref<256xf32, 3>
    %w = memref.load %o[%i] : memref<32xf32, 3>
    %s = arith.addf %v, %w : f32
    memref.store %s, %A[%i] : memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  memref.global "private" @table : memref<4xf32, 3> = dense<1.0>
  gpu.func @with_a_value(%A: memref<4xf32>, %i: index) kernel {
    // expected-error @below {{the memref.global 'table' has a value; shared memory has none when a kernel begins, expected 'uninitialized'}}
    %b = memref.get_global @table : memref<4xf32, 3>
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    %v = memref.load %b[%i] : memref<4xf32, 3>
    memref.store %v, %A[%i] : memref<4xf32>
    gpu.return
  }
}
