// Older MLIR's vector.splat is read as the vector.broadcast that it became.
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt --mlir-print-op-generic %s | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}
// RUN: xetile-run %s --entry f --arg 2.5 | FileCheck %s --check-prefix=RESULT
// RESULT: 2.5

// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[A:.*]]: f32)
func.func @f(%a: f32) -> f32 {
  // CHECK: %[[V:.*]] = vector.broadcast %[[A]] {note} : f32 to vector<8x16xf32>
  %v = vector.splat %a {note} : vector<8x16xf32>
  // CHECK: vector.broadcast %[[A]] : f32 to vector<4xf32>
  %w = "vector.splat"(%a) : (f32) -> vector<4xf32>
  %r = vector.extract %v[7, 15] : f32 from vector<8x16xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @one_element
// CHECK-SAME: (%[[A:.*]]: f32, %[[I:.*]]: index, %[[V:.*]]: vector<8xf32>
func.func @one_element(%a: f32, %i: index, %v: vector<8xf32>) -> (f32, vector<8xf32>) {
  // CHECK: vector.extract %[[V]][%[[I]]] : f32 from vector<8xf32>
  %e = vector.extractelement %v[%i : index] : vector<8xf32>
  // CHECK: vector.insert %[[A]], %[[V]] [%[[I]]] : f32 into vector<8xf32>
  %w = vector.insertelement %a, %v[%i : index] : vector<8xf32>
  return %e, %w : f32, vector<8xf32>
}
