// Control flow, variables of the module, views, and calls on the host: the numbers are those of mlir-runner 22.
// RUN: xetile-run %s --entry main | FileCheck %s
// CHECK: {{^}}result 0: 52{{$}}
// CHECK-NEXT: {{^}}result 1: 111{{$}}
// CHECK-NEXT: {{^}}result 2: 6{{$}}
// CHECK-NEXT: {{^}}result 3: 24.5{{$}}
// CHECK-NEXT: {{^}}result 4: 7.5{{$}}

memref.global "private" @table : memref<4xf32> = dense<[1.0, 2.0, 4.0, 0.5]>

// Steps of the rule "half of an even number, else three times it and one" from 7 to 1, and the largest on the way.
func.func @collatz(%from: i64) -> (i64, i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %r:3 = scf.while (%n = %from, %steps = %zero, %most = %from) : (i64, i64, i64) -> (i64, i64, i64) {
    %go = arith.cmpi ne, %n, %one : i64
    scf.condition(%go) %n, %steps, %most : i64, i64, i64
  } do {
  ^bb0(%n: i64, %steps: i64, %most: i64):
    %rest = arith.remui %n, %two : i64
    %even = arith.cmpi eq, %rest, %zero : i64
    %next = scf.if %even -> (i64) {
      %half = arith.divui %n, %two : i64
      scf.yield %half : i64
    } else {
      %thrice = arith.muli %n, %three : i64
      %more = arith.addi %thrice, %one : i64
      scf.yield %more : i64
    }
    %count = arith.addi %steps, %one : i64
    %largest = arith.maxsi %most, %next : i64
    scf.yield %next, %count, %largest : i64, i64, i64
  }
  return %r#2, %r#1 : i64, i64
}

// Branches between blocks: the sum of 1 to n.
func.func @sum(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^head(%n, %zero : i64, i64)
^head(%left: i64, %total: i64):
  %done = arith.cmpi eq, %left, %zero : i64
  cf.cond_br %done, ^end(%total : i64), ^more(%left, %total : i64, i64)
^more(%k: i64, %so_far: i64):
  %next_total = arith.addi %so_far, %k : i64
  %next = arith.subi %k, %one : i64
  cf.br ^head(%next, %next_total : i64, i64)
^end(%result: i64):
  return %result : i64
}

// A variable of the module keeps what is stored; a view and a copy of parts of it.
func.func @views() -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %twenty = arith.constant 20.0 : f32
  %zero = arith.constant 0.0 : f32
  %g = memref.get_global @table : memref<4xf32>
  memref.store %twenty, %g[%c1] : memref<4xf32>
  %again = memref.get_global @table : memref<4xf32>
  %raw = memref.alloc() : memref<32xi8>
  %m = memref.view %raw[%c8][%c4] : memref<32xi8> to memref<?xf32>
  %fixed = memref.cast %m : memref<?xf32> to memref<4xf32>
  memref.copy %again, %fixed : memref<4xf32> to memref<4xf32>
  %odd = memref.subview %fixed[1] [2] [2] : memref<4xf32> to memref<2xf32, strided<[2], offset: 1>>
  %tail = memref.reinterpret_cast %fixed to offset: [2], sizes: [2], strides: [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  %n = memref.dim %tail, %c0 : memref<2xf32, strided<[1], offset: 2>>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (f32) {
    %x = memref.load %odd[%i] : memref<2xf32, strided<[2], offset: 1>>
    %y = memref.load %tail[%i] : memref<2xf32, strided<[1], offset: 2>>
    %a = arith.addf %t, %x : f32
    %b = arith.addf %a, %y : f32
    scf.yield %b : f32
  }
  %all = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<f32>
  memref.store %zero, %all[] : memref<f32>
  %last = memref.load %again[%c2] : memref<4xf32>
  memref.store %last, %all[] : memref<f32>
  %kept = memref.load %all[] : memref<f32>
  %half = arith.constant 3.5 : f32
  %sum = arith.addf %kept, %half : f32
  %minus = arith.constant 0.5 : f32
  %shown = arith.subf %total, %minus : f32
  memref.dealloc %raw : memref<32xi8>
  return %shown, %sum : f32, f32
}

func.func @main() -> (i64, i64, i64, f32, f32) {
  %seven = arith.constant 7 : i64
  %three = arith.constant 3 : i64
  %most, %steps = call @collatz(%seven) : (i64) -> (i64, i64)
  %twenty_seven = arith.constant 27 : i64
  %most27, %steps27 = call @collatz(%twenty_seven) : (i64) -> (i64, i64)
  %sum = call @sum(%three) : (i64) -> i64
  %views:2 = call @views() : () -> (f32, f32)
  return %most, %steps27, %sum, %views#0, %views#1 : i64, i64, i64, f32, f32
}
