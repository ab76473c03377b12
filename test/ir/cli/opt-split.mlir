// Each part of a split file is on its own; a wrong one does not keep the others from being printed.
// RUN: not xetile-opt --split-input-file %s 2>/dev/null | FileCheck %s
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=ERR

// CHECK: @first
func.func private @first()

// -----

// ERR: {{^}}{{.*}}opt-split.mlir:[[# @LINE + 3]]:3: error: {{.+}}
// ERR-NOT: error
func.func @second(%a: i32) -> i64 {
  func.return %a : i32
}

// -----

// CHECK: // -----
// CHECK: @third
func.func private @third()
