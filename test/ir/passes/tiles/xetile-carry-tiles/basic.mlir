// RUN: xetile-opt --xetile-carry-tiles %s -o %t.carried.mlir
// RUN: FileCheck %s < %t.carried.mlir
// RUN: xetile-opt --xetile-uncarry-tiles %t.carried.mlir | FileCheck %s --check-prefix=BACK

// Tiles at the counter, ahead of it and at a multiple of it are carried; the one that stays, and the one that moves with a
// value that the loop computes otherwise, are not.

// CHECK-LABEL: gpu.func @moving
// CHECK-DAG: %[[A:.*]] = xetile.init_tile %A[%m, 64]
// CHECK-DAG: %[[P:.*]] = xetile.init_tile %A[%m, 160]
// CHECK-DAG: %[[R:.*]] = xetile.init_tile %A[128, 0]
// CHECK: scf.for %k = {{.*}} iter_args(%a = %[[A]], %p = %[[P]], %r = %[[R]])
// CHECK: xetile.init_tile %A[%m, 0]
// CHECK: xetile.init_tile %A[%m, %odd]
// CHECK-DAG: xetile.update_tile_offset %a, [0, 32]
// CHECK-DAG: xetile.update_tile_offset %p, [0, 32]
// CHECK-DAG: xetile.update_tile_offset %r, [64, 0]
// BACK-LABEL: gpu.func @moving
// BACK: scf.for %k = {{.*}} {
// BACK: %a = xetile.init_tile %A[%m, %k]
// BACK: %[[AHEAD:.*]] = arith.addi %k, {{.*}}
// BACK: %p = xetile.init_tile %A[%m, %[[AHEAD]]]
// BACK-NOT: update_tile_offset
gpu.module @m {
  gpu.func @moving(%A: memref<1024x1024xf32>, %m: index) kernel {
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c96 = arith.constant 96 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    scf.for %k = %c64 to %c256 step %c32 {
      %a = xetile.init_tile %A[%m, %k] : memref<1024x1024xf32> -> !xetile.tile<8x16xf32>
      %ahead = arith.addi %k, %c96 : index
      %p = xetile.init_tile %A[%m, %ahead] : memref<1024x1024xf32> -> !xetile.tile<8x16xf32>
      %twice = arith.muli %k, %c2 : index
      %r = xetile.init_tile %A[%twice, 0] : memref<1024x1024xf32> -> !xetile.tile<8x16xf32>
      xetile.prefetch_tile %r : !xetile.tile<8x16xf32>
      %s = xetile.init_tile %A[%m, 0] : memref<1024x1024xf32> -> !xetile.tile<8x16xf32>
      %odd = arith.divui %k, %c16 : index
      %o = xetile.init_tile %A[%m, %odd] : memref<1024x1024xf32> -> !xetile.tile<8x16xf32>
      xetile.prefetch_tile %p : !xetile.tile<8x16xf32>
      %x = xetile.load_tile %a : !xetile.tile<8x16xf32> -> vector<8x16xf32>
      %y = xetile.load_tile %s : !xetile.tile<8x16xf32> -> vector<8x16xf32>
      %z = xetile.load_tile %o : !xetile.tile<8x16xf32> -> vector<8x16xf32>
      %xy = arith.addf %x, %y : vector<8x16xf32>
      %xyz = arith.addf %xy, %z : vector<8x16xf32>
      xetile.store_tile %xyz, %s : vector<8x16xf32>, !xetile.tile<8x16xf32>
    }
    gpu.return
  }
}
