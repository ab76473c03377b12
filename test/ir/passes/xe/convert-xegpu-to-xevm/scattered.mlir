// Scattered accesses: what neighbours in memory are to each other decides which registers a lane moves together.
//
// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// Rows of 8 neighbours: one message, at the lane's row behind what all lanes have in common; no vector of offsets.
// CHECK-LABEL: gpu.func @rows
// CHECK: %[[ROW:.*]] = arith.shli %{{.*}}, %c3 : index
// CHECK-NOT: vector<{{.*}}index>
// CHECK: %[[BYTES:.*]] = arith.muli %i, %c4 : index
// CHECK: %[[STEP:.*]] = arith.index_cast %[[BYTES]] : index to i64
// CHECK: %[[COMMON:.*]] = llvm.getelementptr %{{.*}}[%[[STEP]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: %[[OWN:.*]] = arith.muli %[[ROW]], %c4 : index
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[COMMON]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: llvm.load %[[AT]] {alignment = 4 : i64} : !llvm.ptr<1> -> vector<8xi32>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<8xi32>, !llvm.ptr<1>
gpu.module @m {
  gpu.func @rows(%A: memref<1024xf32>, %B: memref<1024xf32>, %i: index) kernel {
    %s = vector.step : vector<16xindex>
    %c8 = arith.constant dense<8> : vector<16xindex>
    %r = arith.muli %s, %c8 : vector<16xindex>
    %own = vector.broadcast %i : index to vector<16xindex>
    %o = arith.addi %r, %own : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %v = xegpu.load %A[%o], %m <{chunk_size = 8 : i64}> : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16x8xf32>
    xegpu.store %v, %B[%o], %m <{chunk_size = 8 : i64}> : vector<16x8xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}

// -----

// A lane that is masked off loads zeros that the module owns; it stores nothing.
// CHECK: llvm.mlir.global internal constant @xetile_zeros
// CHECK-LABEL: gpu.func @masked
// CHECK: %[[MASK:.*]] = vector.extract %{{.*}}[0] : i1 from vector<1xi1>
// CHECK: %[[AT:.*]] = arith.select %[[MASK]], %{{.*}}, %{{.*}} : !llvm.ptr<1>
// CHECK: llvm.load %[[AT]] : !llvm.ptr<1> -> i16
// CHECK: scf.if
// CHECK-NEXT: llvm.store
// CHECK-NEXT: }
gpu.module @m {
  gpu.func @masked(%A: memref<?xbf16>, %B: i64, %n: index) kernel {
    %o = vector.step : vector<16xindex>
    %m = vector.create_mask %n : vector<16xi1>
    %v = xegpu.load %A[%o], %m : memref<?xbf16>, vector<16xindex>, vector<16xi1> -> vector<16xbf16>
    xegpu.store %v, %B[%o], %m : vector<16xbf16>, i64, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}

// -----

// Rows that are found in memory: a lane reads where its row begins, and 8 neighbours from there.
// CHECK-LABEL: gpu.func @found
// CHECK-COUNT-1: llvm.load {{.*}} -> i64
// CHECK: llvm.load {{.*}} -> vector<8xi32>
gpu.module @m {
  gpu.func @found(%I: memref<16xi64>, %A: memref<1024xf32>, %B: memref<1024xf32>) kernel {
    %s = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %i = xegpu.load %I[%s], %m : memref<16xi64>, vector<16xindex>, vector<16xi1> -> vector<16xi64>
    %o = arith.index_cast %i : vector<16xi64> to vector<16xindex>
    %v = xegpu.load %A[%o], %m <{chunk_size = 8 : i64}> : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16x8xf32>
    %c8 = arith.constant dense<8> : vector<16xindex>
    %r = arith.muli %s, %c8 : vector<16xindex>
    xegpu.store %v, %B[%r], %m <{chunk_size = 8 : i64}> : vector<16x8xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}

// -----

// In shared memory 16 lanes with neighbouring words are one block message.
// CHECK-LABEL: gpu.func @blocks
// CHECK: xevm.blockstore %{{.*}}, %{{.*}} : (!llvm.ptr<3>, vector<8xi32>)
// CHECK: xevm.blockload %{{.*}} : (!llvm.ptr<3>) -> vector<8xi32>
gpu.module @m {
  gpu.func @blocks(%A: memref<64x64xf32>) workgroup(%S : memref<128xf32, 3>) kernel {
    %c0 = arith.constant 0 : index
    %d = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %s = vector.step : vector<128xindex>
    %o = vector.shape_cast %s : vector<128xindex> to vector<8x16xindex>
    %m = arith.constant dense<true> : vector<8x16xi1>
    xegpu.store %v, %S[%o], %m : vector<8x16xf32>, memref<128xf32, 3>, vector<8x16xindex>, vector<8x16xi1>
    %w = xegpu.load %S[%o], %m : memref<128xf32, 3>, vector<8x16xindex>, vector<8x16xi1> -> vector<8x16xf32>
    xegpu.store_nd %w, %d[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// -----

// Descriptors have the offsets: what moves them is added, and what a loop carries is in registers. A prefetch
// asks for the cache line where each lane's chunk begins.
// CHECK-LABEL: gpu.func @descriptors
// CHECK-COUNT-1: xevm.prefetch %{{.*}} : (!llvm.ptr<1>)
// CHECK-NOT: xevm.prefetch
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<8xi32>
gpu.module @m {
  gpu.func @descriptors(%A: memref<1024xf32>, %B: memref<1024xf32>, %n: index) kernel {
    %s = vector.step : vector<16xindex>
    %c8 = arith.constant dense<8> : vector<16xindex>
    %o = arith.muli %s, %c8 : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %ns = vector.broadcast %n : index to vector<16xindex>
    %d = xegpu.create_tdesc %A, %o : memref<1024xf32>, vector<16xindex> -> !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>
    %e = xegpu.update_offset %d, %ns : !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>, vector<16xindex>
    xegpu.prefetch %e : !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>
    %v = xegpu.load %e, %m : !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>, vector<16xi1> -> vector<16x8xf32>
    xegpu.store %v, %B[%o], %m <{chunk_size = 8 : i64}> : vector<16x8xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}

// -----

// What an access asks of the caches becomes an attribute of LLVM's ops, a property of xevm's. Levels without a hint are
// uncached.
// CHECK-LABEL: gpu.func @hints
// CHECK-COUNT-2: xevm.prefetch %{{.*}} <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3c>}> : (!llvm.ptr<1>)
// CHECK-NOT: xevm.prefetch
// CHECK: %[[ZEROS:.*]] = arith.select
// CHECK: llvm.load %[[ZEROS]] {cache_control = #xevm.load_cache_control<L1s_L2uc_L3c>, alignment = 4 : i64} : !llvm.ptr<1> -> vector<8xi32>
// CHECK: llvm.store %{{.*}}, %{{.*}} {cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>, alignment = 4 : i64} : vector<8xi32>, !llvm.ptr<1>
gpu.module @m {
  gpu.func @hints(%A: memref<1024xf32>, %B: i64, %n: index) kernel {
    %s = vector.step : vector<16xindex>
    %c8 = arith.constant dense<8> : vector<16xindex>
    %o = arith.muli %s, %c8 : vector<16xindex>
    %m = vector.create_mask %n : vector<16xi1>
    xegpu.prefetch %A[%o] <{l3_hint = #xegpu.cache_hint<cached>}> : memref<1024xf32>, vector<16xindex>
    xegpu.prefetch %B[%n] <{l3_hint = #xegpu.cache_hint<cached>, offset_align_byte = 4 : i64}> : i64, index
    %v = xegpu.load %A[%o], %m <{chunk_size = 8 : i64, l1_hint = #xegpu.cache_hint<streaming>, l3_hint = #xegpu.cache_hint<cached>}> : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16x8xf32>
    xegpu.store %v, %B[%o], %m <{chunk_size = 8 : i64, l1_hint = #xegpu.cache_hint<write_back>, l3_hint = #xegpu.cache_hint<write_back>}> : vector<16x8xf32>, i64, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}
