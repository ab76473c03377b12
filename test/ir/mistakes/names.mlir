// Names that are not there, or are there twice: what is meant, and the other place.
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

// a value is misspelt
// CHECK:{{.*}}names.mlir:[[# @LINE + 7]]:19: error: value %vv is used but not defined; did you mean '%v'?
// CHECK-NEXT:  %s = arith.addf %vv, %x : vector<64x32xf16>
// CHECK-NEXT:                  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %vv, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a value of another name
// CHECK:{{.*}}names.mlir:[[# @LINE + 6]]:24: error: value %acc0 is used but not defined; did you mean '%acc'?
// CHECK-NEXT:    %next = arith.addf %acc0, %a : f32
// CHECK-NEXT:                       ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc0, %a : f32
    scf.yield %next : f32
  }
  func.return %r : f32
}

// -----

// a value of a loop's body
// CHECK:{{.*}}names.mlir:[[# @LINE + 12]]:15: error: value %next is used but not defined; a loop or branch gives values out by its yield and its results
// CHECK-NEXT:  func.return %next : f32
// CHECK-NEXT:              ^
// CHECK-NEXT:{{.*}}names.mlir:[[# @LINE + 6]]:5: note: defined here, in a body that this place is not in
// CHECK-NEXT:    %next = arith.addf %acc, %a : f32
// CHECK-NEXT:    ^
func.func @f(%a: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %a) -> (f32) {
    %next = arith.addf %acc, %a : f32
    scf.yield %next : f32
  }
  func.return %next : f32
}

// -----

// a value twice
// CHECK:{{.*}}names.mlir:[[# @LINE + 10]]:3: error: redefinition of value %v; give one of the two another name
// CHECK-NEXT:  %v = arith.addf %v, %x : vector<64x32xf16>
// CHECK-NEXT:  ^
// CHECK-NEXT:{{.*}}names.mlir:[[# @LINE + 6]]:3: note: previously defined here
// CHECK-NEXT:  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %v = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a value before its definition
// CHECK:{{.*}}names.mlir:[[# @LINE + 9]]:3: error: operand %t2 is used before it is defined
// CHECK-NEXT:  %u = xetile.load_tile %t2 : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:  ^
// CHECK-NEXT:{{.*}}names.mlir:[[# @LINE + 9]]:3: note: defined here
// CHECK-NEXT:  %t2 = xetile.init_tile %m[0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %u = xetile.load_tile %t2 : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %u, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  %t2 = xetile.init_tile %m[0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

// an alias is misspelt
// CHECK:{{.*}}names.mlir:[[# @LINE + 4]]:60: error: there is no alias '#mp'; did you mean '#map'?
// CHECK-NEXT:!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #mp>>
// CHECK-NEXT:                                                           ^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #mp>>
func.func private @f(!tile)

// -----

// a type's alias in capitals
// CHECK:{{.*}}names.mlir:[[# @LINE + 5]]:22: error: there is no alias '!Tile'; did you mean '!tile'?
// CHECK-NEXT:func.func private @f(!Tile)
// CHECK-NEXT:                     ^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!Tile)

// -----

// an alias below its use
// CHECK:{{.*}}names.mlir:[[# @LINE + 6]]:60: error: there is no alias '#map'
// CHECK-NEXT:!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
// CHECK-NEXT:                                                           ^
// CHECK-NEXT:{{.*}}names.mlir:[[# @LINE + 5]]:1: note: defined here; an alias is defined before it is used
// CHECK-NEXT:#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
// CHECK-NEXT:^
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>

// -----

// an alias twice
// CHECK:{{.*}}names.mlir:[[# @LINE + 8]]:1: error: redefinition of alias '!tile'; give one of the two another name
// CHECK-NEXT:!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
// CHECK-NEXT:^
// CHECK-NEXT:{{.*}}names.mlir:[[# @LINE + 4]]:1: note: previously defined here
// CHECK-NEXT:!tile = f32
// CHECK-NEXT:^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = f32
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)

// -----

// a symbol twice
// CHECK:{{.*}}names.mlir:[[# @LINE + 10]]:3: error: redefinition of symbol 'k'; give one of the two another name
// CHECK-NEXT:  gpu.func @k() kernel {
// CHECK-NEXT:  ^
// CHECK-NEXT:{{.*}}names.mlir:[[# @LINE + 4]]:3: note: previously defined here
// CHECK-NEXT:  gpu.func @k(%a: memref<4xf32>) kernel {
// CHECK-NEXT:  ^
gpu.module @m {
  gpu.func @k(%a: memref<4xf32>) kernel {
    gpu.return
  }
  gpu.func @k() kernel {
    gpu.return
  }
}

// -----

// a function that is not there
// CHECK:{{.*}}names.mlir:[[# @LINE + 9]]:3: error: there is no symbol '@ff'; did you mean '@f'?
// CHECK-NEXT:  func.call @ff() : () -> ()
// CHECK-NEXT:  ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.call @ff() : () -> ()
  func.return
}

// -----

// a block twice
// CHECK:{{.*}}names.mlir:[[# @LINE + 10]]:1: error: redefinition of block ^a; give one of the two another label
// CHECK-NEXT:^a:
// CHECK-NEXT:^
// CHECK-NEXT:{{.*}}names.mlir:[[# @LINE + 5]]:1: note: previously defined here
// CHECK-NEXT:^a:
// CHECK-NEXT:^
func.func @f() {
  cf.br ^a
^a:
  cf.br ^a
^a:
  func.return
}

// -----

// a block that is not there
// CHECK:{{.*}}names.mlir:[[# @LINE + 4]]:9: error: block ^body2 is branched to but not defined in this body; did you mean '^body'?
// CHECK-NEXT:  cf.br ^body2
// CHECK-NEXT:        ^
func.func @f() {
  cf.br ^body2
^body:
  func.return
}

// -----

// the sign of a value is missing
// CHECK:{{.*}}names.mlir:[[# @LINE + 8]]:21: error: expected a value such as %name, found 's'; did you mean %s?
// CHECK-NEXT:  xetile.store_tile s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
// CHECK-NEXT:                    ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// the sign of a symbol is missing
// CHECK:{{.*}}names.mlir:[[# @LINE + 4]]:12: error: expected a name such as @name, found 'k'; write @k
// CHECK-NEXT:  gpu.func k(%a: memref<4xf32>) kernel {
// CHECK-NEXT:           ^
gpu.module @m {
  gpu.func k(%a: memref<4xf32>) kernel {
    gpu.return
  }
}
