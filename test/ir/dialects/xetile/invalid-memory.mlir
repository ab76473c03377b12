// What the ops on tiles refuse. One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%f: memref<64x64xf32>) {
  // expected-error @below {{'source' memref<64x64xf32> has elements of f32, the tile of f16; expected the same}}
  %0 = xetile.init_tile %f[0, 0] : memref<64x64xf32> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%q: i16) {
  // expected-error @below {{'source' is i16, expected a memref or an address (i64, ui64, i32, ui32)}}
  %0 = xetile.init_tile %q[0, 0], [64, 64], [64, 1] : i16 -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>) {
  // expected-error @below {{'offsets' has 1 entries, memref<64x64xf16> has rank 2}}
  %0 = xetile.init_tile %src[0] : memref<64x64xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%flat: memref<64xf16>) {
  // expected-error @below {{'offsets' has 1 entries for memref<64xf16>, a matrix has at least 2}}
  %0 = xetile.init_tile %flat[0] : memref<64xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%p: i64) {
  // expected-error @below {{'offsets' has 1 entries for i64, a matrix has at least 2}}
  %0 = xetile.init_tile %p[0], [64], [1] : i64 -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>, %h: index) {
  // expected-error @below {{'sizes' and 'strides' are given for memref<64x64xf16>, whose type says them; write the offsets only}}
  %0 = xetile.init_tile %src[0, 0], [%h, 64], [64, 1] : memref<64x64xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%dyn: memref<?x?xf16>) {
  // expected-error @below {{'sizes' has 0 entries; memref<?x?xf16> needs 2, as many as offsets: write %source[offsets], [sizes], [strides]}}
  %0 = xetile.init_tile %dyn[0, 0] : memref<?x?xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%pitch: memref<64x64xf16, strided<[?, 1]>>) {
  // expected-error @below {{'sizes' has 0 entries; memref<64x64xf16, strided<[?, 1]>> needs 2, as many as offsets: write %source[offsets], [sizes], [strides]}}
  %0 = xetile.init_tile %pitch[0, 0] : memref<64x64xf16, strided<[?, 1]>> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%p: i64) {
  // expected-error @below {{expected ',' and strides in brackets after the sizes, found ':'}}
  %0 = xetile.init_tile %p[0, 0], [64, 64] : i64 -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%p: i64) {
  // expected-error @below {{'strides' has 1 entries; i64 needs 2, as many as offsets: write %source[offsets], [sizes], [strides]}}
  %0 = xetile.init_tile %p[0, 0], [64, 64], [1] : i64 -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%p: i64) {
  // expected-error @below {{'strides' is [64, 2], order [1, 0] needs stride 1 along dimension 1}}
  %0 = xetile.init_tile %p[0, 0], [64, 64], [64, 2] : i64 -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%p: i64) {
  // expected-error @below {{'strides' is [64, 1], order [0, 1] needs stride 1 along dimension 0; this is order = [1, 0]}}
  %0 = xetile.init_tile %p[0, 0], [64, 64], [64, 1] : i64 -> !xetile.tile<64x32xf16, <order = [0, 1]>>
  func.return
}

// -----

func.func @f(%wide: memref<64x64xf16, strided<[128, 2]>>) {
  // expected-error @below {{'source' memref<64x64xf16, strided<[128, 2]>> has strides [128, 2], order [1, 0] needs stride 1 along dimension 1}}
  %0 = xetile.init_tile %wide[0, 0] : memref<64x64xf16, strided<[128, 2]>> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%col: memref<64x64xf16, strided<[1, 64]>>) {
  // expected-error @below {{'source' memref<64x64xf16, strided<[1, 64]>> has strides [1, 64], order [1, 0] needs stride 1 along dimension 1; this is order = [0, 1]}}
  %0 = xetile.init_tile %col[0, 0] : memref<64x64xf16, strided<[1, 64]>> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%map: memref<64x64xf16, affine_map<(d0, d1) -> (d1, d0)>>) {
  // expected-error @below {{'source' memref<64x64xf16, affine_map<(d0, d1) -> (d1, d0)>> has strides [1, 64], order [1, 0] needs stride 1 along dimension 1; this is order = [0, 1]}}
  %0 = xetile.init_tile %map[0, 0] : memref<64x64xf16, affine_map<(d0, d1) -> (d1, d0)>> -> !xetile.tile<64x32xf16, <order = [1, 0]>>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>) {
  // expected-error @below {{'source' memref<64x64xf16> has strides [64, 1], order [0, 1] needs stride 1 along dimension 0; this is order = [1, 0]}}
  %0 = xetile.init_tile %src[0, 0] : memref<64x64xf16> -> !xetile.tile<64x32xf16, <order = [0, 1]>>
  func.return
}

