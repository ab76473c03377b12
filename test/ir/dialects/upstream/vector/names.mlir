// Of reductions an attribute is read that upstream does not know: one that is almost called so is told of.
//
// RUN: xetile-opt %s 2>&1 >/dev/null | FileCheck %s

func.func @f(%v: vector<8x16xf32>, %a: vector<8xf32>) {
  // CHECK: names.mlir:[[@LINE+1]]:3: warning: vector.multi_reduction has no 'reasoc', which has no effect; did you mean 'reassoc'?
  %r = vector.multi_reduction <add>, %v, %a {reasoc} [1] : vector<8x16xf32> to vector<8xf32>
  // CHECK-NOT: warning
  %s = vector.multi_reduction <add>, %v, %a {reassoc} [1] : vector<8x16xf32> to vector<8xf32>
  func.return
}
