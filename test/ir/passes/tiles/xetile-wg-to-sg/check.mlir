// RUN: xetile-opt --xetile-wg-to-sg %s | FileCheck %s

// Each subgroup checks its rows; the first of the two that hold a unit, and of all of them a scalar.

// CHECK-LABEL: gpu.func @checked
// CHECK: %[[COLUMN:.*]] = arith.remui %{{.*}}, %c2
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[COLUMN]], %c1
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: xetile.check %{{.*}}, "rows" : vector<8x1xi1>
// CHECK: arith.cmpi eq, %{{.*}}, %c0
// CHECK-NEXT: scf.if
// CHECK-NEXT: xetile.check %one, "one" : i1
gpu.module @m {
  gpu.func @checked(%A: memref<16x1xi1>, %one: i1) kernel
      attributes {xetile.sg_layout = array<i64: 2, 2>, known_block_size = array<i32: 64, 1, 1>} {
    %t = xetile.init_tile %A[0, 0] : memref<16x1xi1> -> !xetile.tile<16x1xi1>
    %v = xetile.load_tile %t : !xetile.tile<16x1xi1> -> vector<16x1xi1>
    xetile.check %v, "rows" : vector<16x1xi1>
    xetile.check %one, "one" : i1
    gpu.return
  }
}