// -----

func.func @f(%odd: memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>>) {
  // expected-error @below {{'source' is memref<64x64xf16, affine_map<(d0, d1) -> ((d0 floordiv 8), d1, (d0 mod 8))>>, expected a strided layout}}
  %0 = xetile.init_tile %odd[0, 0] : memref<64x64xf16, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%slm: memref<64x64xf16, 3 : i64>) {
  // expected-error @below {{'source' is in shared memory, the tile in global memory; memory_space = 3 in the tile_attr says shared}}
  %0 = xetile.init_tile %slm[0, 0] : memref<64x64xf16, 3 : i64> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>) {
  // expected-error @below {{'source' is in global memory, the tile in shared memory; memory_space = 3 in the tile_attr says shared}}
  %0 = xetile.init_tile %src[0, 0] : memref<64x64xf16> -> !xetile.tile<64x32xf16, <memory_space = 3>>
  func.return
}

// -----

func.func @f(%private: memref<64x64xf16, #gpu.address_space<private>>) {
  // expected-error @below {{'source' is in memory space #gpu.address_space<private>, expected global (0, 1 or #gpu.address_space<global>) or shared (3 or #gpu.address_space<workgroup>)}}
  %0 = xetile.init_tile %private[0, 0] : memref<64x64xf16, #gpu.address_space<private>> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>, %m: index) {
  // expected-error @below {{%m:2 stands for several values; write each one, as in %m#0, %m#1}}
  %0 = xetile.init_tile %src[%m:2] : memref<64x64xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>, %m: index) {
  // expected-error @below {{9223372036854775808 in 'offsets' is no i64}}
  %0 = xetile.init_tile %src[%m, 9223372036854775808] : memref<64x64xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>) {
  // expected-error @below {{'=>' is not read; write '->'}}
  %0 = xetile.init_tile %src[0, 0] : memref<64x64xf16> => !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>) {
  // expected-error @below {{a !xetile.tile expected, found vector<64x32xf16>}}
  %0 = xetile.init_tile %src[0, 0] : memref<64x64xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>) {
  // expected-error @below {{'tile' is !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, which needs a vector of indices: write %source, %indices}}
  %0 = xetile.init_tile %src[0, 0] : memref<64x64xf16> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// -----

func.func @f(%flat: memref<64xf16>, %idx: vector<4x32xindex>) {
  // expected-error @below {{'indices' need a scattered tile, found !xetile.tile<4x32xf16>; write scattered = true in its tile_attr}}
  %0 = xetile.init_tile %flat, %idx : memref<64xf16>, vector<4x32xindex> -> !xetile.tile<4x32xf16>
  func.return
}

// -----

func.func @f(%flat: memref<64xf16>, %jdx: vector<4x16xindex>) {
  // expected-error @below {{'indices' is vector<4x16xindex>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>> needs vector<4x32xindex>}}
  %0 = xetile.init_tile %flat, %jdx : memref<64xf16>, vector<4x16xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// -----

func.func @f(%flat: memref<64xf16>, %kdx: vector<4x32xi32>) {
  // expected-error @below {{'indices' is vector<4x32xi32>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>> needs vector<4x32xindex>}}
  %0 = xetile.init_tile %flat, %kdx : memref<64xf16>, vector<4x32xi32> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>, %idx: vector<4x32xindex>) {
  // expected-error @below {{'source' is memref<64x64xf16>, a scattered tile needs a memref of rank 0 or 1 with stride 1}}
  %0 = xetile.init_tile %src, %idx : memref<64x64xf16>, vector<4x32xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// -----

func.func @f(%step: memref<64xf16, strided<[2]>>, %idx: vector<4x32xindex>) {
  // expected-error @below {{'source' is memref<64xf16, strided<[2]>>, a scattered tile needs a memref of rank 0 or 1 with stride 1}}
  %0 = xetile.init_tile %step, %idx : memref<64xf16, strided<[2]>>, vector<4x32xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>, %m: index) {
  // expected-error @below {{'const_offsets' is missing; it has -9223372036854775808 in the place of each value}}
  %0 = "xetile.init_tile"(%src, %m, %m) <{operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>}> : (memref<64x64xf16>, index, index) -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%src: memref<64x64xf16>, %m: index) {
  // expected-error @below {{'offsets' has 0 dynamic entries and 1 values}}
  %0 = "xetile.init_tile"(%src, %m) <{const_offsets = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (memref<64x64xf16>, index) -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'result' is vector<32x64xf16>, !xetile.tile<64x32xf16> needs vector<64x32xf16>}}
  %0 = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<32x64xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'result' is vector<64x32xf32>, !xetile.tile<64x32xf16> needs vector<64x32xf16>}}
  %0 = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{a vector expected, found !xetile.tile<64x32xf16>}}
  %0 = xetile.load_tile %t : !xetile.tile<64x32xf16> -> !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>) {
  // expected-error @below {{a !xetile.tile expected, found vector<64x32xf16>}}
  %0 = xetile.load_tile %v : vector<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%blk: !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>) {
  // expected-error @below {{'result' is vector<64x32xf16>, !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>> needs vector<4x2x16x16xf16>, because inner_blocks make it 4D}}
  %0 = xetile.load_tile %blk : !xetile.tile<64x32xf16, <inner_blocks = [16, 16]>> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>) {
  // expected-error @below {{'source' is !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, a scattered tile; xetile.load_gather takes it}}
  %0 = xetile.load_tile %g : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>> -> vector<4x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'padding' is true, elements of f16 need a float such as 1.0 : f32}}
  %0 = xetile.load_tile %t {padding = true} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%i: !xetile.tile<8x16xi8>) {
  // expected-error @below {{'padding' is 1.000000e+00 : f64, elements of i8 need an integer such as 1 : i32}}
  %0 = xetile.load_tile %i {padding = 1.0} : !xetile.tile<8x16xi8> -> vector<8x16xi8>
  func.return
}

