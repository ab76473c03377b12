// Attributes: keys, words and quotation marks.
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

// a key in the plural
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 3]]:23: error: unknown key 'sg_layouts' in wg_map; did you mean 'sg_layout'? legal are sg_layout, sg_data
// CHECK-NEXT:#map = #xetile.wg_map<sg_layouts = [2, 1], sg_data = [32, 32]>
// CHECK-NEXT:                      ^
#map = #xetile.wg_map<sg_layouts = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)

// -----

// the workgroup's key
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 3]]:23: error: unknown key 'wg_layout' in wg_map; did you mean 'sg_layout'? legal are sg_layout, sg_data
// CHECK-NEXT:#map = #xetile.wg_map<wg_layout = [2, 1], sg_data = [32, 32]>
// CHECK-NEXT:                      ^
#map = #xetile.wg_map<wg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)

// -----

// a key is missing
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 3]]:22: error: 'sg_layout' is missing in wg_map
// CHECK-NEXT:#map = #xetile.wg_map<sg_data = [32, 32]>
// CHECK-NEXT:                     ^
#map = #xetile.wg_map<sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)

// -----

// a key is misspelt
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 4]]:51: error: unknown key 'wgmap' in tile_attr; did you mean 'wg_map'? legal are sg_map, wg_map, wg, order, inner_blocks, memory_space, scattered, array_length
// CHECK-NEXT:!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wgmap = #map>>
// CHECK-NEXT:                                                  ^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wgmap = #map>>
func.func private @f(!tile)

// -----

// a word for a number
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 4]]:81: error: expected an attribute such as 1 : i32, found 'shared'; write 3
// CHECK-NEXT:!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map, memory_space = shared>>
// CHECK-NEXT:                                                                                ^
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map, memory_space = shared>>
func.func private @f(!tile)

// -----

// a word for an attribute
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 6]]:39: error: expected an attribute such as 1 : i32, found 'cached'; write #xetile.cache_hint<cached>
// CHECK-NEXT:  %v = xetile.load_tile %t {l1_hint = cached} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:                                      ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t {l1_hint = cached} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// a cache hint is misspelt
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 6]]:58: error: 'cahced' is no cache hint; did you mean 'cached'? legal are cached, uncached, streaming, read_invalidate, write_back, write_through
// CHECK-NEXT:  %v = xetile.load_tile %t {l1_hint = #xetile.cache_hint<cahced>} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:                                                         ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t {l1_hint = #xetile.cache_hint<cahced>} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// no quotation marks
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 3]]:36: error: expected an attribute such as 1 : i32, found 'bmg'; write "bmg"
// CHECK-NEXT:gpu.module @m [#xevm.target<chip = bmg>] {
// CHECK-NEXT:                                   ^
gpu.module @m [#xevm.target<chip = bmg>] {
  gpu.func @k(%a: memref<4xf32>) kernel {
    gpu.return
  }
}

// -----

// a key twice
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 6]]:44: error: 'padding' is given twice
// CHECK-NEXT:  %v = xetile.load_tile %t {padding = 0.0, padding = 1.0} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT:                                           ^
func.func @f(%m: memref<64x32xf16>, %x: vector<64x32xf16>, %p: i1) {
  %c0 = arith.constant 0 : index
  %t = xetile.init_tile %m[%c0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16>
  %v = xetile.load_tile %t {padding = 0.0, padding = 1.0} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %s = arith.addf %v, %x : vector<64x32xf16>
  xetile.store_tile %s, %t : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

// an attribute is misspelt
// CHECK:{{.*}}attributes.mlir:[[# @LINE + 3]]:8: error: there is no attribute '#xetile.wgmap'; did you mean '#xetile.wg_map'?
// CHECK-NEXT:#map = #xetile.wgmap<sg_layout = [2, 1], sg_data = [32, 32]>
// CHECK-NEXT:       ^
#map = #xetile.wgmap<sg_layout = [2, 1], sg_data = [32, 32]>
!tile = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #map>>
func.func private @f(!tile)
