// RUN: python -m xetile | FileCheck %s --check-prefix=LIST
// RUN: python -m xetile opt --version | FileCheck %s --check-prefix=OPT
// RUN: not python -m xetile lower 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: python -m xetile.cli.demo --kernel %examples/gemm_f16.mlir --out %t.dir | FileCheck %s
// CHECK: == The kernel
// CHECK: gpu.func @gemm
// CHECK: == What each stage makes of it for bmg
// CHECK: X  XeGPU{{ +}}3{{ +}}2{{ +}}32
// CHECK: V  XeVM, one lane{{ +}}3{{ +}}2{{ +}}32
// CHECK: SPIR-V: {{.*}}gemm_f16.spv (
// CHECK: W  workgroup XeTile{{.*}}same bits as at W
// CHECK: V  XeVM, one lane{{.*}}same bits as at W
// CHECK: done in

// LIST:      xetile-opt      run passes on IR
// LIST:      xetile-demo     show the main job once
// OPT:       xetile
// UNKNOWN:   xetile: error: there is no command 'lower'; these are: opt, compile, run, kernel, layout, explore, demo
