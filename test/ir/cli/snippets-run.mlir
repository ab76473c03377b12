// All commands show them.
// RUN: not xetile-run %s 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// RUN: not xetile-compile %s 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
// RUN: not xetile-compile --no-snippets %s 2>&1 | FileCheck %s --check-prefix=BARE --implicit-check-not=^

// CHECK:{{.*}}snippets-run.mlir:[[# @LINE + 4]]:3: error: {{.*}}
// CHECK-NEXT:  %b = "arith.addi"(%a, %a) : (i32, i32) -> f32
// CHECK-NEXT:  ^
func.func @f(%a: i32) {
  %b = "arith.addi"(%a, %a) : (i32, i32) -> f32
  func.return
}
// BARE: snippets-run.mlir:[[# @LINE - 3]]:3: error:
