// One result type needs no parentheses; mlir-opt reads and prints the same.
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ %mlir-opt %s | FileCheck %s %}
// RUN: xetile-run %s --entry f --arg 5.0 --arg 3 --arg 1 | FileCheck %s --check-prefix=RESULT
// RUN: not xetile-opt %S/Inputs/two-results.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RESULT: result 0: 5.0
// TWO: two-results.mlir:2:68: error: 2 values in iter_args, 1 type after '->'; more than one stand in parentheses

// CHECK-LABEL: func.func @f
func.func @f(%a: f32, %n: index, %p: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> f32 {
    // CHECK: scf.if %{{.*}} -> (f32) {
    %y = scf.if %p -> f32 {
      scf.yield %x : f32
    } else {
      scf.yield %a : f32
    } {kept}
    // CHECK: {kept}
    scf.yield %y : f32
  }
  %c1_i8 = arith.constant 1 : i8
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) : i8 {
  %s = scf.for %i = %c1_i8 to %c1_i8 step %c1_i8 iter_args(%x = %r) -> f32 : i8 {
    scf.yield %x : f32
  } {kept}
  // CHECK: {kept}
  return %s : f32
}

// CHECK-LABEL: func.func @others
func.func @others(%a: f32, %n: index, %p: i1) {
  // CHECK: scf.execute_region -> {{\(?}}f32{{\)?}} {
  %e = scf.execute_region -> f32 {
    scf.yield %a : f32
  }
  // CHECK: scf.index_switch %{{.*}} -> f32
  %s = scf.index_switch %n -> f32
  case 1 {
    scf.yield %a : f32
  }
  default {
    scf.yield %e : f32
  }
  // CHECK: scf.while (%{{.*}} = %{{.*}}) : (f32) -> f32 {
  %w = scf.while (%x = %a) : (f32) -> f32 {
    scf.condition(%p) %x : f32
  } do {
  ^bb0(%y: f32):
    scf.yield %y : f32
  }
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  scf.for %i = %n to %n step %n {
  }
  // CHECK: scf.if %{{.*}} {
  scf.if %p {
  }
  return
}
