// RUN: xetile-opt --xetile-blockop-fallback=device=bmg %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix TOLD < %t
// RUN: xetile-opt --xetile-blockop-fallback="device=bmg assume=gather" %s 2>/dev/null | FileCheck %s --check-prefix GATHER
// RUN: xetile-opt --xetile-blockop-fallback="device=bmg assume=check" %s 2>/dev/null | FileCheck %s --check-prefix TESTED
// RUN: not xetile-opt --xetile-blockop-fallback="device=bmg assume=blocks" %s 2>&1 | FileCheck %s --check-prefix WRONG

// WRONG: unknown assumption 'blocks'; expected block, check, gather

// Rows lie 200 bytes apart: the load becomes a gather from the corner of the tile, with the matrix's bounds as a mask;
// the prefetch goes; the store, to a matrix that messages reach, stays.

// CHECK-LABEL: gpu.func @pitch
// CHECK-DAG: %[[PLACES:.*]] = arith.constant dense<{{.*}}> : vector<8x16xindex>
// CHECK-DAG: %[[P:.*]] = memref.extract_aligned_pointer_as_index %A : memref<64x100xf16> -> index
// CHECK: %[[BASE:.*]] = arith.index_cast %[[P]] : index to i64
// CHECK: %[[U:.*]] = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
// CHECK: scf.for {{.*}} iter_args(%[[ROW:.*]] = %{{.*}}) -> (index) {
// CHECK: %[[CORNER:.*]] = arith.addi %[[BASE]], %{{.*}} : i64
// CHECK: %[[T:.*]] = xetile.init_tile %[[CORNER]], %[[PLACES]] : i64, vector<8x16xindex> -> !xetile.tile<8x16xf16, #xetile.tile_attr<scattered = true>>
// CHECK: %[[MASK:.*]] = vector.create_mask %{{.*}}, %{{.*}} : vector<8x16xi1>
// CHECK: %[[V:.*]] = xetile.load_gather %[[T]], %[[MASK]] {padding = 1.000000e+00 : f16, l1_hint = #xetile.cache_hint<cached>}
// CHECK: xetile.store_tile %[[V]], %[[U]]
// CHECK-NOT: xetile.prefetch_tile
// TOLD: basic.mlir:[[@LINE+6]]:{{.*}}: remark: gathers in place of 2D block loads and no prefetches: the matrix has a pitch of 200 bytes; 2D block access needs at least 64 and a multiple of 16
gpu.module @m {
  gpu.func @pitch(%A: memref<64x100xf16>, %B: memref<64x64xf16>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = xetile.init_tile %A[0, 0] : memref<64x100xf16> -> !xetile.tile<8x16xf16>
    %u = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (!xetile.tile<8x16xf16>) {
      %v = xetile.load_tile %a {padding = 1.0 : f16, l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<8x16xf16> -> vector<8x16xf16>
      xetile.prefetch_tile %a : !xetile.tile<8x16xf16>
      xetile.store_tile %v, %u : vector<8x16xf16>, !xetile.tile<8x16xf16>
      %next = xetile.update_tile_offset %a, [%c8, 0] : !xetile.tile<8x16xf16>
      scf.yield %next : !xetile.tile<8x16xf16>
    }
    gpu.return
  }

// A tile that is loaded and stored falls back in both ways; what lies in front of the matrix is masked off too.

// CHECK-LABEL: gpu.func @in_place
// CHECK: %[[BEFORE:.*]] = vector.create_mask %c8, %c3 : vector<8x16xi1>
// CHECK: %[[INSIDE:.*]] = arith.select %[[BEFORE]], %{{.*}}, %{{.*}} : vector<8x16xi1>, vector<8x16xi1>
// CHECK: %[[V:.*]] = xetile.load_gather %{{.*}}, %[[INSIDE]]
// CHECK: xetile.store_scatter %[[V]], %{{.*}}, %{{.*}} {l1_hint = #xetile.cache_hint<write_back>}
// TOLD: remark: gathers in place of 2D block loads and scatters in place of 2D block stores: the matrix has a column offset of -6 bytes
  gpu.func @in_place(%A: memref<64x64xf16>) kernel {
    %t = xetile.init_tile %A[0, -3] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    xetile.store_tile %v, %t {l1_hint = #xetile.cache_hint<write_back>} : vector<8x16xf16>, !xetile.tile<8x16xf16>
    gpu.return
  }

// What only running tells is as the option says: the host's to see to, gathered, or tested once.

// CHECK-LABEL: gpu.func @dynamic
// CHECK: xetile.load_tile
// CHECK: xetile.store_tile
// TOLD: remark: the height, width, pitch of this matrix are known at run time only; 2D block access needs a base that is
// GATHER-LABEL: gpu.func @dynamic
// GATHER: xetile.load_gather
// GATHER: xetile.store_scatter
// TESTED-LABEL: gpu.func @dynamic
// TESTED: %[[SUM:.*]] = arith.muli %w, %{{.*}} : index
// TESTED: scf.if
// TESTED: xetile.load_tile
// TESTED: xetile.store_tile
// TESTED: else
// TESTED: xetile.load_gather
// TESTED: xetile.store_scatter
  gpu.func @dynamic(%A: memref<?x?xf16>, %B: memref<64x64xf16>, %h: index, %w: index, %p: index) kernel {
    %t = xetile.init_tile %A[0, 0], [%h, %w], [%p, 1] : memref<?x?xf16> -> !xetile.tile<8x16xf16>
    %u = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    xetile.store_tile %v, %u : vector<8x16xf16>, !xetile.tile<8x16xf16>
    gpu.return
  }
}
