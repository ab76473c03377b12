// Attributes that are not the dialect's own and that are kept: of other dialects, and on ops that are not ours.
//
// RUN: xetile-opt %s | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @of_other_dialects
func.func @of_other_dialects(%t: !xetile.tile<32x32xf16>, %v: vector<32x32xf32>) {
  // CHECK: xetile.load_tile %{{.*}} {padding = 1.000000e+00 : f32, test.note = "kept"}
  %a = xetile.load_tile %t {padding = 1.0 : f32, test.note = "kept"} : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  // CHECK: arith.addf %{{.*}} {note}
  %s = arith.addf %v, %v {note} : vector<32x32xf32>
  func.return
}

gpu.module @m {
  // CHECK: gpu.func @k() kernel attributes {note = "kept", spirv.entry_point_abi = {{.*}}, xetile.level = "subgroup"} {
  gpu.func @k() kernel attributes {note = "kept", spirv.entry_point_abi = #spirv.entry_point_abi<>, xetile.level = "subgroup"} {
    gpu.return
  }
}
