// Memory on the host: what types cannot say is checked when executing, at the op, in one line.
// RUN: not xetile-run %s --entry negative --arg -1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: {{^}}{{.*}}host-memory.mlir:20:3: error: 'memref.reinterpret_cast' makes a memref with extent -1 in dimension 0; expected none below 0{{$}}
// RUN: not xetile-run %s --entry contradicting --arg 7 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: {{^}}{{.*}}host-memory.mlir:34:3: error: 'memref.cast' makes a memref with extent 7 in dimension 0, its type is memref<100000000xf32>{{$}}
// RUN: not xetile-run %s --entry contradicting --arg 1000000000000 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: {{^}}{{.*}}host-memory.mlir:33:3: error: 'memref.alloc' takes more memory than there is{{$}}
// RUN: xetile-run %s --entry strided --arg 4 --arg 9 | FileCheck %s --check-prefix=STRIDED
// STRIDED: {{^}}result 0: 7.0{{$}}
// STRIDED-NEXT: {{^}}result 1: 9{{$}}
// STRIDED-NEXT: {{^}}result 2: 2{{$}}

func.func @negative(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 100000000 : index
  %x = arith.constant 7.0 : f32
  %a = memref.alloc() : memref<16xf32>
  // a view with -1 entries
  %b = memref.reinterpret_cast %a to offset: [8], sizes: [%n], strides: [1] : memref<16xf32> to memref<?xf32, strided<[1], offset: 8>>
  scf.for %i = %c0 to %end step %c1 {
    memref.store %x, %b[%i] : memref<?xf32, strided<[1], offset: 8>>
  }
  return
}

func.func @contradicting(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 100000000 : index
  %x = arith.constant 7.0 : f32
  // of 7 entries, cast to 100000000
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.cast %a : memref<?xf32> to memref<100000000xf32>
  scf.for %i = %c0 to %end step %c1 {
    memref.store %x, %b[%i] : memref<100000000xf32>
  }
  return
}

func.func @strided(%n: index, %stride: index) -> (f32, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 100000 : index
  %x = arith.constant 7.0 : f32
  %a = memref.alloc(%n)[%stride] : memref<?x4xf32, strided<[?, 2]>>
  scf.for %i = %c0 to %end step %c1 {
    memref.store %x, %a[%c1, %c1] : memref<?x4xf32, strided<[?, 2]>>
  }
  %m, %o, %s:2, %t:2 = memref.extract_strided_metadata %a : memref<?x4xf32, strided<[?, 2]>> -> memref<f32>, index, index, index, index, index
  %y = memref.load %a[%c1, %c1] : memref<?x4xf32, strided<[?, 2]>>
  return %y, %t#0, %t#1 : f32, index, index
}
