// RUN: xetile-opt --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK: @first
func.func private @first()

// -----

// expected-note @below {{defined here}}
func.func @second(%a: i32) -> i64 {
  // expected-error@+1 {{'func.return' gives i32, the function's results are i64}}
  func.return %a : i32
}

// -----

%a = arith.constant 1 : ) // expected-error-re {{expected {{a}} type}}

// -----

// An announcement that is not met, and an error that nobody announced, are failures.
// RUN: not xetile-opt --split-input-file --verify-diagnostics %S/Inputs/unmet.mlir 2>&1 | FileCheck %s --check-prefix=UNMET
// UNMET-DAG: unmet.mlir:1:1: error: expected error "is never said" was not produced
// UNMET-DAG: unmet.mlir:7:1: error: unexpected error: {{.+}}

// An error in a file that announces nothing is one that nobody announced.
// RUN: not xetile-opt --verify-diagnostics %S/Inputs/wrong.mlir 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT: wrong.mlir:2:1: error: unexpected error: {{.+}}
// A file is written where all was met, as mlir-opt has it.
// RUN: rm -f %t.out
// RUN: not xetile-opt --verify-diagnostics %S/Inputs/wrong.mlir -o %t.out 2>/dev/null
// RUN: not test -e %t.out
// RUN: xetile-opt --verify-diagnostics=only-expected %S/Inputs/wrong.mlir

// Printed, not checked, as xDSL's driver has it.
// RUN: xetile-opt --parsing-diagnostics %S/Inputs/wrong.mlir | FileCheck %s --check-prefix=PRINTED
// PRINTED: wrong.mlir:2:3: error:
