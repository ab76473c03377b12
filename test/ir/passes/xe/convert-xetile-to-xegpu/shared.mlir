// RUN: xetile-opt --xetile-blocking=device=bmg --convert-xetile-to-xegpu=device=bmg --split-input-file %s | FileCheck %s

// A buffer is one matrix, however many tiles it has; its padding is more columns (more rows of a column-major one). What
// is only prefetched has no ops: shared memory has no caches.

// CHECK-LABEL: gpu.func @matrices
// CHECK: %[[A:.*]] = memref.alloc() : memref<32x64xf16, strided<[72, 1]>, 3 : i64>
// CHECK-NEXT: %[[L:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [2304], strides: [1] : {{.*}} to memref<2304xf16, 3 : i64>
// CHECK-NEXT: %[[M:.*]] = xegpu.create_mem_desc %[[L]] : {{.*}} -> !xegpu.mem_desc<32x72xf16>
// CHECK: %[[T:.*]] = memref.transpose %[[A]]
// CHECK: %[[N:.*]] = xegpu.create_mem_desc %{{.*}} : {{.*}} -> !xegpu.mem_desc<72x32xf16, #xegpu.mem_layout<stride = [1 : i64, 72 : i64]>>
// CHECK: xegpu.store_matrix %{{.*}}, %[[M]][%c0, %{{.*}}] : vector<8x16xf16>, !xegpu.mem_desc<32x72xf16>
// CHECK: gpu.barrier
// CHECK: xegpu.load_matrix %[[N]][16, 8] : {{.*}} -> vector<8x16xf16>
// CHECK: xegpu.load_matrix %[[M]][%n, %n_1] : {{.*}}, index, index -> vector<8x16xf16>
// CHECK-NOT: prefetch
gpu.module @m {
  gpu.func @matrices(%v: vector<8x32xf16>, %i: index, %A: memref<64x64xf16>) kernel {
    %memory = memref.alloc() : memref<32x64xf16, strided<[72, 1]>, 3>
    %turned = memref.transpose %memory (d0, d1) -> (d1, d0) : memref<32x64xf16, strided<[72, 1]>, 3> to memref<64x32xf16, strided<[1, 72]>, 3>
    %t = xetile.init_tile %memory[0, 0] : memref<32x64xf16, strided<[72, 1]>, 3> -> !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %v, %t : vector<8x32xf16>, !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    gpu.barrier
    %u = xetile.init_tile %turned[16, 8] : memref<64x32xf16, strided<[1, 72]>, 3> -> !xetile.tile<8x16xf16, #xetile.tile_attr<order = [0, 1], memory_space = 3>>
    %w = xetile.load_tile %u : !xetile.tile<8x16xf16, #xetile.tile_attr<order = [0, 1], memory_space = 3>> -> vector<8x16xf16>
    xetile.prefetch_tile %t : !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    %n = xetile.update_tile_offset %t, [%i, 32] : !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
    %x = xetile.load_tile %n : !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>> -> vector<8x32xf16>
    %o = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<8x32xf16>
    %p = xetile.init_tile %A[8, 0] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
    xetile.store_tile %x, %o : vector<8x32xf16>, !xetile.tile<8x32xf16>
    xetile.store_tile %w, %p : vector<8x16xf16>, !xetile.tile<8x16xf16>
    gpu.return
  }
}

// -----

// Slots of a buffer are more rows of one matrix.

// CHECK-LABEL: gpu.func @slots
// CHECK: %[[R:.*]] = memref.collapse_shape %memory {{.*}} : memref<2x32x64xf32, 3 : i64> into memref<4096xf32, 3 : i64>
// CHECK: %[[M:.*]] = xegpu.create_mem_desc %[[R]] : {{.*}} -> !xegpu.mem_desc<64x64xf32>
// CHECK: %[[ROW:.*]] = arith.muli %slot, %c32 : index
// CHECK: xegpu.store_matrix %{{.*}}, %[[M]][%[[ROW]], 16]
gpu.module @m {
  gpu.func @slots(%v: vector<8x16xf32>, %slot: index) kernel {
    %memory = memref.alloc() : memref<2x32x64xf32, 3>
    %t = xetile.init_tile %memory[%slot, 0, 16] : memref<2x32x64xf32, 3> -> !xetile.tile<8x16xf32, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32, #xetile.tile_attr<memory_space = 3>>
    gpu.return
  }
}

// -----

// What reaches out of its buffer goes by elements, with masks.

// CHECK-LABEL: gpu.func @outside
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<{{.*}}> : vector<2x4xindex>
// CHECK: %[[L:.*]] = memref.collapse_shape %memory {{\[\[}}0 : i64, 1 : i64]] : memref<8x8xf32, 3 : i64> into memref<64xf32, 3 : i64>
// CHECK: %[[IN:.*]] = arith.cmpi ult, {{.*}} : vector<2x4xindex>
// CHECK: %[[V:.*]] = xegpu.load %[[L]][%{{.*}}], %[[IN]]  : memref<64xf32, 3 : i64>, vector<2x4xindex>, vector<2x4xi1> -> vector<2x4xf32>
// CHECK: arith.select %[[IN]], %[[V]], %{{.*}} : vector<2x4xi1>, vector<2x4xf32>
// CHECK-NOT: create_mem_desc
gpu.module @m {
  gpu.func @outside(%A: memref<64x64xf32>) kernel {
    %memory = memref.alloc() : memref<8x8xf32, 3>
    %t = xetile.init_tile %memory[7, 0] : memref<8x8xf32, 3> -> !xetile.tile<2x4xf32, #xetile.tile_attr<memory_space = 3>>
    %v = xetile.load_tile %t {padding = 1.0} : !xetile.tile<2x4xf32, #xetile.tile_attr<memory_space = 3>> -> vector<2x4xf32>
    %o = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<2x4xf32>
    xetile.store_tile %v, %o : vector<2x4xf32>, !xetile.tile<2x4xf32>
    gpu.return
  }
}
