// RUN: xetile-opt %s --canonicalize | FileCheck %s

// What a type says needs no op.
// CHECK-LABEL: @known
// CHECK-SAME: (%[[M:.+]]: memref<?x32xf32>)
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[D:.+]] = memref.dim %[[M]], %[[C0]] : memref<?x32xf32>
// CHECK: func.return %[[D]], %[[C32]], %[[C2]], %[[M]], %[[M]]
func.func @known(%m: memref<?x32xf32>) -> (index, index, index, memref<?x32xf32>, memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.dim %m, %c0 : memref<?x32xf32>
  %1 = memref.dim %m, %c1 : memref<?x32xf32>
  %2 = memref.rank %m : memref<?x32xf32>
  %3 = memref.cast %m : memref<?x32xf32> to memref<?x32xf32>
  %4 = memref.cast %m : memref<?x32xf32> to memref<?x?xf32>
  %5 = memref.cast %4 : memref<?x?xf32> to memref<?x32xf32>
  func.return %0, %1, %2, %3, %5 : index, index, index, memref<?x32xf32>, memref<?x32xf32>
}
