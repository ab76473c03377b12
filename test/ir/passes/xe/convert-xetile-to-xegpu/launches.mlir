// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" %s | FileCheck %s

// Kernels of Intel's older convention, whose launches count subgroups, and a prefetch in one.

#blocked = #xetile.tile_attr<inner_blocks = [8, 16]>
gpu.module @m {
  // Ids and sizes that count subgroups are read off the subgroup's id; the launch counts 16 work-items for each.
  // CHECK-LABEL: gpu.func @counted
  // CHECK-NOT: VectorComputeFunctionINTEL
  // CHECK-SAME: known_block_size = array<i32: 64, 2, 1>
  // CHECK: %[[ID:.*]] = gpu.subgroup_id : index
  // CHECK-NEXT: %[[ALONG_X:.*]] = arith.constant 4 : index
  // CHECK-NEXT: %[[X:.*]] = arith.remui %[[ID]], %[[ALONG_X]] : index
  // CHECK: %[[ABOVE:.*]] = arith.divui %{{.*}}, %{{.*}} : index
  // CHECK-NEXT: %[[ALONG_Y:.*]] = arith.constant 2 : index
  // CHECK-NEXT: %[[Y:.*]] = arith.remui %[[ABOVE]], %[[ALONG_Y]] : index
  // CHECK-NEXT: %[[N:.*]] = arith.constant 4 : index
  // CHECK: %[[ROW:.*]] = arith.muli %[[X]], %c8 : index
  // CHECK-NEXT: %[[COLUMN:.*]] = arith.muli %[[Y]], %[[N]] : index
  // CHECK-NEXT: xegpu.prefetch_nd %{{.*}}[%[[ROW]], %[[COLUMN]]] <{l1_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<8x16xf32>
  gpu.func @counted(%A: memref<64x64xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 4, 2, 1>} {
    %c8 = arith.constant 8 : index
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %n = gpu.block_dim x
    %row = arith.muli %x, %c8 : index
    %column = arith.muli %y, %n : index
    %t = xetile.init_tile %A[%row, %column] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #blocked>
    xetile.prefetch_tile %t {l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<8x16xf32, #blocked>
    gpu.return
  }

  // The grid's coordinate of a subgroup: its workgroup's first, and its own.
  // CHECK-LABEL: gpu.func @global
  // CHECK: %[[ID:.*]] = gpu.subgroup_id : index
  // CHECK-NEXT: %[[ALONG_X:.*]] = arith.constant 4 : index
  // CHECK-NEXT: %[[X:.*]] = arith.remui %[[ID]], %[[ALONG_X]] : index
  // CHECK-NEXT: %[[WORKGROUP:.*]] = gpu.block_id x
  // CHECK-NEXT: %[[SIZE:.*]] = arith.constant 4 : index
  // CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[WORKGROUP]], %[[SIZE]] : index
  // CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[X]] : index
  // CHECK: xegpu.prefetch_nd %{{.*}}[%[[ROW]], 0]
  gpu.func @global(%A: memref<64x64xf32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 4, 2, 1>} {
    %x = gpu.global_id x
    %t = xetile.init_tile %A[%x, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #blocked>
    xetile.prefetch_tile %t : !xetile.tile<8x16xf32, #blocked>
    gpu.return
  }

  // Those of other kernels stay; lanes of a subgroup share y.
  // CHECK-LABEL: gpu.func @kept
  // CHECK: gpu.thread_id y
  // CHECK-NEXT: gpu.block_dim x
  gpu.func @kept(%A: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 16, 4, 1>} {
    %y = gpu.thread_id y
    %n = gpu.block_dim x
    %s = arith.subi %n, %y : index
    %t = xetile.init_tile %A[%s, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #blocked>
    xetile.prefetch_tile %t : !xetile.tile<8x16xf32, #blocked>
    gpu.return
  }
}

// CHECK-LABEL: func.func @host
// CHECK: %[[LANES:.*]] = arith.constant 16 : index
// CHECK-NEXT: %[[ITEMS:.*]] = arith.muli %c4, %[[LANES]] : index
// CHECK-NEXT: gpu.launch_func @m::@counted blocks in (%c1, %c1, %c1) threads in (%[[ITEMS]], %c2, %c1)
func.func @host(%A: memref<64x64xf32>) {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  gpu.launch_func @m::@counted blocks in (%c1, %c1, %c1) threads in (%c4, %c2, %c1) args(%A : memref<64x64xf32>)
  return
}
