// The whole program of the examples: a kernel in Intel's older launch convention, and the host that checks it.
// RUN: xetile-run %examples/host_gemm_f16.mlir --entry main | FileCheck %s
// CHECK: {{^}}Max absolute error 0 at
// CHECK: {{^}}Max relative error 0 at
// CHECK: {{^}}[ALLCLOSE: TRUE]{{$}}

// A kernel that computes something else does not pass.
// RUN: sed 's/%%x = arith.addi %%first_x, %%thread_x/%%x = arith.addi %%first_x, %%first_y/' %examples/host_gemm_f16.mlir > %t.wrong.mlir
// RUN: xetile-run %t.wrong.mlir --entry main | FileCheck %s --check-prefix=WRONG
// WRONG: {{^}}[ALLCLOSE: FALSE]{{$}}
