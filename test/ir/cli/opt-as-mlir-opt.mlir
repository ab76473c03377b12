// Ways of calling that people bring along from mlir-opt: one dash or two, options with and without a value, other
// dialects' ops, types and attributes.
// RUN: xetile-opt -allow-unregistered-dialect -cse -canonicalize %s | FileCheck %s
// RUN: xetile-opt --allow-unregistered-dialect --verify-roundtrip --verify-each=false --mlir-print-local-scope %s | FileCheck %s
// RUN: xetile-opt --allow-unregistered-dialect %s | xetile-opt -allow-unregistered-dialect - | FileCheck %s
// RUN: xetile-opt --allow-unregistered-dialect -split-input-file -verify-diagnostics %s | FileCheck %s
// RUN: xetile-opt --allow-unregistered-dialect --split-input-file='// ====' --output-split-marker='// >>>>' %s | FileCheck %s --check-prefixes=CHECK,MARKER
// RUN: not xetile-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not xetile-opt --allow-unregistered-dialect --verify-each=maybe %s 2>&1 | FileCheck %s --check-prefix=MAYBE

// CHECK: "quux.one"() <{property = #quux.thing<"text", [1, 2]>}> {other.note = !quux.kind<i32>} : () -> !quux.handle<4 x f32>
// WITHOUT: opt-as-mlir-opt.mlir:[[@LINE+3]]:{{[0-9]+}}: error: {{.*}}quux
// MAYBE: {{^}}xetile-opt: error: argument --verify-each: expected true or false, got 'maybe'{{$}}
func.func @unknown() {
  %a = "quux.one"() <{"property" = #quux.thing<"text", [1, 2]>}> {other.note = !quux.kind<i32>} : () -> !quux.handle<4 x f32>
  "quux.two"(%a) ({
    "quux.end"() : () -> ()
  }) {xetile.note = 4 : i32} : (!quux.handle<4 x f32>) -> ()
  func.return
}
// ====
// MARKER: // >>>>
func.func private @second()
