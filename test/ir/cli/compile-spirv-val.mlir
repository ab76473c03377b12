// REQUIRES: spirv-val
// RUN: xetile-compile %examples/gemm_i8.mlir --device pvc -o %t.spv
// RUN: %spirv-val %t.spv
