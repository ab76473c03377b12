// A byte order mark in front of a text is skipped, in files and on standard input.
// RUN: printf '\357\273\277func.func @main() {\n  func.return\n}\n' > %t.mlir
// RUN: xetile-opt %t.mlir | FileCheck %s
// RUN: xetile-opt < %t.mlir | FileCheck %s
// RUN: xetile-opt --split-input-file %t.mlir | FileCheck %s
// RUN: xetile-run %t.mlir --entry main
// CHECK: builtin.module {
// CHECK-NEXT: func.func @main() {
