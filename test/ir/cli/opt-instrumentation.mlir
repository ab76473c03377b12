// IR around passes and their times, on standard error, in the form that mlir-opt has.
// RUN: xetile-opt --cse --dce --mlir-print-ir-after-all --mlir-timing %s 2>&1 >/dev/null | FileCheck %s --check-prefix=ALL
// ALL: // -----// IR Dump After cse //----- //
// ALL-NEXT: builtin.module {
// ALL: func.func @twice
// ALL: // -----// IR Dump After dce //----- //
// ALL: ... Execution time report ...
// ALL: Total Execution Time: {{[0-9.]+}} seconds
// ALL: ----Wall Time---- ----Name----
// ALL-NEXT: ({{ *[0-9.]+}}%) Imports
// ALL-NEXT: ({{ *[0-9.]+}}%) Parser
// ALL: ({{ *[0-9.]+}}%) cse
// ALL: ({{ *[0-9.]+}}%) dce
// ALL: ({{ *[0-9.]+}}%) Output
// ALL: ({{ *[0-9.]+}}%) Rest
// ALL: (100.0%) Total

// RUN: xetile-opt --cse --dce --mlir-print-ir-before=dce --mlir-print-ir-after=cse %s 2>&1 >/dev/null | FileCheck %s --check-prefix=SOME
// SOME: IR Dump After cse
// SOME: IR Dump Before dce
// SOME-NOT: IR Dump

// RUN: xetile-opt --dce --cse --dce --mlir-print-ir-after-change %s 2>&1 >/dev/null | FileCheck %s --check-prefix=CHANGE
// CHANGE: IR Dump After dce
// CHANGE: IR Dump After cse
// CHANGE-NOT: IR Dump

// RUN: not xetile-opt --cse --xetile-blocking=device=no --mlir-print-ir-after-failure %s 2>&1 >/dev/null | FileCheck %s --check-prefix=FAILED
// FAILED: {{^}}// -----// IR Dump After xetile-blocking Failed //----- //
// FAILED: error: unknown device 'no'

// RUN: xetile-opt --pass-pipeline='builtin.module(func.func(cse,dce))' --dump-pass-pipeline %s 2>&1 >/dev/null | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: pass pipeline: builtin.module(func.func(cse,dce))

func.func @twice(%a: i32) -> i32 {
  %unused = arith.addi %a, %a : i32
  %one = arith.constant 1 : i32
  %again = arith.constant 1 : i32
  %sum = arith.addi %one, %again : i32
  func.return %sum : i32
}