// -----

func.func @f(%i: !xetile.tile<8x16xi8>) {
  // expected-error @below {{'padding' is 256 : i64, elements of i8 go from -128 to 255}}
  %0 = xetile.load_tile %i {padding = 256} : !xetile.tile<8x16xi8> -> vector<8x16xi8>
  func.return
}

// -----

func.func @f(%ui: !xetile.tile<8x16xui8>) {
  // expected-error @below {{'padding' is -1 : i64, elements of ui8 go from 0 to 255}}
  %0 = xetile.load_tile %ui {padding = -1} : !xetile.tile<8x16xui8> -> vector<8x16xui8>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'padding' is a number, found "zero"}}
  %0 = xetile.load_tile %t {padding = "zero"} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'l1_hint' is write_back, legal here are cached, uncached, streaming, read_invalidate}}
  %0 = xetile.load_tile %t {l1_hint = #xetile.cache_hint<write_back>} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'hot' is no cache hint; legal are cached, uncached, streaming, read_invalidate, write_back, write_through}}
  %0 = xetile.load_tile %t {l1_hint = #xetile.cache_hint<hot>} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'l1_hint' is a #xetile.cache_hint, found 3 : i32}}
  %0 = xetile.load_tile %t {l1_hint = 3 : i32} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{load_tile takes no 'locality'; it takes padding, l1_hint, l2_hint, l3_hint, message}}
  %0 = xetile.load_tile %t {locality = 3} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'array_length' is not read; use one wider tile and let blocking choose how it is loaded}}
  %0 = xetile.load_tile %t {array_length = 2} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'padding' is given twice}}
  %0 = xetile.load_tile %t {padding = 1.0, padding = 1.0} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{load_tile has one result; use one wider tile and let blocking choose how it is loaded}}
  %0:2 = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>, vector<64x32xf16>
  func.return
}

// -----

func.func @f(%wg: !xetile.tile<64x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>) {
  // expected-error @below {{'wg_map' is <sg_layout = [4, 1], sg_data = [16, 32]>, the tile's is <sg_layout = [2, 2], sg_data = [32, 32]>}}
  %0 = xetile.load_tile %wg {wg_map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 32]>} : !xetile.tile<64x32xf32, <wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{load_tile has no map of its own; the tile's type says it}}
  %0 = xetile.load_tile %t {#xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %w: vector<32x64xf16>) {
  // expected-error @below {{'value' is vector<32x64xf16>, !xetile.tile<64x32xf16> needs vector<64x32xf16>}}
  xetile.store_tile %w, %t : vector<32x64xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{the value comes first: write store_tile %value, %tile : vector<..>, !xetile.tile<..>}}
  xetile.store_tile %t, %v : !xetile.tile<64x32xf16>, vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{types in parentheses are not read; write them separated by commas: type, type -> type}}
  xetile.store_tile %v, %t : (!xetile.tile<64x32xf16>, vector<64x32xf16>)
  func.return
}

