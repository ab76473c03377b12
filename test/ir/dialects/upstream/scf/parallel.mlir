// scf.parallel in its custom form; mlir-opt prints the same.
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ %mlir-opt --mlir-print-op-generic %s | xetile-opt | FileCheck %s %}
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}
// RUN: xetile-run %s --entry f --arg 0 --arg 3 --arg 2 --arg 5.0 | FileCheck %s --check-prefix=SUMS
// SUMS: result 0: 11.0
// SUMS: result 1: 256

// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[A:.*]]: index, %[[B:.*]]: index, %[[S:.*]]: index, %[[Z:.*]]: f32)
func.func @f(%a: index, %b: index, %s: index, %z: f32) -> (f32, i64) {
  // CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%[[A]], %[[A]]) to (%[[B]], %[[B]]) step (%[[S]], %[[S]]) {
  // CHECK: scf.reduce
  scf.parallel (%i, %j) = (%a, %a) to (%b, %b) step (%s, %s) {
    scf.reduce
  }
  %one64 = arith.constant 1 : i64
  // CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%[[A]], %[[A]]) to (%[[B]], %[[B]]) step (%[[S]], %[[S]]) init (%[[Z]], %{{.*}}) -> (f32, i64) {
  // CHECK: scf.reduce(%{{.*}}, %{{.*}} : f32, i64) {
  %r:2 = scf.parallel (%i, %j) = (%a, %a) to (%b, %b) step (%s, %s) init (%z, %one64) -> (f32, i64) {
    %x = arith.constant 1.5 : f32
    %two = arith.constant 2 : i64
    %square = arith.muli %two, %two : i64
    scf.reduce(%x, %square : f32, i64) {
    ^bb0(%l: f32, %m: f32):
      %t = arith.addf %l, %m : f32
      scf.reduce.return %t : f32
    }, {
    ^bb0(%l: i64, %m: i64):
      %t = arith.muli %l, %m : i64
      scf.reduce.return %t : i64
    }
  }
  // CHECK: scf.parallel (%{{.*}}) = (%[[A]]) to (%[[A]]) step (%[[S]]) init (%{{.*}}) -> f32 {
  %n = scf.parallel (%i) = (%a) to (%a) step (%s) init (%r#0) -> f32 {
    scf.reduce(%z : f32) {
    ^bb0(%l: f32, %m: f32):
      scf.reduce.return %m : f32
    }
  }
  return %n, %r#1 : f32, i64
}
