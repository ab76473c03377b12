// Ops that are not there: by spelling, and by the words of other dialects and tools.
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

// two letters change places
// CHECK:{{.*}}ops.mlir:[[# @LINE + 6]]:3: error: there is no op 'xetile.laod_tile'; did you mean 'xetile.load_tile'?
// CHECK-NEXT:  %v = xetile.laod_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.laod_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// the words of a name change places
// CHECK:{{.*}}ops.mlir:[[# @LINE + 6]]:3: error: there is no op 'xetile.tile_load'; did you mean 'xetile.load_tile'?
// CHECK-NEXT:  %v = xetile.tile_load %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.tile_load %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// XeGPU's name
// CHECK:{{.*}}ops.mlir:[[# @LINE + 6]]:3: error: there is no op 'xetile.load_nd'; did you mean 'xetile.load_tile'?
// CHECK-NEXT:  %v = xetile.load_nd %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_nd %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// Triton's name
// CHECK:{{.*}}ops.mlir:[[# @LINE + 6]]:3: error: there is no op 'tt.load'; did you mean 'xetile.load_tile'?
// CHECK-NEXT:  %v = tt.load %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = tt.load %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// another word for the product
// CHECK:{{.*}}ops.mlir:[[# @LINE + 7]]:3: error: there is no op 'xetile.dot'; did you mean 'xetile.tile_mma'?
// CHECK-NEXT:  %s = xetile.dot %v, %x : vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = xetile.dot %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// no dialect
// CHECK:{{.*}}ops.mlir:[[# @LINE + 8]]:3: error: there is no op 'store_tile'; did you mean 'xetile.store_tile'?
// CHECK-NEXT:  store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// the dialect is misspelt
// CHECK:{{.*}}ops.mlir:[[# @LINE + 8]]:3: error: there is no op 'xtile.store_tile'; did you mean 'xetile.store_tile'?
// CHECK-NEXT:  xtile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xtile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a sum of no type
// CHECK:{{.*}}ops.mlir:[[# @LINE + 7]]:3: error: there is no op 'arith.add'; did you mean 'arith.addf' or 'arith.addi'?
// CHECK-NEXT:  %s = arith.add %v, %x : vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.add %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a sum of integers on floats
// CHECK:{{.*}}ops.mlir:[[# @LINE + 7]]:3: error: 'arith.addi' does not take f16; did you mean 'arith.addf'?
// CHECK-NEXT:  %s = arith.addi %v, %x : vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addi %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a loop as in Python
// CHECK:{{.*}}ops.mlir:[[# @LINE + 5]]:3: error: there is no op 'for'; did you mean 'scf.for'?
// CHECK-NEXT:  for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
// CHECK-NEXT:  ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a comparison without order
// CHECK:{{.*}}ops.mlir:[[# @LINE + 6]]:21: error: predicate of arith.cmpf is 'lt', it has to be one of false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true; did you mean 'olt'?
// CHECK-NEXT:    %p = arith.cmpf lt, %acc, %a : f32
// CHECK-NEXT:                    ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %p = arith.cmpf lt, %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// another word for the kind of a reduction
// CHECK:{{.*}}ops.mlir:[[# @LINE + 7]]:28: error: 'sum' is no kind of reduction; legal are add, mul, minui, minsi, minnumf, maxui, maxsi, maxnumf, and, or, xor, maximumf, minimumf; did you mean 'add'?
// CHECK-NEXT:  %s = xetile.tile_reduce <sum>, %v [1] : vector<64x32xf16> -> vector<64x1xf16>
// CHECK-NEXT:                           ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = xetile.tile_reduce <sum>, %v [1] : vector<64x32xf16> -> vector<64x1xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a value's name without its sign
// CHECK:{{.*}}ops.mlir:[[# @LINE + 4]]:3: error: there is no op 't'; the name of a value begins with '%': write %t
// CHECK-NEXT:  t = arith.constant 0 : index
// CHECK-NEXT:  ^
func.func @f() {
  t = arith.constant 0 : index
  func.return
}