// -----

func.func @f(%blk: !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>, %v: vector<64x32xf16>) {
  // expected-error @below {{'value' is vector<64x32xf16>, !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>> needs vector<4x2x16x16xf16>, because inner_blocks make it 4D}}
  xetile.store_tile %v, %blk : vector<64x32xf16>, !xetile.tile<64x32xf16, <inner_blocks = [16, 16]>>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{store_tile takes no 'padding'; it takes l1_hint, l2_hint, l3_hint, message}}
  xetile.store_tile %v, %t {padding = 1.0} : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{store_tile takes no 'padding'; it takes l1_hint, l2_hint, l3_hint, message}}
  "xetile.store_tile"(%v, %t) {padding = 1.0} : (vector<64x32xf16>, !xetile.tile<64x32xf16>) -> ()
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{'l2_hint' is read_invalidate, legal here are cached, uncached, write_back, write_through}}
  xetile.store_tile %v, %t {l2_hint = #xetile.cache_hint<read_invalidate>} : vector<64x32xf16>, !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %gv: vector<4x32xf16>) {
  // expected-error @below {{'tile' is !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, a scattered tile; xetile.store_scatter takes it}}
  xetile.store_tile %gv, %g : vector<4x32xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'locality' is 4, expected 0 (none) to 3 (keep in cache)}}
  xetile.prefetch_tile %t locality<4> : !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'l1_hint' is write_through, legal here are cached, uncached, streaming, read_invalidate}}
  xetile.prefetch_tile %t {l1_hint = #xetile.cache_hint<write_through>} : !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{prefetch_tile takes no 'padding'; it takes l1_hint, l2_hint, l3_hint, locality, message}}
  xetile.prefetch_tile %t {padding = 0.0} : !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%m: index, %t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'offsets' has 1 entries, expected 2: rows and columns}}
  %0 = xetile.update_tile_offset %t, [%m] : !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%m: index, %t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{the tile keeps its type !xetile.tile<64x32xf16>, found !xetile.tile<32x64xf16>}}
  %0 = xetile.update_tile_offset %t, [%m, 0] : !xetile.tile<64x32xf16> -> !xetile.tile<32x64xf16>
  func.return
}

// -----

func.func @f(%m: index, %t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{a single step is a vector: write %tile, %steps : tile, vector}}
  %0 = xetile.update_tile_offset %t, %m : !xetile.tile<64x32xf16>
  func.return
}

// -----

func.func @f(%m: index, %t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{2 offsets are as many of type index, found i32, i32}}
  %0 = xetile.update_tile_offset %t, %m, %m : !xetile.tile<64x32xf16>, i32, i32
  func.return
}

// -----

func.func @f(%idx: vector<4x32xindex>, %t: !xetile.tile<64x32xf16>) {
  // expected-error @below {{'tile' is !xetile.tile<64x32xf16>, no scattered tile; update_tile_offset %tile, [%rows, %columns] takes it}}
  %0 = xetile.update_tile_offset %t, %idx : !xetile.tile<64x32xf16>, vector<4x32xindex>
  func.return
}

// -----

