// RUN: xetile-opt --version | FileCheck %s
// RUN: xetile-run --version | FileCheck %s
// RUN: xetile-compile --version | FileCheck %s
// RUN: xetile-kernel --version | FileCheck %s
// CHECK: xetile-{{[a-z]+ [0-9.]+}}
// CHECK-NEXT: xDSL 0.75
// CHECK-NEXT: LLVM {{[0-9.]+}} (llvmlite {{[0-9.]+}})
// CHECK-NEXT: mlir-opt {{not found|22}}
// CHECK-NEXT: {{^}}MLIR bindings {{not found|[0-9]+\.|of unknown}}
// CHECK-NEXT: ocloc
// CHECK-NEXT: spirv-val
