// What is no kernel: the place, and what to write.
// RUN: printf '' > %t.empty
// RUN: not xetile-run %t.empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not xetile-compile --device bmg %t.empty -o - 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: .empty:1:1: error: there is no kernel: the file is empty; expected a gpu.module with a gpu.func that has the keyword 'kernel'

// RUN: not xetile-run %s 2>&1 | FileCheck %s --check-prefix=KEYWORD
// RUN: not xetile-compile --device bmg %s -o - 2>&1 | FileCheck %s --check-prefix=KEYWORD
// KEYWORD: no-kernel.mlir:[[# @LINE + 11]]:3: error: there is no kernel: 'k' is a gpu.func without the keyword 'kernel'; write it behind the arguments
// KEYWORD-NEXT: gpu.func @k(%a: memref<4xf32>) {

// RUN: not xetile-run --entry mian %s 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: xetile-run: error: there is no function 'mian' to start with; did you mean 'main'?

// RUN: not xetile-run --entry main %s 2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: no-kernel.mlir:[[# @LINE + 12]]:3: error: 'k' is no kernel; write the keyword 'kernel' behind its arguments
// LAUNCH: no-kernel.mlir:[[# @LINE + 3]]:3: note: defined here

gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) {
    gpu.return
  }
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xf32>
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%m : memref<4xf32>)
  func.return
}
