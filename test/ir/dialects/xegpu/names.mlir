// mlir-opt keeps attributes that an op does not define; one that is almost a property is told of.
//
// RUN: xetile-opt %s 2>&1 >/dev/null | FileCheck %s
// RUN: xetile-opt %s 2>/dev/null | FileCheck %s --check-prefix=KEPT

func.func @f(%t: !xegpu.tensor_desc<8x16xf16>) {
  // CHECK: names.mlir:[[@LINE+2]]:3: warning: xegpu.load_nd has no 'l1_hnt', which has no effect; did you mean 'l1_hint'?
  // KEPT: xegpu.load_nd {{.*}}{l1_hnt = #xegpu.cache_hint<cached>}
  %v = xegpu.load_nd %t[0, 0] {l1_hnt = #xegpu.cache_hint<cached>} : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  // CHECK-NOT: warning
  %w = xegpu.load_nd %t[0, 0] {note} : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  func.return
}
