// RUN: xetile-opt --convert-xevm-to-llvm --split-input-file --verify-diagnostics %s | FileCheck %s

// Atomic ops of LLVM mean the same at L.

gpu.module @m {
  // CHECK-LABEL: llvm.func @k
  // CHECK: llvm.atomicrmw add %p, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.atomicrmw fmax %{{.*}}, %x syncscope("workgroup") monotonic : !llvm.ptr<3>, f32
  // CHECK: %[[PAIR:.*]] = llvm.cmpxchg %p, %{{.*}}, %{{.*}} syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i64
  // CHECK: llvm.extractvalue %[[PAIR]][0] : !llvm.struct<(i64, i1)>
  // CHECK: llvm.extractvalue %[[PAIR]][1] : !llvm.struct<(i64, i1)>
  gpu.func @k(%p: !llvm.ptr<1>, %x: f32, %l: i64) workgroup(%s: memref<16xf32, 3>) kernel {
    %c1 = arith.constant 1 : i32
    %old = llvm.atomicrmw add %p, %c1 syncscope("device") monotonic : !llvm.ptr<1>, i32
    %i = memref.extract_aligned_pointer_as_index %s : memref<16xf32, 3> -> index
    %a = arith.index_cast %i : index to i64
    %q = llvm.inttoptr %a : i64 to !llvm.ptr<3>
    %most = llvm.atomicrmw fmax %q, %x syncscope("workgroup") monotonic : !llvm.ptr<3>, f32
    %pair = llvm.cmpxchg %p, %l, %l syncscope("device") acq_rel monotonic : !llvm.ptr<1>, i64
    %found = llvm.extractvalue %pair[0] : !llvm.struct<(i64, i1)>
    %stored = llvm.extractvalue %pair[1] : !llvm.struct<(i64, i1)>
    %value = arith.select %stored, %found, %l : i64
    llvm.store %value, %p : i64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%p: !llvm.ptr<1>, %x: i16) kernel {
    // expected-error@+1 {{'llvm.atomicrmw' on i16 has no lowering to LLVM IR; expected an integer of 32 or 64 bits, or a float}}
    %old = llvm.atomicrmw add %p, %x monotonic : !llvm.ptr<1>, i16
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%p: !llvm.ptr<1>, %x: i16) kernel {
    // expected-error@+1 {{'llvm.cmpxchg' on i16 has no lowering to LLVM IR; expected an integer of 32 or 64 bits}}
    %old = llvm.cmpxchg %p, %x, %x monotonic monotonic : !llvm.ptr<1>, i16
    gpu.return
  }
}
