// RUN: xetile-opt %s --xetile-wg-to-sg=print-plan 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t

// Only tiles reach the first buffer, so it lies as they want it; the second one is read by elements too.

#rows = #xetile.wg_map<sg_layout = [2, 1], sg_data = [16, 32]>
#columns = #xetile.wg_map<sg_layout = [1, 2], sg_data = [32, 16]>
!memory = memref<32x32xf16, 3>
!stored = !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = #rows, memory_space = 3>>
!loaded = !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = #columns, memory_space = 3>>

// PLAN: tiled-buffers.mlir:[[#@LINE+8]]:5: memref<32x32xf16, 3 : i64> swizzled: stores of 128 bits by block messages with 0 conflicts
// PLAN-NOT: swizzled

// CHECK: memref.alloc() : memref<32x32xf16, #xetile.swizzle<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0],
// CHECK: memref.alloc() : memref<32x32xf16, 3 : i64>
gpu.module @m {
  gpu.func @k(%dst: memref<32x32xf16>, %e: memref<1xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %own = memref.alloc() : !memory
    %read = memref.alloc() : !memory
    %v = arith.constant {wg_map = #rows} dense<1.0> : vector<32x32xf16>
    %s = xetile.init_tile %own[0, 0] : !memory -> !stored
    %t = xetile.init_tile %read[0, 0] : !memory -> !stored
    xetile.store_tile %v, %s : vector<32x32xf16>, !stored
    xetile.store_tile %v, %t : vector<32x32xf16>, !stored
    gpu.barrier
    %l = xetile.init_tile %own[0, 0] : !memory -> !loaded
    %r = xetile.init_tile %read[0, 0] : !memory -> !loaded
    %a = xetile.load_tile %l : !loaded -> vector<32x32xf16>
    %b = xetile.load_tile %r : !loaded -> vector<32x32xf16>
    %c = arith.addf %a, %b {wg_map = #columns} : vector<32x32xf16>
    %d = xetile.init_tile %dst[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = #columns>>
    xetile.store_tile %c, %d : vector<32x32xf16>, !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = #columns>>
    %one = memref.load %read[%c0, %c0] : !memory
    memref.store %one, %e[%c0] : memref<1xf16>
    gpu.return
  }
}
