// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=TOLD --input-file=%t %s

// Nothing of checks is left; they are told of once.

// CHECK-LABEL: gpu.func @checked
// CHECK-NOT: xetile.check
// CHECK: gpu.return
// TOLD: check.mlir:[[@LINE+4]]:5: remark: checks are executed on numpy, down to level blocked; what is compiled has none
// TOLD-NOT: remark
gpu.module @m {
  gpu.func @checked(%one: i1, %rows: vector<8x16xi1>) kernel {
    xetile.check %one, "one" : i1
    xetile.check %rows, "rows" : vector<8x16xi1>
    gpu.return
  }
}
