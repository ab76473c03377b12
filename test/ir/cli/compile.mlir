// RUN: xetile-compile %examples/gemm_f16.mlir --device bmg -o %t.spv
// RUN: FileCheck %s --check-prefix=CONTRACT --input-file=%t.spv.json
// CONTRACT: "name": "gemm"
// CONTRACT: "shared_memory": 0
// CONTRACT: "opencl": "-cl-intel-256-GRF-per-thread"
// CONTRACT: "level_zero": "-ze-opt-large-register-file"

// Every kind of output, from every level.
// RUN: xetile-compile %examples/gemm_f16_plain.mlir --device bmg --emit xegpu -o %t.x.mlir
// RUN: FileCheck %s --check-prefix=XEGPU --input-file=%t.x.mlir
// XEGPU: xegpu.dpas
// RUN: xetile-compile %t.x.mlir --device bmg --emit xevm | FileCheck %s --check-prefix=XEVM
// XEVM: xevm.mma
// RUN: xetile-compile %t.x.mlir --device bmg --emit llvm -o %t.l.mlir
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.l.mlir
// LLVM: llvm.func {{.*}}@gemm
// RUN: xetile-compile - --device bmg --emit ll < %t.l.mlir | FileCheck %s --check-prefix=LL
// LL: target triple = "spirv64
// LL: define spir_kernel void @"gemm"(

// Wrong calls are one line; an existing output stays as it is.
// RUN: not xetile-compile %examples/gemm_f16.mlir --device b580 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: {{^}}xetile-compile: error: unknown device 'b580'; known are pvc, bmg, {{[a-z0-9, ]+}}; did you mean 'bmg'?{{$}}
// RUN: not xetile-compile %examples/gemm_f16.mlir --device bmg --kernel other 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not xetile-compile %examples/gemm_f16.mlir --device bmg --kernel other --emit xegpu 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: {{^}}xetile-compile: error: there is no kernel 'other'; the module has: gemm{{$}}
// RUN: not xetile-compile - --device bmg < %t.l.mlir 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: {{^}}xetile-compile: error: spirv of standard input needs a place to go; give -o{{$}}
// RUN: not xetile-compile %t.x.mlir --device bmg --emit object 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: {{^}}xetile-compile: error: argument --emit: invalid choice: 'object'
// RUN: echo kept > %t.kept
// RUN: not xetile-compile %S/Inputs/f64.mlir --device bmg -o %t.kept 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.kept
// TYPES: {{^}}{{.*}}f64.mlir:11:5: error: {{.*}}f64
// KEPT: kept
// RUN: env XETILE_OCLOC=%t.nothing not xetile-compile %t.x.mlir --device bmg --stats 2>&1 | FileCheck %s --check-prefix=OCLOC
// OCLOC: {{^}}xetile-compile: error: XETILE_OCLOC is '{{.*}}.nothing', which is no program that can be run{{$}}
