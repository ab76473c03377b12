// Names of attributes that no op of the dialect has: each would be ignored without a word. One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%t: !xetile.tile<32x32xf16>) {
  // expected-error @below {{load_tile takes no 'paddding'; did you mean 'padding'? it takes padding, l1_hint, l2_hint, l3_hint, message, wg_map, and names with a dialect's prefix}}
  %v = xetile.load_tile %t {paddding = 1.0 : f32} : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<32x32xf16>) {
  // expected-error @below {{load_tile takes no 'paddding'; did you mean 'padding'? it takes padding, l1_hint, l2_hint, l3_hint, message, wg_map, and names with a dialect's prefix}}
  %v = "xetile.load_tile"(%t) {paddding = 1.0 : f32} : (!xetile.tile<32x32xf16>) -> vector<32x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<32x32xf16>) {
  // expected-error @below {{load_tile takes no 'paddding'; did you mean 'padding'? it takes padding, l1_hint, l2_hint, l3_hint, message, wg_map, and names with a dialect's prefix}}
  %v = "xetile.load_tile"(%t) <{paddding = 1.0 : f32}> : (!xetile.tile<32x32xf16>) -> vector<32x32xf16>
  func.return
}

// -----

func.func @f(%v: vector<32x32xf16>, %t: !xetile.tile<32x32xf16>) {
  // expected-error @below {{store_tile takes no 'l1_hnt'; did you mean 'l1_hint'? it takes l1_hint, l2_hint, l3_hint, message, wg_map, and names with a dialect's prefix}}
  xetile.store_tile %v, %t {l1_hnt = #xetile.cache_hint<cached>} : vector<32x32xf16>, !xetile.tile<32x32xf16>
  func.return
}

// -----

func.func @f(%v: vector<32x32xf16>, %t: !xetile.tile<32x32xf16>) {
  // expected-error @below {{store_tile takes no 'wgmap'; did you mean 'wg_map'?}}
  xetile.store_tile %v, %t {wgmap = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>} : vector<32x32xf16>, !xetile.tile<32x32xf16>
  func.return
}

// -----

func.func @f(%m: memref<64x64xf16>) {
  // expected-error @below {{init_tile takes no 'order'; it takes wg_map, and names with a dialect's prefix}}
  %t = xetile.init_tile %m[0, 0] {order = [0, 1]} : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  func.return
}

// -----

func.func @f(%a: vector<64x32xf16>, %b: vector<32x64xf16>) {
  // expected-error @below {{tile_mma takes no 'wg_map_d'; did you mean 'wg_map_c'? it takes wg_map_a, wg_map_b, wg_map_c, and names with a dialect's prefix}}
  %d = xetile.tile_mma %a, %b {wg_map_d = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>} : vector<64x32xf16>, vector<32x64xf16> -> vector<64x64xf32>
  func.return
}

// -----

func.func @f(%v: vector<8x16xf32>, %t: !xetile.tile<8x16xf32>) {
  // expected-error @below {{atomic_rmw_tile takes no 'ordering'; it takes wg_map, and names with a dialect's prefix}}
  %r = xetile.atomic_rmw_tile <addf> %v, %t {ordering = 1} : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>
  func.return
}

// -----

// A name without a prefix on an op of the dialect that is read under another name.
func.func @f(%v: vector<8x16xf32>) {
  // expected-error @below {{tile_transpose takes no 'permutaton'; did you mean 'permutation'?}}
  %r = "xetile.transpose"(%v) {permutation = array<i64: 1, 0>, permutaton = array<i64: 1, 0>} : (vector<8x16xf32>) -> vector<16x8xf32>
  func.return
}

// -----

// Maps on the ops of other dialects.
func.func @f(%v: vector<32x32xf32>) {
  // expected-error @below {{'wgmap' is no name of a workgroup map on arith.addf; write wg_map}}
  %s = arith.addf %v, %v {wgmap = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>} : vector<32x32xf32>
  func.return
}

// -----

// expected-error @below {{unknown key 'sg_layot' in wg_map; did you mean 'sg_layout'? legal are sg_layout, sg_data}}
func.func private @f(!xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = <sg_layot = [8, 4], sg_data = [8, 8]>>>)

// -----

// expected-error @below {{unknown key 'scatered' in tile_attr; did you mean 'scattered'? legal are sg_map, wg_map, wg, order, inner_blocks, memory_space, scattered, array_length}}
func.func private @f(!xetile.tile<64x32xf16, #xetile.tile_attr<scatered = true>>)

// -----

func.func @f(%t: !xetile.tile<32x32xf16>) {
  // expected-error @below {{'cachd' is no cache hint; did you mean 'cached'? legal are cached, uncached, streaming, read_invalidate, write_back, write_through}}
  %v = xetile.load_tile %t {l1_hint = #xetile.cache_hint<cachd>} : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  func.return
}

// -----

// What a kernel says of its launch.
gpu.module @m {
  // expected-error @below {{'known_blok_size' is no attribute that anything reads; did you mean 'known_block_size'?}}
  gpu.func @k() kernel attributes {known_blok_size = array<i32: 16, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{'VectorComputeFunctionIntel' is no attribute that anything reads; did you mean 'VectorComputeFunctionINTEL'?}}
  gpu.func @k() kernel attributes {VectorComputeFunctionIntel} {
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{'xetile.levl' is no attribute of the dialect; did you mean 'xetile.level'?}}
  gpu.func @k() kernel attributes {xetile.levl = "workgroup"} {
    gpu.return
  }
}

// -----

// expected-error @below {{'xetile.levl' is no attribute of the dialect; did you mean 'xetile.level'?}}
func.func @k() attributes {xetile.levl = "workgroup"} {
  func.return
}

// -----

func.func @f(%t: !xetile.tile<32x32xf16>) {
  // expected-error @below {{'padding' is true, elements of f16 need a float such as 1.0 : f32}}
  %v = xetile.load_tile %t {padding = true} : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  func.return
}

// -----

// expected-error @below {{'sym_name' is given twice, as a property and as another attribute}}
"func.func"() <{sym_name = "count", function_type = () -> ()}> ({
  "func.return"() : () -> ()
}) {sym_name = 1 : index} : () -> ()

// -----

func.func @f(%v: vector<24x32xf16>) {
  // expected-error @below {{an attribute of 'vector.extract_strided_slice' is a string, expected a list in brackets}}
  %s = "vector.extract_strided_slice"(%v) <{offsets = "", sizes = [8 : i64, 16 : i64], strides = [1 : i64, 1 : i64]}> : (vector<24x32xf16>) -> vector<8x16xf16>
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{vector.splat has no properties, found 1}}
  %s = "vector.splat"(%a) <{kind = 1 : i64}> : (f32) -> vector<8x16xf32>
  func.return
}
