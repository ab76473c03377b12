// Types: names of other languages, and values of another type than at their definition.
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

// float16
// CHECK:{{.*}}types.mlir:[[# @LINE + 3]]:31: error: there is no type 'float16'; did you mean 'f16'?
// CHECK-NEXT:func.func @f(%m: memref<64x32xfloat16>, %x: vector<64x32xf16>, %p: i1) {
// CHECK-NEXT:                              ^
func.func @f(%m: memref<64x32xfloat16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// fp16
// CHECK:{{.*}}types.mlir:[[# @LINE + 5]]:78: error: there is no type 'fp16'; did you mean 'f16'?
// CHECK-NEXT:  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xfp16>
// CHECK-NEXT:                                                                             ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xfp16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// half
// CHECK:{{.*}}types.mlir:[[# @LINE + 6]]:70: error: there is no type 'half'; did you mean 'f16'?
// CHECK-NEXT:  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xhalf>
// CHECK-NEXT:                                                                     ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xhalf>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// int8
// CHECK:{{.*}}types.mlir:[[# @LINE + 4]]:28: error: there is no type 'int8'; did you mean 'i8'?
// CHECK-NEXT:  %c1 = arith.constant 1 : int8
// CHECK-NEXT:                           ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : int8
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a type is misspelt
// CHECK:{{.*}}types.mlir:[[# @LINE + 4]]:9: error: there is no type '!xetile.tyle'; did you mean '!xetile.tile'?
// CHECK-NEXT:!tile = !xetile.tyle<64x32xf16, #xetile.tile_attr<wg_map = #map>>
// CHECK-NEXT:        ^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tyle<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)

// -----

// a type without its dialect
// CHECK:{{.*}}types.mlir:[[# @LINE + 4]]:9: error: there is no type '!tile'; write !xetile.tile<...>
// CHECK-NEXT:!tile = !tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
// CHECK-NEXT:        ^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)

// -----

// commas between extents
// CHECK:{{.*}}types.mlir:[[# @LINE + 3]]:27: error: expected 'x' between the extents, found ','; extents and the type of the elements are written as in 64x32xf16
// CHECK-NEXT:func.func @f(%m: memref<64,32,f16>, %x: vector<64x32xf16>, %p: i1) {
// CHECK-NEXT:                          ^
func.func @f(%m: memref<64,32,f16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a value of another type
// CHECK:{{.*}}types.mlir:[[# @LINE + 9]]:30: error: %n is used as f32 here, it is defined as index
// CHECK-NEXT:    %next = arith.addf %acc, %n : f32
// CHECK-NEXT:                             ^
// CHECK-NEXT:{{.*}}types.mlir:[[# @LINE + 3]]:23: note: defined here as index
// CHECK-NEXT:func.func @f(%a: f32, %n: index) -> f32 {
// CHECK-NEXT:                      ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %n : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// the type of a store is another
// CHECK:{{.*}}types.mlir:[[# @LINE + 11]]:21: error: %s is used as vector<64x32xf32> here, it is defined as vector<64x32xf16>
// CHECK-NEXT:  xetile.store_tile %s, %t : vector<64x32xf32>, !xetile.tile<64x32xf16>
// CHECK-NEXT:                    ^
// CHECK-NEXT:{{.*}}types.mlir:[[# @LINE + 7]]:3: note: defined here as vector<64x32xf16>
// CHECK-NEXT:  %s = arith.addf %v, %x : vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf32>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a loop carries another type
// CHECK:{{.*}}types.mlir:[[# @LINE + 8]]:57: error: %a is used as f16 here, it is defined as f32
// CHECK-NEXT:  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f16) {
// CHECK-NEXT:                                                        ^
// CHECK-NEXT:{{.*}}types.mlir:[[# @LINE + 3]]:14: note: defined here as f32
// CHECK-NEXT:func.func @f(%a: f32, %n: index) -> f32 {
// CHECK-NEXT:             ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f16) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a whole number for a float
// CHECK:{{.*}}types.mlir:[[# @LINE + 4]]:24: error: 1 is a whole number, f32 takes one with a point; write 1.0
// CHECK-NEXT:  %c1 = arith.constant 1 : f32
// CHECK-NEXT:                       ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : f32
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a point in an index
// CHECK:{{.*}}types.mlir:[[# @LINE + 4]]:3: error: a number with a point where an integer is expected; write a whole number, or a type such as f32
// CHECK-NEXT:  %c1 = arith.constant 1.0 : index
// CHECK-NEXT:  ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1.0 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// fewer types than operands
// CHECK:{{.*}}types.mlir:[[# @LINE + 6]]:38: error: 1 types for 2 operands; write one type for each operand
// CHECK-NEXT:    %next = "arith.addf"(%acc, %a) : (f32) -> f32
// CHECK-NEXT:                                     ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = "arith.addf"(%acc, %a) : (f32) -> f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// two types in one sum
// CHECK:{{.*}}types.mlir:[[# @LINE + 6]]:5: error: operand 'rhs' is index, expected f32 as the operands and results before it
// CHECK-NEXT:    %next = "arith.addf"(%acc, %n) : (f32, index) -> f32
// CHECK-NEXT:    ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = "arith.addf"(%acc, %n) : (f32, index) -> f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// more results than there are
// CHECK:{{.*}}types.mlir:[[# @LINE + 6]]:3: error: this op has 1 result, 2 are named before '='
// CHECK-NEXT:  %v, %w = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v, %w = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a type without its sign
// CHECK:{{.*}}types.mlir:[[# @LINE + 3]]:9: error: expected a type, found 'xetile.tile'; write !xetile.tile
// CHECK-NEXT:!tile = xetile.tile<64x32xf16>
// CHECK-NEXT:        ^
!tile = xetile.tile<64x32xf16>

// -----

// a store without the type of its tile
// CHECK:{{.*}}types.mlir:[[# @LINE + 4]]:46: error: expected ',' or '->' before the tile's type, found 'func.return'
// CHECK-NEXT:  xetile.store_tile %x, %t : vector<8x16xf32>
// CHECK-NEXT:                                             ^
func.func @f(%x: vector<8x16xf32>, %t: !xetile.tile<8x16xf32>) {
  xetile.store_tile %x, %t : vector<8x16xf32>
  func.return
}
