// What is missing or too much in the text: where it was opened, what to write.
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

// a body is not closed
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 12]]:23: error: expected '}' before the end of the file
// CHECK-NEXT:  func.return %r : f32
// CHECK-NEXT:                      ^
// CHECK-NEXT:{{.*}}brackets.mlir:[[# @LINE + 3]]:41: note: this '{' is not closed
// CHECK-NEXT:func.func @f(%a: f32, %n: index) -> f32 {
// CHECK-NEXT:                                        ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32

// -----

// a loop is not closed
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 12]]:2: error: expected '}' before the end of the file
// CHECK-NEXT:}
// CHECK-NEXT: ^
// CHECK-NEXT:{{.*}}brackets.mlir:[[# @LINE + 5]]:70: note: this '{' is closed by a '}' that is indented otherwise
// CHECK-NEXT:  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
// CHECK-NEXT:                                                                     ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  func.return %r : f32
}

// -----

// a brace too many
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 11]]:1: error: this '}' closes nothing, since every '{' above is closed already; remove one '}'
// CHECK-NEXT:}
// CHECK-NEXT:^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}
}

// -----

// a module is not closed; that a function's attributes stand on a line of their own is no fault
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 10]]:4: error: expected '}' before the end of the file
// CHECK-NEXT:  }
// CHECK-NEXT:   ^
// CHECK-NEXT:{{.*}}brackets.mlir:[[# @LINE + 3]]:21: note: this '{' is not closed
// CHECK-NEXT:gpu.module @kernels {
// CHECK-NEXT:                    ^
gpu.module @kernels {
  gpu.func @f(%n: index) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    gpu.return
  }

// -----

// an angle bracket is missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 7]]:65: error: expected '>' before 'func.func'
// CHECK-NEXT:!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>
// CHECK-NEXT:                                                                ^
// CHECK-NEXT:{{.*}}brackets.mlir:[[# @LINE + 4]]:21: note: to close this '<'
// CHECK-NEXT:!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>
// CHECK-NEXT:                    ^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>
func.func private @f(!tile)

// -----

// a bracket is missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 8]]:35: error: expected ']' in offsets, found ':'
// CHECK-NEXT:  %t = xetile.init_tile %m[%c0, 0 : memref<64x32xf16> -> !xetile.tile<64x32xf16>
// CHECK-NEXT:                                  ^
// CHECK-NEXT:{{.*}}brackets.mlir:[[# @LINE + 5]]:27: note: to close this '['
// CHECK-NEXT:  %t = xetile.init_tile %m[%c0, 0 : memref<64x32xf16> -> !xetile.tile<64x32xf16>
// CHECK-NEXT:                          ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0 : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a parenthesis is missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 7]]:33: error: expected ')' before 'kernel'
// CHECK-NEXT:  gpu.func @k(%a: memref<4xf32> kernel {
// CHECK-NEXT:                                ^
// CHECK-NEXT:{{.*}}brackets.mlir:[[# @LINE + 4]]:14: note: to close this '('
// CHECK-NEXT:  gpu.func @k(%a: memref<4xf32> kernel {
// CHECK-NEXT:             ^
gpu.module @m {
  gpu.func @k(%a: memref<4xf32> kernel {
    gpu.return
  }
}

// -----

// a comma is missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 8]]:24: error: expected ',' before the tile
// CHECK-NEXT:  xetile.store_tile %s %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
// CHECK-NEXT:                       ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a colon is missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 6]]:28: error: expected ':' before the types
// CHECK-NEXT:  %v = xetile.load_tile %t !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:                           ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// all types are missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 6]]:27: error: expected ':' before the types
// CHECK-NEXT:  %v = xetile.load_tile %t
// CHECK-NEXT:                          ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// the result's type is missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 6]]:53: error: expected '->' before the result type, found '%s'
// CHECK-NEXT:  %v = xetile.load_tile %t : !xetile.tile<64x32xf16>
// CHECK-NEXT:                                                    ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a word is missing
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 5]]:31: error: expected 'step', found 'iter_args'
// CHECK-NEXT:  %r = scf.for %i = %c1 to %n iter_args(%acc = %a) -> (f32) {
// CHECK-NEXT:                              ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a number in the place of a value
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 5]]:28: error: expected a value such as %name, found '8'; make the number a value first: %number = arith.constant 8 : type
// CHECK-NEXT:  %r = scf.for %i = %c1 to 8 step %c1 iter_args(%acc = %a) -> (f32) {
// CHECK-NEXT:                           ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to 8 step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a semicolon
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 5]]:15: error: unexpected character ';'; an op ends with its line
// CHECK-NEXT:    gpu.return;
// CHECK-NEXT:              ^
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) kernel {
    gpu.return;
  }
}

// -----

// another language's comment
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 5]]:5: error: '#' begins the name of an attribute, such as #map; a comment begins with //
// CHECK-NEXT:    # done
// CHECK-NEXT:    ^
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) kernel {
    # done
    gpu.return
  }
}

// -----

// a string without end
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 3]]:31: error: this string has no end; close it with a quotation mark on its line
// CHECK-NEXT:gpu.module @m attributes {a = "x} {
// CHECK-NEXT:                              ^
gpu.module @m attributes {a = "x} {
  gpu.func @k(%a: memref<4xf32>) kernel {
    gpu.return
  }
}

// -----

// a colon for the equals sign
// CHECK:{{.*}}brackets.mlir:[[# @LINE + 4]]:9: error: expected the number of results behind ':', found 'arith.constant'; between the name of a result and its op stands '='
// CHECK-NEXT:  %c1 : arith.constant 1 : index
// CHECK-NEXT:        ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 : arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}
