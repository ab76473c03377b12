// RUN: xetile-opt %s --canonicalize --split-input-file | FileCheck %s

// Divisions, comparisons and casts of constants.
// CHECK-LABEL: @constants
// CHECK-DAG: arith.constant 2147483646 : i32
// CHECK-DAG: arith.constant -1 : i32
// CHECK-DAG: arith.constant 3 : index
// CHECK-DAG: arith.constant dense<true> : vector<4xi1>
// CHECK-DAG: arith.constant 250 : i32
// CHECK-DAG: arith.constant 1.500000e+00 : bf16
// CHECK-DAG: arith.constant {{0x7[cC]00}} : f16
// CHECK-NOT: arith.{{[a-bd-z]}}
func.func @constants() -> (i32, i32, index, vector<4xi1>, i32, bf16, f16) {
  %a = arith.constant -3 : i32
  %b = arith.constant 2 : i32
  %0 = arith.divui %a, %b : i32
  %1 = arith.divsi %a, %b : i32
  %i = arith.constant 19 : index
  %j = arith.constant 16 : index
  %2 = arith.remui %i, %j : index
  %v = arith.constant dense<-1> : vector<4xi32>
  %w = arith.constant dense<1> : vector<4xi32>
  %3 = arith.cmpi ugt, %v, %w : vector<4xi32>
  %s = arith.constant -6 : i8
  %4 = arith.extui %s : i8 to i32
  %f = arith.constant 1.501 : f32
  %5 = arith.truncf %f : f32 to bf16
  %h = arith.constant 60000.0 : f16
  %6 = arith.addf %h, %h : f16
  func.return %0, %1, %2, %3, %4, %5, %6 : i32, i32, index, vector<4xi1>, i32, bf16, f16
}

// -----

// Casts there and back, units, selects that choose nothing.
// CHECK-LABEL: @nothing
// CHECK-SAME: (%[[I:.+]]: i32, %[[N:.+]]: index, %[[C:.+]]: i1, %[[F:.+]]: f16, %[[V:.+]]: vector<4xf32>)
// CHECK-NEXT: func.return %[[I]], %[[I]], %[[N]], %[[C]], %[[F]], %[[V]], %[[V]]
func.func @nothing(%i: i32, %n: index, %c: i1, %f: f16, %v: vector<4xf32>) -> (i32, i32, index, i1, f16, vector<4xf32>, vector<4xf32>) {
  %0 = arith.index_cast %i : i32 to index
  %1 = arith.index_cast %0 : index to i32
  %2 = arith.extsi %i : i32 to i64
  %3 = arith.trunci %2 : i64 to i32
  %c1 = arith.constant 1 : index
  %4 = arith.divui %n, %c1 : index
  %true = arith.constant true
  %false = arith.constant false
  %5 = arith.select %c, %true, %false : i1
  %6 = arith.extf %f : f16 to f32
  %7 = arith.truncf %6 : f32 to f16
  %one = arith.constant dense<1.0> : vector<4xf32>
  %8 = arith.mulf %v, %one : vector<4xf32>
  %9 = arith.select %c, %v, %v : vector<4xf32>
  func.return %1, %3, %4, %5, %7, %8, %9 : i32, i32, index, i1, f16, vector<4xf32>, vector<4xf32>
}

// -----

// What must stay: a sum with positive zero, an index cut to 32 bits and back, a division by zero.
// CHECK-LABEL: @stays
// CHECK: arith.addf
// CHECK: arith.index_cast
// CHECK: arith.index_cast
// CHECK: arith.divui
func.func @stays(%f: f32, %n: index) -> (f32, index, index) {
  %z = arith.constant 0.0 : f32
  %0 = arith.addf %f, %z : f32
  %1 = arith.index_cast %n : index to i32
  %2 = arith.index_cast %1 : i32 to index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %3 = arith.divui %c4, %c0 : index
  func.return %0, %2, %3 : f32, index, index
}

// -----

// The patterns of the ops that ours replace.
// CHECK-LABEL: @patterns
// CHECK-SAME: (%[[C:.+]]: i1, %[[A:.+]]: f32, %[[B:.+]]: f32)
// CHECK-DAG: %[[TRUE:.+]] = arith.constant true
// CHECK-DAG: arith.xori %[[C]], %[[TRUE]] : i1
// CHECK-DAG: arith.maximumf %[[A]], %[[B]] fastmath<nnan,nsz> : f32
// CHECK-DAG: %[[SIX:.+]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG: arith.mulf %[[A]], %[[SIX]] fastmath<reassoc> : f32
func.func @patterns(%c: i1, %a: f32, %b: f32) -> (i1, f32, f32) {
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.select %c, %false, %true : i1
  %1 = arith.cmpf ogt, %a, %b fastmath<nnan,nsz> : f32
  %2 = arith.select %1, %a, %b : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %3 = arith.mulf %a, %two fastmath<reassoc> : f32
  %4 = arith.mulf %3, %three fastmath<reassoc> : f32
  func.return %0, %2, %4 : i1, f32, f32
}

// -----

// A comparison of a value with itself.
// CHECK-LABEL: @equal
// CHECK-DAG: arith.constant dense<true> : vector<4xi1>
// CHECK-DAG: arith.constant dense<false> : vector<4xi1>
// CHECK-NOT: arith.cmpi
func.func @equal(%v: vector<4xi32>) -> (vector<4xi1>, vector<4xi1>) {
  %0 = arith.cmpi sle, %v, %v : vector<4xi32>
  %1 = arith.cmpi ult, %v, %v : vector<4xi32>
  func.return %0, %1 : vector<4xi1>, vector<4xi1>
}
