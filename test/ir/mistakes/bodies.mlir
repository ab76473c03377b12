// Bodies: what ends them, what may stand in them.
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

// no return
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 8]]:3: error: this body of 'func.func' ends with 'xetile.store_tile'; end it with 'func.return'
// CHECK-NEXT:  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
}

// -----

// no return in a kernel
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 5]]:5: error: this body of 'gpu.func' ends with 'arith.constant'; end it with 'gpu.return'
// CHECK-NEXT:    %c = arith.constant 1 : i32
// CHECK-NEXT:    ^
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) kernel {
    %c = arith.constant 1 : i32
  }
}

// -----

// the return of another function
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 5]]:5: error: 'func.return' expects parent op 'func.func', found 'gpu.func'; write 'gpu.return'
// CHECK-NEXT:    func.return
// CHECK-NEXT:    ^
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) kernel {
    func.return
  }
}

// -----

// no yield
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 6]]:5: error: this body of 'scf.for' ends with 'arith.addf'; end it with 'scf.yield' of f32
// CHECK-NEXT:    %next = arith.addf %acc, %a : f32
// CHECK-NEXT:    ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
  }
  func.return %r : f32
}

// -----

// an op behind the end
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 8]]:5: error: 'gpu.return' must be the last operation in its parent block
// CHECK-NEXT:    gpu.return
// CHECK-NEXT:    ^
// CHECK-NEXT:{{.*}}bodies.mlir:[[# @LINE + 6]]:5: note: this op stands behind it
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    ^
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) kernel {
    gpu.return
    gpu.barrier
  }
}

// -----

// a kernel outside of a gpu.module
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 3]]:1: error: 'gpu.func' expects parent op 'gpu.module', found 'builtin.module'; put it into a 'gpu.module'
// CHECK-NEXT:gpu.func @k() kernel {
// CHECK-NEXT:^
gpu.func @k() kernel {
  gpu.return
}

// -----

// kernel on another function
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 3]]:16: error: 'kernel' stands on gpu.func, inside of a gpu.module; write gpu.func for func.func
// CHECK-NEXT:func.func @k() kernel {
// CHECK-NEXT:               ^
func.func @k() kernel {
  func.return
}

// -----

// a value of the function around
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 10]]:3: error: a value from outside of 'func.func' is used in its body, which sees its arguments alone; make it an argument
// CHECK-NEXT:  func.func @g() -> f32 {
// CHECK-NEXT:  ^
// CHECK-NEXT:{{.*}}bodies.mlir:[[# @LINE + 8]]:5: note: used here
// CHECK-NEXT:    func.return %a : f32
// CHECK-NEXT:    ^
// CHECK-NEXT:{{.*}}bodies.mlir:[[# @LINE + 3]]:14: note: defined here
// CHECK-NEXT:func.func @f(%a: f32) {
// CHECK-NEXT:             ^
func.func @f(%a: f32) {
  func.func @g() -> f32 {
    func.return %a : f32
  }
  func.return
}

// -----

// an operand is missing
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 6]]:5: error: 'arith.addf' has 1 operand, expected 2
// CHECK-NEXT:    %next = "arith.addf"(%acc) : (f32) -> f32
// CHECK-NEXT:    ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = "arith.addf"(%acc) : (f32) -> f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a property is missing
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 10]]:15: error: %next is used as f32 here, it is defined as i1
// CHECK-NEXT:    scf.yield %next : f32
// CHECK-NEXT:              ^
// CHECK-NEXT:{{.*}}bodies.mlir:[[# @LINE + 6]]:5: note: defined here as i1
// CHECK-NEXT:    %next = "arith.cmpf"(%acc, %a) : (f32, f32) -> i1
// CHECK-NEXT:    ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = "arith.cmpf"(%acc, %a) : (f32, f32) -> i1
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a tile for a vector
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 8]]:30: error: the value comes first: write store_tile %value, %tile : vector<..>, !xetile.tile<..>
// CHECK-NEXT:  xetile.store_tile %t, %s : !xetile.tile<64x32xf16>, vector<64x32xf16>
// CHECK-NEXT:                             ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %t, %s : !xetile.tile<64x32xf16>, vector<64x32xf16>
  func.return
}

// -----

// values are given in another order than the loop carries them
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 8]]:5: error: it gives (i32, f32), expected (f32, i32)
// CHECK-NEXT:    scf.yield %y, %x : i32, f32
// CHECK-NEXT:    ^
// CHECK-NEXT:{{.*}}bodies.mlir:[[# @LINE + 4]]:3: note: expected by this 'scf.for'
// CHECK-NEXT:  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b) -> (f32, i32) {
// CHECK-NEXT:  ^
func.func @f(%a: f32, %b: i32, %n: index) {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b) -> (f32, i32) {
    scf.yield %y, %x : i32, f32
  }
  func.return
}

// -----

// a kernel returns out of a branch
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 6]]:7: error: this body of 'scf.if' ends with 'gpu.return'; end it with 'scf.yield'
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:      ^
gpu.module @m {
  gpu.func @f(%p: i1) kernel {
    scf.if %p {
      gpu.return
    }
    gpu.return
  }
}

// -----

// a call gives too little
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 8]]:3: error: the call gives f32, the function '@f' takes f32, index
// CHECK-NEXT:  func.call @f(%a) : (f32) -> ()
// CHECK-NEXT:  ^
// CHECK-NEXT:{{.*}}bodies.mlir:[[# @LINE + 3]]:1: note: defined here
// CHECK-NEXT:func.func private @f(f32, index)
// CHECK-NEXT:^
func.func private @f(f32, index)
func.func @g(%a: f32) {
  func.call @f(%a) : (f32) -> ()
  func.return
}

// -----

// a function that gives a value returns without one
// CHECK:{{.*}}bodies.mlir:[[# @LINE + 7]]:3: error: 'func.return' gives nothing, the function's results are f32
// CHECK-NEXT:  func.return
// CHECK-NEXT:  ^
// CHECK-NEXT:{{.*}}bodies.mlir:[[# @LINE + 3]]:1: note: defined here
// CHECK-NEXT:func.func @g(%a: f32) -> f32 {
// CHECK-NEXT:^
func.func @g(%a: f32) -> f32 {
  func.return
}