func.func @f(%m: index, %g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>) {
  // expected-error @below {{'tile' is !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, a scattered tile; update_tile_offset %tile, %steps takes it}}
  %0 = xetile.update_tile_offset %g, [%m, %m] : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// -----

func.func @f(%jdx: vector<4x16xindex>, %g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>) {
  // expected-error @below {{'indices' is vector<4x16xindex>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>> needs vector<4x32xindex>}}
  %0 = xetile.update_tile_offset %g, %jdx : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x16xindex>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %wmask: vector<64x32xi1>) {
  // expected-error @below {{'source' is !xetile.tile<64x32xf16>, no scattered tile; xetile.load_tile takes it}}
  %0 = xetile.load_gather %t, %wmask : !xetile.tile<64x32xf16>, vector<64x32xi1> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mm: vector<4x16xi1>) {
  // expected-error @below {{'mask' is vector<4x16xi1>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>> needs vector<4x32xi1>}}
  %0 = xetile.load_gather %g, %mm : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x16xi1> -> vector<4x32xf16>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mask: vector<4x32xi1>) {
  // expected-error @below {{'padding' is true, elements of f16 need a float such as 1.0 : f32}}
  %0 = xetile.load_gather %g, %mask {padding = true} : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1> -> vector<4x32xf16>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mask: vector<4x32xi1>) {
  // expected-error @below {{'result' is vector<4x32xf32>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>> needs vector<4x32xf16>}}
  %0 = xetile.load_gather %g, %mask : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1> -> vector<4x32xf32>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mask: vector<4x32xi1>) {
  // expected-error @below {{'l3_hint' is write_back, legal here are cached, uncached, streaming, read_invalidate}}
  %0 = xetile.load_gather %g, %mask {l3_hint = #xetile.cache_hint<write_back>} : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1> -> vector<4x32xf16>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mm: vector<4x16xi1>, %gv: vector<4x32xf16>) {
  // expected-error @below {{'mask' is vector<4x16xi1>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>> needs vector<4x32xi1>}}
  xetile.store_scatter %gv, %g, %mm : vector<4x32xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x16xi1>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>, %wmask: vector<64x32xi1>) {
  // expected-error @below {{'tile' is !xetile.tile<64x32xf16>, no scattered tile; xetile.store_tile takes it}}
  xetile.store_scatter %v, %t, %wmask : vector<64x32xf16>, !xetile.tile<64x32xf16>, vector<64x32xi1>
  func.return
}

// -----

func.func @f(%g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mask: vector<4x32xi1>, %gv: vector<4x32xf16>) {
  // expected-error @below {{'l1_hint' is streaming, legal here are cached, uncached, write_back, write_through}}
  xetile.store_scatter %gv, %g, %mask {l1_hint = #xetile.cache_hint<streaming>} : vector<4x32xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %x: vector<64x32xf32>) {
  // expected-error @below {{'value' is vector<64x32xf32>, !xetile.tile<64x32xf16> needs vector<64x32xf16>}}
  %0 = xetile.atomic_rmw_tile <addf> %x, %t : vector<64x32xf32>, !xetile.tile<64x32xf16> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{'result' is vector<64x32xf32>, !xetile.tile<64x32xf16> needs vector<64x32xf16>}}
  %0 = xetile.atomic_rmw_tile <addf> %v, %t : vector<64x32xf16>, !xetile.tile<64x32xf16> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{'kind' is addi, elements of f16 take addf, mulf, maximumf, maxnumf, minimumf, minnumf, assign}}
  %0 = xetile.atomic_rmw_tile <addi> %v, %t : vector<64x32xf16>, !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%i: !xetile.tile<8x16xi8>, %bi: vector<8x16xi8>) {
  // expected-error @below {{'kind' is maxnumf, elements of i8 take addi, andi, assign, maxs, maxu, mins, minu, muli, ori, xori}}
  %0 = xetile.atomic_rmw_tile <maxnumf> %bi, %i : vector<8x16xi8>, !xetile.tile<8x16xi8> -> vector<8x16xi8>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{'and' is no kind for elements of f16; legal are addf, mulf, maximumf, maxnumf, minimumf, minnumf, assign}}
  %0 = xetile.atomic_rmw_tile <and> %v, %t : vector<64x32xf16>, !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{'swap' is no kind of atomic op; legal are addf, addi, andi, assign, maximumf, maxnumf, maxs, maxu, minimumf, minnumf, mins, minu, mulf, muli, ori, xori}}
  %0 = xetile.atomic_rmw_tile <swap> %v, %t : vector<64x32xf16>, !xetile.tile<64x32xf16> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%wg: !xetile.tile<64x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>, %x: vector<64x32xf32>) {
  // expected-error @below {{'wg_map' <sg_layout = [2, 2], sg_data = [32, 32]> makes several subgroups need the old elements of one unit of 64x32, which one updates: dimension 1 has 1 unit for 2 subgroups; use at least as many units as subgroups}}
  %0 = xetile.atomic_rmw_tile <addf> %x, %wg : vector<64x32xf32>, !xetile.tile<64x32xf32, <wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>> -> vector<64x32xf32>
  %1 = arith.negf %0 : vector<64x32xf32>
  func.return
}

// -----

func.func @f(%t: !xetile.tile<64x32xf16>, %v: vector<64x32xf16>) {
  // expected-error @below {{'kind' is 16, expected 0 to 15}}
  %0 = "xetile.atomic_rmw_tile"(%v, %t) <{kind = 16 : i64}> : (vector<64x32xf16>, !xetile.tile<64x32xf16>) -> vector<64x32xf16>
  func.return
}
