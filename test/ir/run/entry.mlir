// How --entry is called: the function, its arguments, its results; what is wrong is one line.
// RUN: xetile-run %s --entry scale --arg ones --arg 2.5 --out %t.dir | FileCheck %s
// CHECK: {{^}}argument 0: memref<4xf32>: smallest 2.5, largest 2.5{{$}}
// CHECK-NEXT: {{^}}result 0: 4{{$}}
// CHECK-NEXT: {{^}}result 1: 4 float32: smallest 2.5, largest 2.5{{$}}
// RUN: xetile-run %s --entry scale --arg %t.dir/arg0.npy --arg 2 | FileCheck %s --check-prefix=AGAIN
// AGAIN: {{^}}argument 0: memref<4xf32>: smallest 5, largest 5{{$}}

// RUN: not xetile-run %s --entry main 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: {{^}}xetile-run: error: there is no function 'main' to start with; the module has: scale{{$}}
// RUN: not xetile-run %s --entry scale 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}xetile-run: error: the function takes 2 arguments (memref<4xf32>, f32), --arg gives 0; give one --arg for each{{$}}
// RUN: not xetile-run %s --entry scale --grid 1,1,1 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: {{^}}xetile-run: error: --grid goes with a kernel, not with --entry{{$}}

func.func @scale(%m: memref<4xf32>, %by: f32) -> (index, memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %m[%i] : memref<4xf32>
    %y = arith.mulf %x, %by : f32
    memref.store %y, %m[%i] : memref<4xf32>
  }
  return %n, %m : index, memref<4xf32>
}
func.func private @declared()
