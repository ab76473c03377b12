// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// What a subgroup does once its first lane does: prints, atomics, stores of scalars.

// CHECK-LABEL: gpu.func @once
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[LANE:.*]] = gpu.lane_id
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %[[ZERO]] : index
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT:   gpu.printf "%d", %i : index
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK-NEXT:   memref.atomic_rmw addf %one, %A[%i, %i]
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK-NEXT:   vector.print %i : index
// CHECK-NEXT: }
gpu.module @m {
  gpu.func @once(%A: memref<64x64xf32>) kernel {
    %one = arith.constant 1.0 : f32
    %i = gpu.subgroup_id : index
    gpu.printf "%d", %i : index
    %old = memref.atomic_rmw addf %one, %A[%i, %i] : (f32, memref<64x64xf32>) -> f32
    vector.print %i : index
    %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.prefetch_nd %t[%i, %i] : !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// -----

// A function that does nothing of the kind may be called by every lane.
// CHECK-LABEL: func.func @caller
// CHECK: func.call @next
gpu.module @m {
  func.func @next(%i: index) -> index {
    %n = arith.addi %i, %i : index
    func.return %n : index
  }
  func.func @caller(%A: memref<64x64xf32>, %i: index) {
    %j = func.call @next(%i) : (index) -> index
    %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.prefetch_nd %t[%j, %i] : !xegpu.tensor_desc<8x16xf32>
    func.return
  }
}

// -----

// A scalar is stored once, but in memory that every lane has of its own.
// CHECK-LABEL: gpu.func @stored
// CHECK: %[[P:.*]] = memref.alloca
// CHECK-NEXT: memref.store %one, %[[P]]
// CHECK: %[[V:.*]] = memref.load %A
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT:   memref.store %[[V]], %A
// CHECK-NEXT: }
gpu.module @m {
  gpu.func @stored(%A: memref<64x64xf32>) kernel {
    %one = arith.constant 1.0 : f32
    %i = gpu.subgroup_id : index
    %own = memref.alloca() : memref<64xf32>
    memref.store %one, %own[%i] : memref<64xf32>
    %v = memref.load %A[%i, %i] : memref<64x64xf32>
    memref.store %v, %A[%i, %i] : memref<64x64xf32>
    %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    xegpu.prefetch_nd %t[%i, %i] : !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
