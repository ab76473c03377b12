// A device need not be named: the gpu.module's target, else pvc, which one remark per command says.

// RUN: xetile-opt --xetile-blocking %examples/gemm_f16_subgroup.mlir 2> %t.remark | FileCheck %s --check-prefix=BLOCKED
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remark
// BLOCKED: %[[TILE:.+]] = xetile.init_tile %A[%{{.+}}] : {{.+}}inner_blocks = [32, 16]
// REMARK: {{^}}{{.*}}gemm_f16_subgroup.mlir:8:1: remark: the device is pvc, since nothing names one; choose among pvc, bmg, {{[a-z0-9, ]+}} with the option 'device', or write the gpu.module's target, such as [#xevm.target<chip = "bmg">]{{$}}
// REMARK-NOT: remark

// Several passes, and passes of passes, still say it once.
// RUN: xetile-opt -p xetile-init-duplicate,xetile-blocking,convert-xetile-to-xegpu,convert-xegpu-to-xevm,convert-xevm-to-llvm %examples/gemm_f16_subgroup.mlir -o %t.passes 2> %t.remark
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remark
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.passes
// RUN: xetile-opt --xetile-to-xegpu --xetile-to-xevm --xetile-to-llvm %examples/gemm_f16_subgroup.mlir 2> %t.remark | FileCheck %s --check-prefix=LLVM
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remark
// RUN: xetile-compile --emit llvm %examples/gemm_f16_subgroup.mlir 2> %t.remark | FileCheck %s --check-prefix=LLVM
// RUN: FileCheck %s --check-prefix=COMPILED --input-file=%t.remark
// COMPILED: {{^}}{{.*}}gemm_f16_subgroup.mlir:8:1: remark: the device is pvc, since nothing names one; choose among pvc, bmg, {{[a-z0-9, ]+}} with --device, or write the gpu.module's target, such as [#xevm.target<chip = "bmg">]{{$}}
// COMPILED-NOT: remark
// LLVM: llvm.func @gemm

// What is the same for all devices needs no remark: what is executed, built, or printed.
// RUN: xetile-kernel gemm --m 32 --n 32 --k 32 --a f16 --acc f32 --wg 32x32 --sg 16x32 --k-step 16 > %t.w.mlir 2> %t.quiet
// RUN: xetile-run %t.w.mlir --arg int --arg int --arg zeros > %t.out 2>> %t.quiet
// RUN: xetile-opt --xetile-wg-to-sg %s > %t.out 2>> %t.quiet
// RUN: test ! -s %t.quiet

// RUN: xetile-layout block-load --dtype f16 --operand B --shape 32x32 > %t.layout 2> %t.remark
// RUN: FileCheck %s --check-prefix=LAYOUT --input-file=%t.remark
// RUN: xetile-layout block-load --device pvc --dtype f16 --operand B --shape 32x32 | cmp - %t.layout
// LAYOUT: {{^}}remark: the device is pvc, since nothing names one; choose among pvc, bmg, {{[a-z0-9, ]+}} with --device{{$}}

// The gpu.module names it.
// RUN: sed 's/gpu.module @kernels/& [#xevm.target<chip = "lnl">]/' %examples/gemm_f16_subgroup.mlir > %t.lnl.mlir
// RUN: xetile-opt --xetile-blocking %t.lnl.mlir > %t.module 2> %t.quiet
// RUN: xetile-opt --xetile-to-xevm %t.lnl.mlir > %t.module 2>> %t.quiet
// RUN: xetile-compile --emit xevm %t.lnl.mlir > %t.compiled 2>> %t.quiet
// RUN: xetile-opt --xetile-to-xevm=device=lnl %t.lnl.mlir > %t.both 2>> %t.quiet
// RUN: test ! -s %t.quiet
// RUN: xetile-compile --emit xevm --device lnl %t.lnl.mlir | cmp - %t.compiled
// RUN: cmp %t.module %t.both

// Both name one, another one.
// RUN: not xetile-opt --xetile-blocking=device=bmg %t.lnl.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not xetile-compile --emit spirv --device bmg %t.lnl.mlir 2>&1 | FileCheck %s --check-prefix=FLAG
// OTHER: {{^}}{{.*}}.lnl.mlir:8:1: error: the option 'device' is bmg, but the gpu.module is for lnl{{$}}
// FLAG: {{^}}{{.*}}.lnl.mlir:8:1: error: --device is bmg, but the gpu.module is for lnl{{$}}

// Several targets.
// RUN: sed 's/gpu.module @kernels/& [#xevm.target<chip = "pvc">, #xevm.target<chip = "cri">]/' %examples/gemm_f16_subgroup.mlir > %t.two.mlir
// RUN: not xetile-opt --xetile-blocking %t.two.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: xetile-opt --xetile-blocking=device=cri %t.two.mlir -o %t.out
// SEVERAL: {{^}}{{.*}}.two.mlir:8:1: error: several targets are named, pvc, cri; the option 'device' has to choose one{{$}}

module {}
