// RUN: xetile-opt --convert-xegpu-to-xevm=device=bmg %s | FileCheck %s

// A named barrier of all subgroups is the workgroup's; fences keep their scope and memory.

gpu.module @m {
  // CHECK-LABEL: gpu.func @named
  // CHECK-NOT: nbarrier
  // CHECK: memref.store
  // CHECK: gpu.barrier
  // CHECK: memref.load
  // CHECK-NOT: gpu.barrier
  gpu.func @named(%a: memref<4xf32>, %o: memref<4xf32>) workgroup(%s: memref<4xf32, 3>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    xegpu.alloc_nbarrier 1
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i8
    %four = arith.constant 4 : i8
    %b = xegpu.init_nbarrier %zero, %four : i8, i8 -> !xegpu.nbarrier
    %me = gpu.subgroup_id : index
    %v = memref.load %a[%me] : memref<4xf32>
    memref.store %v, %s[%me] : memref<4xf32, 3>
    xegpu.nbarrier_arrive %b : !xegpu.nbarrier
    %other = arith.xori %me, %c3 : index
    xegpu.nbarrier_wait %b : !xegpu.nbarrier
    %w = memref.load %s[%other] : memref<4xf32, 3>
    memref.store %w, %o[%me] : memref<4xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @fences
  // CHECK: xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>
  // CHECK: xevm.memfence <{addrspace = #xevm.addr_space<global>, scope = #xevm.mem_scope<device>}>
  // CHECK: xevm.memfence <{addrspace = #xevm.addr_space<global>, scope = #xevm.mem_scope<workgroup>}>
  gpu.func @fences() kernel {
    xegpu.fence memory_kind = slm, fence_scope = workgroup
    xegpu.fence memory_kind = global, fence_scope = gpu
    xegpu.fence memory_kind = global, fence_scope = workgroup
    gpu.return
  }
}
