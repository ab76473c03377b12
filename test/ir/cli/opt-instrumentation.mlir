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

// RUN: xetile-opt --cse --dce --licm --mlir-print-ir-after=cse,licm --mlir-print-ir-after=dce --mlir-print-ir-before=dce,cse %s 2>&1 >/dev/null | FileCheck %s --check-prefix=LISTED
// LISTED: IR Dump Before cse
// LISTED: IR Dump After cse
// LISTED: IR Dump Before dce
// LISTED: IR Dump After dce
// LISTED: IR Dump After licm
// LISTED-NOT: IR Dump
// RUN: not xetile-opt --cse --mlir-print-ir-after=cse,dec %s 2>&1 | FileCheck %s --check-prefix=LISTED-UNKNOWN
// LISTED-UNKNOWN: {{^}}xetile-opt: error: argument --mlir-print-ir-after: unknown pass 'dec'; did you mean 'dce'?{{$}}
// RUN: not xetile-opt --cse --mlir-print-ir-after=cse, %s 2>&1 | FileCheck %s --check-prefix=LISTED-MISSING
// LISTED-MISSING: {{^}}xetile-opt: error: argument --mlir-print-ir-after: a name is missing; write passes with commas between{{$}}
// RUN: not xetile-opt --cse --mlir-print-ir-after-all --mlir-print-ir-tree-dir= %s 2>&1 | FileCheck %s --check-prefix=NO-FOLDER
// NO-FOLDER: {{^}}xetile-opt: error: argument --mlir-print-ir-tree-dir: expected a folder, found ''{{$}}

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
