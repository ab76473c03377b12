// Passes run in the order of the command line, whichever way they are named.
// RUN: xetile-opt --cse --canonicalize %s | FileCheck %s
// RUN: xetile-opt -p cse,canonicalize %s | FileCheck %s
// RUN: xetile-opt --pass-pipeline='builtin.module(func.func(cse),canonicalize)' %s | FileCheck %s
// RUN: xetile-opt --cse -p canonicalize - < %s | FileCheck %s
// RUN: xetile-opt --cse --canonicalize < %s | FileCheck %s

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1 : i32
// CHECK-NEXT: %[[SUM:.+]] = arith.addi %{{.+}}, %[[ONE]] : i32
// CHECK-NEXT: func.return %[[SUM]] : i32
func.func @twice(%a: i32) -> i32 {
  %one = arith.constant 1 : i32
  %again = arith.constant 1 : i32
  %unused = arith.addi %a, %again : i32
  %sum = arith.addi %a, %one : i32
  func.return %sum : i32
}

// What is printed between passes and how long they took is no part of the output.
// RUN: xetile-opt --cse --mlir-timing --mlir-print-ir-after-all %s 2>/dev/null | FileCheck %s
