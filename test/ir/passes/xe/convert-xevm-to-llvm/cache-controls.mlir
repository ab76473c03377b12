// Accesses of lanes with a cache control are IGC's functions with an option; words below 32 bits come in 32.
//
// RUN: xetile-opt --split-input-file --verify-diagnostics --convert-xevm-to-llvm %s | FileCheck %s

// CHECK-LABEL: llvm.func @controls
// CHECK-DAG: %[[BOTH:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-DAG: %[[BACK:.*]] = llvm.mlir.constant(7 : i32)
// CHECK-DAG: %[[FAR:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.call @__builtin_IB_lsc_prefetch_global_uchar(%[[P:.*]], %[[ZERO]], %[[BOTH]])
// CHECK: llvm.call @__builtin_IB_lsc_prefetch_global_uchar(%[[P]], %[[ZERO]], %[[FAR]])
// CHECK: %[[WORD:.*]] = llvm.call @__builtin_IB_lsc_load_global_ushort_to_uint(%[[P]], %[[ZERO]], %[[FAR]])
// CHECK: %[[HALF:.*]] = llvm.trunc %[[WORD]] : i32 to i16
// CHECK: %[[WIDE:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK: llvm.call @__builtin_IB_lsc_store_global_ushort_from_uint(%{{.*}}, %[[ZERO]], %[[WIDE]], %[[BACK]])
// CHECK: %[[FOUR:.*]] = llvm.call @__builtin_IB_lsc_load_global_uint4(
// CHECK: llvm.bitcast %[[FOUR]] : vector<4xi32> to vector<4xf32>
// CHECK: llvm.call @__builtin_IB_lsc_load_global_ulong2(
gpu.module @m {
  gpu.func @controls(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    xevm.prefetch %p : (!llvm.ptr<1>)
    xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3c>}> : (!llvm.ptr<1>)
    %h = llvm.load %p {cache_control = #xevm.load_cache_control<L1uc_L2uc_L3c>} : !llvm.ptr<1> -> f16
    llvm.store %h, %q {cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>} : f16, !llvm.ptr<1>
    %f = llvm.load %p {cache_control = #xevm.load_cache_control<L1uc_L2uc_L3c>, alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.store %f, %q : vector<4xf32>, !llvm.ptr<1>
    %l = llvm.load %p {cache_control = #xevm.load_cache_control<L1uc_L2uc_L3c>} : !llvm.ptr<1> -> vector<2xi64>
    llvm.store %l, %q : vector<2xi64>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Where no message has one, the access is made without, and the user told.
// CHECK-LABEL: llvm.func @without
// CHECK: llvm.load %{{.*}} -> vector<2xi8>
gpu.module @m {
  gpu.func @without(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    // expected-warning @below {{'llvm.load' of vector<2xi8> at !llvm.ptr<1> has no message with a cache control; it is made without}}
    %v = llvm.load %p {cache_control = #xevm.load_cache_control<L1uc_L2uc_L3c>} : !llvm.ptr<1> -> vector<2xi8>
    // expected-warning @below {{'llvm.store' of vector<2xi8> at !llvm.ptr<1> has no message with a cache control; it is made without}}
    llvm.store %v, %q {cache_control = #xevm.store_cache_control<L1uc_L2uc_L3uc>} : vector<2xi8>, !llvm.ptr<1>
    gpu.return
  }
}
