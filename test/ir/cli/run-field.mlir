// A sum in another order has other bits, and is the same element of a field, where what is wrong shows.
// RUN: sed 's/%[x], %[y] :/%y, %z :/; s/%[u], %[z] :/%u, %x :/' %s > %t.order.mlir
// RUN: sed 's/%[u], %[z] :/%u, %y :/' %s > %t.wrong.mlir
// RUN: not xetile-run %s --arg normal --arg zeros --against %t.order.mlir | FileCheck %s --check-prefix=BITS
// RUN: xetile-run %s --arg normal --arg zeros --values field --against %t.order.mlir | FileCheck %s --check-prefix=FIELD
// RUN: not xetile-run %s --arg normal --arg zeros --values field --against %t.wrong.mlir | FileCheck %s --check-prefix=WRONG
// RUN: xetile-run %s --arg ones --arg zeros --values field | FileCheck %s --check-prefix=ALONE

// BITS: argument 1: memref<64xf32>: {{[0-9]+}} elements differ
// FIELD: {{^}}equal elements of the field{{$}}
// WRONG: argument 1: memref<64xf32>: 64 elements differ
// ALONE: argument 1: memref<64xf32>: smallest 3, largest 3

gpu.module @m {
  gpu.func @k(%A: memref<66xf32>, %B: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, xetile.level = "lane"} {
    %c1 = arith.constant 1 : index
    %i = gpu.thread_id x
    %j = arith.addi %i, %c1 : index
    %k = arith.addi %j, %c1 : index
    %x = memref.load %A[%i] : memref<66xf32>
    %y = memref.load %A[%j] : memref<66xf32>
    %z = memref.load %A[%k] : memref<66xf32>
    %u = arith.addf %x, %y : f32
    %t = arith.addf %u, %z : f32
    memref.store %t, %B[%i] : memref<64xf32>
    gpu.return
  }
}
