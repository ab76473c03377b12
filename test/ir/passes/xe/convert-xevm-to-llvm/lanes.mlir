// RUN: xetile-opt --convert-xevm-to-llvm --split-input-file --verify-diagnostics %s | FileCheck %s

// What lanes of a subgroup do together: OpenCL's functions, a register at a time; bf16 and the like as integers.

gpu.module @m {
  // CHECK-LABEL: llvm.func @shuffles
  // CHECK: llvm.call @_Z21sub_group_shuffle_xorfj(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
  // CHECK: llvm.call @_Z19sub_group_broadcastDhj(%{{.*}}, %{{.*}}) : (f16, i32) -> f16
  // CHECK: llvm.call @_Z19sub_group_broadcastDhj
  // CHECK: llvm.call @_Z17sub_group_shufflelj
  // CHECK: llvm.zext %{{.*}} : i1 to i8
  // CHECK: llvm.call @_Z20sub_group_shuffle_upcj
  gpu.func @shuffles(%out: !llvm.ptr<1>, %n: i32, %f: f32, %l: i64) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c3 = arith.constant 3 : i32
    %c16 = arith.constant 16 : i32
    %a, %0 = gpu.shuffle xor %f, %c3, %c16 : f32
    %h = arith.constant dense<[1.0, 2.0]> : vector<2xf16>
    %b, %1 = gpu.shuffle idx %h, %c3, %c16 : vector<2xf16>
    %c, %ok = gpu.shuffle idx %l, %n, %c16 : i64
    %d, %2 = gpu.shuffle up %ok, %c3, %c16 : i1
    llvm.store %a, %out : f32, !llvm.ptr<1>
    llvm.store %b, %out : vector<2xf16>, !llvm.ptr<1>
    llvm.store %c, %out : i64, !llvm.ptr<1>
    %e = arith.extui %d : i1 to i32
    llvm.store %e, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // A subgroup's slice of the workgroup's memory: rows of all lanes, words of one lane, and waiting in between.
  // CHECK: llvm.mlir.global internal @slices_shared() {addr_space = 3 : i32, alignment = 64 : i64} : !llvm.array<2048 x i8>
  // CHECK-LABEL: llvm.func @slices
  // CHECK-SAME: shared_memory = 2048 : i64
  // CHECK: %[[P:.*]] = llvm.mlir.addressof @slices_shared : !llvm.ptr<3>
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[P]][%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK: llvm.call @__builtin_IB_simd_block_write_8_local(%[[AT]], %{{.*}}) : (!llvm.ptr<3>, vector<8xi32>) -> ()
  // CHECK: llvm.call @_Z22__spirv_ControlBarrierjjj(%[[SCOPE:.*]], %[[SCOPE]], %{{.*}}) : (i32, i32, i32) -> ()
  // CHECK: llvm.load %[[AT]] : !llvm.ptr<3> -> vector<8xi32>
  // CHECK: llvm.call @__builtin_IB_simd_block_read_4_local_h(%[[AT]]) : (!llvm.ptr<3>) -> vector<4xi16>
  // CHECK: llvm.call @__builtin_IB_simd_block_read_1_global_l(%{{.*}}) : (!llvm.ptr<1>) -> i64
  gpu.func @slices(%out: !llvm.ptr<1>) workgroup(%shared: memref<2048xi8, 3>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %index = memref.extract_aligned_pointer_as_index %shared : memref<2048xi8, 3> -> index
    %number = arith.index_cast %index : index to i64
    %start = llvm.inttoptr %number : i64 to !llvm.ptr<3>
    %subgroup = gpu.subgroup_id : index
    %c1024 = arith.constant 1024 : index
    %offset = arith.muli %subgroup, %c1024 : index
    %bytes = arith.index_cast %offset : index to i32
    %at = llvm.getelementptr %start[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %v = arith.constant dense<1> : vector<8xi32>
    xevm.blockstore %at, %v : (!llvm.ptr<3>, vector<8xi32>)
    spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
    %w = llvm.load %at : !llvm.ptr<3> -> vector<8xi32>
    llvm.store %w, %out : vector<8xi32>, !llvm.ptr<1>
    %h = xevm.blockload %at : (!llvm.ptr<3>) -> vector<4xi16>
    llvm.store %h, %out : vector<4xi16>, !llvm.ptr<1>
    %l = xevm.blockload %out : (!llvm.ptr<1>) -> i64
    llvm.store %l, %out : i64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @width(%out: !llvm.ptr<1>, %f: f32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c8 = arith.constant 8 : i32
    // expected-error @below {{'width' is 8; expected 16, the lanes of a subgroup}}
    %a, %0 = gpu.shuffle xor %f, %c8, %c8 : f32
    llvm.store %a, %out : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @scope() kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    // expected-error @below {{a barrier of scope CrossDevice with Workgroup and AcquireRelease has no lowering to LLVM IR}}
    spirv.ControlBarrier <CrossDevice>, <Workgroup>, <AcquireRelease>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @space(%i: i64) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %p = llvm.inttoptr %i : i64 to !llvm.ptr<4>
    // expected-error @below {{the pointer is to address space 4; expected 1 (global) or 3 (local)}}
    %l = xevm.blockload %p : (!llvm.ptr<4>) -> i64
    gpu.return
  }
}

// -----

// Integers over all lanes, of at least 32 bits.

gpu.module @m {
  // CHECK-LABEL: llvm.func @reduced
  // CHECK: llvm.call @_Z20sub_group_reduce_addi(%{{.*}}) : (i32) -> i32
  // CHECK: llvm.call @_Z20sub_group_reduce_maxm(%{{.*}}) : (i64) -> i64
  // CHECK: %[[WIDE:.*]] = llvm.sext %{{.*}} : i8 to i32
  // CHECK: %[[LEAST:.*]] = llvm.call @_Z20sub_group_reduce_mini(%[[WIDE]]) : (i32) -> i32
  // CHECK: llvm.trunc %[[LEAST]] : i32 to i8
  // CHECK: llvm.zext %{{.*}} : i16 to i32
  // CHECK: llvm.call @_Z20sub_group_reduce_minj
  gpu.func @reduced(%out: !llvm.ptr<1>, %i: i32, %l: i64) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %byte = arith.trunci %i : i32 to i8
    %short = arith.trunci %i : i32 to i16
    %a = gpu.subgroup_reduce add %i uniform : (i32) -> i32
    %b = gpu.subgroup_reduce maxui %l : (i64) -> i64
    %c = gpu.subgroup_reduce minsi %byte : (i8) -> i8
    %d = gpu.subgroup_reduce minui %short : (i16) -> i16
    llvm.store %a, %out : i32, !llvm.ptr<1>
    llvm.store %b, %out : i64, !llvm.ptr<1>
    llvm.store %c, %out : i8, !llvm.ptr<1>
    llvm.store %d, %out : i16, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @floats(%out: !llvm.ptr<1>, %f: f32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    // expected-error @below {{f32 over lanes is reduced in an order that nothing says, and other bits come of it; expected integers, or gpu.shuffle xor by 8, ..., 1 with an op after each}}
    %a = gpu.subgroup_reduce add %f : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @kinds(%out: !llvm.ptr<1>, %i: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    // expected-error @below {{a reduction by 'xor' has no function of OpenCL; expected add, minsi, maxsi, minui, maxui of all lanes, or gpu.shuffle xor}}
    %a = gpu.subgroup_reduce xor %i : (i32) -> i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @clusters(%out: !llvm.ptr<1>, %i: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    // expected-error @below {{a reduction of clusters of lanes has no function of OpenCL; expected add, minsi, maxsi, minui, maxui of all lanes, or gpu.shuffle xor}}
    %a = gpu.subgroup_reduce add %i cluster(size = 4) : (i32) -> i32
    gpu.return
  }
}
