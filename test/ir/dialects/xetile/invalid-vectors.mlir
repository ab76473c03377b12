// What the ops on the vectors of tiles refuse. One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%v: vector<64x32xf16>) {
  // expected-error @below {{'a' 64x32, 'b' 64x32 and the result 64x32 do not fit; expected (m x k) times (k x n) giving (m x n)}}
  %0 = xetile.tile_mma %v, %v : vector<64x32xf16>, vector<64x32xf16> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>) {
  // expected-error @below {{'a' 64x32, 'b' 32x128 and the result 64x64 do not fit; expected (m x k) times (k x n) giving (m x n)}}
  %0 = xetile.tile_mma %v, %b : vector<64x32xf16>, vector<32x128xf16> -> vector<64x64xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %v3: vector<4x64x32xf16>) {
  // expected-error @below {{'a', 'b' and the result are 64x32, 4x64x32, 64x32; expected all of rank 2 or all of rank 4}}
  %0 = xetile.tile_mma %v, %v3 : vector<64x32xf16>, vector<4x64x32xf16> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%b: vector<32x128xf16>, %xb: vector<64x32xbf16>) {
  // expected-error @below {{'a' has elements of bf16, 'b' of f16; expected bf16 in both}}
  %0 = xetile.tile_mma %xb, %b : vector<64x32xbf16>, vector<32x128xf16> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>) {
  // expected-error @below {{the accumulator of f16 is f32 or f16, found i32}}
  %0 = xetile.tile_mma %v, %b : vector<64x32xf16>, vector<32x128xf16> -> vector<64x128xi32>
  func.return
}

// -----

func.func @f(%a8: vector<64x32xi8>, %b8: vector<32x128xi8>) {
  // expected-error @below {{the accumulator of i8 is i32, found f32}}
  %0 = xetile.tile_mma %a8, %b8 : vector<64x32xi8>, vector<32x128xi8> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%idx: vector<4x32xindex>) {
  // expected-error @below {{'a' has elements of index, which tile_mma does not multiply; legal are f16, bf16, tf32, f8E4M3FN or f8E5M2, f32, f64, i8 or si8 or ui8, i4 or si4 or ui4}}
  %0 = xetile.tile_mma %idx, %idx : vector<4x32xindex>, vector<4x32xindex> -> vector<4x32xindex>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c16: vector<64x128xf16>) {
  // expected-error @below {{'c' is vector<64x128xf16>, expected the result's type vector<64x128xf32>}}
  %0 = xetile.tile_mma %v, %b, %c16 : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf16> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{the types are in the order C, A, B; write them in the order of the operands: A, B, C}}
  %0 = xetile.tile_mma %v, %b, %c : vector<64x128xf32>, vector<64x32xf16>, vector<32x128xf16> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{2 types for 3 operands, write them in the order of the operands: A, B, C}}
  %0 = xetile.tile_mma %v, %b, %c : vector<64x32xf16>, vector<32x128xf16> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>) {
  // expected-error @below {{A, B and optionally C expected, found 1 operands}}
  %0 = xetile.tile_mma %v : vector<64x32xf16> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>) {
  // expected-error @below {{types in parentheses are not read; write them separated by commas: type, type -> type}}
  %0 = xetile.tile_mma %v, %b : (vector<64x32xf16>, vector<32x128xf16>) -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{2 maps without names; write one, the result's, all of A, B, C, or name them wg_map_a, wg_map_b, wg_map_c}}
  %0 = xetile.tile_mma %v, %b, %c {#xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]> #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{maps stand in braces: write {#map}; tile_mma takes {#map_a #map_b #map_c} too}}
  %0 = xetile.tile_mma %v, %b, %c #map #map #map : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{'wg_map_c' is a #xetile.wg_map, found 3 : i64}}
  %0 = xetile.tile_mma %v, %b, %c {wg_map_c = 3} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{an attribute without a name is a #xetile.wg_map, found #xetile.scatter}}
  %0 = xetile.tile_mma %v, %b, %c {#xetile.scatter} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{'wg_map_c' is given twice}}
  %0 = xetile.tile_mma %v, %b, %c {wg_map_c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>, map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{'wg_map_c' <sg_layout = [2, 2], sg_data = [32, 48]> on 64x128: extent 128 of dimension 1 is not a multiple of sg_data 48; legal are the divisors of 128}}
  %0 = xetile.tile_mma %v, %b, %c {wg_map_c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 48]>} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%big: vector<64x128xf16>, %bigb: vector<128x64xf16>) {
  // expected-error @below {{K = 128 is spread over 4 subgroups (sg_layout [2, 4]); use sg_data [32, 128]}}
  %0 = xetile.tile_mma %big, %bigb {wg_map_a = #xetile.wg_map<sg_layout = [2, 4], sg_data = [32, 32]>} : vector<64x128xf16>, vector<128x64xf16> -> vector<64x64xf32>
  func.return
}

// -----

func.func @f(%big: vector<64x128xf16>, %bigb: vector<128x64xf16>) {
  // expected-error @below {{K = 128 is spread over 4 subgroups (sg_layout [4, 2]); use sg_data [128, 32]}}
  %0 = xetile.tile_mma %big, %bigb {wg_map_b = #xetile.wg_map<sg_layout = [4, 2], sg_data = [32, 32]>} : vector<64x128xf16>, vector<128x64xf16> -> vector<64x64xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{'wg_map_a' is <sg_layout = [2, 2], sg_data = [16, 32]>, wg_map_c <sg_layout = [2, 2], sg_data = [32, 64]> asks for <sg_layout = [2, 2], sg_data = [32, 32]>}}
  %0 = xetile.tile_mma %v, %b, %c {wg_map_a = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 32]>, wg_map_c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{'wg_map_b' is <sg_layout = [2, 2], sg_data = [32, 32]>, wg_map_c <sg_layout = [2, 2], sg_data = [32, 64]> asks for <sg_layout = [2, 2], sg_data = [32, 64]>}}
  %0 = xetile.tile_mma %v, %b, %c {wg_map_b = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>, wg_map_c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>, %c: vector<64x128xf32>) {
  // expected-error @below {{'wg_map_a' has sg_layout [4, 1], 'wg_map_b' [2, 2]; expected the same}}
  %0 = xetile.tile_mma %v, %b, %c {wg_map_a = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 32]>, wg_map_b = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<64x32xf16>, vector<32x128xf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// -----

func.func @f(%q4: vector<4x2x16x16xf32>) {
  // expected-error @below {{'wg_map_result' is given for vector<2x4x16x16xf32>; a map distributes the 2D vectors of a workgroup}}
  %0 = xetile.tile_transpose %q4, [1, 0, 3, 2] {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<4x2x16x16xf32> -> vector<2x4x16x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'permutation' is [1, 1], expected [1, 0] or [0, 1]}}
  %0 = xetile.tile_transpose %x, [1, 1] : vector<64x32xf32> -> vector<32x64xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'result' is 64x32, permutation [1, 0] of 64x32 gives 32x64}}
  %0 = xetile.tile_transpose %x, [1, 0] : vector<64x32xf32> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'source' is vector<64x32xf32>, 'result' vector<32x64xf16>; expected one element type}}
  %0 = xetile.tile_transpose %x, [1, 0] : vector<64x32xf32> -> vector<32x64xf16>
  func.return
}

// -----

func.func @f(%v3: vector<4x64x32xf16>) {
  // expected-error @below {{'source' is vector<4x64x32xf16>, 'result' vector<64x4x32xf16>; expected both of rank 2 or both of rank 4}}
  %0 = xetile.tile_transpose %v3, [1, 0, 2] : vector<4x64x32xf16> -> vector<64x4x32xf16>
  func.return
}

// -----

func.func @f(%q4: vector<4x2x16x16xf32>) {
  // expected-error @below {{'permutation' is [0, 1, 3, 2], expected [1, 0, 3, 2] or [0, 1, 2, 3]}}
  %0 = xetile.tile_transpose %q4, [0, 1, 3, 2] : vector<4x2x16x16xf32> -> vector<4x2x16x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'wg_map_result' <sg_layout = [2, 2], sg_data = [32, 48]> on 32x64: extent 64 of dimension 1 is not a multiple of sg_data 48; legal are the divisors of 64}}
  %0 = xetile.tile_transpose %x, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 48]>} : vector<64x32xf32> -> vector<32x64xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{2 maps without names are ambiguous; name them: {wg_map_result = #.., wg_map_source = #..}}}
  %0 = xetile.tile_transpose %x, [1, 0] {#xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]> #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<64x32xf32> -> vector<32x64xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'sum' is no kind of reduction; legal are add, mul, minui, minsi, minnumf, maxui, maxsi, maxnumf, and, or, xor, maximumf, minimumf}}
  %0 = xetile.tile_reduce <sum>, %x [1] : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'kind' is maxsi, elements of f32 are reduced by add, mul, minnumf, maxnumf, minimumf, maximumf}}
  %0 = xetile.tile_reduce <maxsi>, %x [1] : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// -----

func.func @f(%a8: vector<64x32xi8>) {
  // expected-error @below {{'kind' is minimumf, elements of i8 are reduced by add, mul, minui, minsi, maxui, maxsi, and, or, xor}}
  %0 = xetile.tile_reduce <minimumf>, %a8 [1] : vector<64x32xi8> -> vector<64x1xi8>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'reduction_dims' is [2], expected one of [], [0], [1], [0, 1]}}
  %0 = xetile.tile_reduce <add>, %x [2] : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'reduction_dims' is [1, 1], expected one of [], [0], [1], [0, 1]}}
  %0 = xetile.tile_reduce <add>, %x [1, 1] : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'result' is 64x2, expected 1 in dimension 1 of reduction_dims}}
  %0 = xetile.tile_reduce <add>, %x [1] : vector<64x32xf32> -> vector<64x2xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'source' is 64x32, 'result' 32x1; expected them equal in dimension 0}}
  %0 = xetile.tile_reduce <add>, %x [1] : vector<64x32xf32> -> vector<32x1xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'source' is vector<64x32xf32>, 'result' vector<64xf32>; expected both of rank 2 or both of rank 4}}
  %0 = xetile.tile_reduce <add>, %x [1] : vector<64x32xf32> -> vector<64xf32>
  func.return
}

// -----

func.func @f(%q4: vector<4x2x16x16xf32>) {
  // expected-error @below {{'reduction_dims' is [1], expected one of [], [0, 2], [1, 3], [0, 1, 2, 3]}}
  %0 = xetile.tile_reduce <add>, %q4 [1] : vector<4x2x16x16xf32> -> vector<4x1x16x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'reduction_size' is 5, expected a divisor of 32, the extent of dimension 1}}
  %0 = xetile.tile_reduce <add>, %x [1] {reduction_size = 5} : vector<64x32xf32> -> vector<64x4xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'reduction_size' is 8 : index, expected a number of type i64}}
  %0 = xetile.tile_reduce <add>, %x [1] {reduction_size = 8 : index} : vector<64x32xf32> -> vector<64x4xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'result' is 64x4, expected 8x32 where every 8 become one}}
  %0 = xetile.tile_reduce <add>, %x [0] {reduction_size = 8} : vector<64x32xf32> -> vector<64x4xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'reduction_size' is for one dimension of a vector of rank 2, 'reduction_dims' is [0, 1] of rank 2}}
  %0 = xetile.tile_reduce <add>, %x [0, 1] {reduction_size = 8} : vector<64x32xf32> -> vector<8x4xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'reassoc' is a word without a value, found 1 : i64}}
  %0 = xetile.tile_reduce <add>, %x [1] {reassoc = 1} : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// -----

func.func @f(%row: vector<1x32xf32>) {
  // expected-error @below {{'result' is 64x32, 'source' 1x32; expected them equal in dimension 0}}
  %0 = xetile.tile_broadcast %row [1] : vector<1x32xf32> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%row: vector<1x32xf32>) {
  // expected-error @below {{'result' is 64x64, 'source' 1x32; expected them equal in dimension 1}}
  %0 = xetile.tile_broadcast %row [0] : vector<1x32xf32> -> vector<64x64xf32>
  func.return
}

// -----

func.func @f(%row: vector<1x32xf32>) {
  // expected-error @below {{'source' is vector<1x32xf32>, 'result' vector<64x32xf16>; expected one element type}}
  %0 = xetile.tile_broadcast %row [0] : vector<1x32xf32> -> vector<64x32xf16>
  func.return
}

// -----

func.func @f(%one: vector<64x1xf32>) {
  // expected-error @below {{'wg_map_source' is <sg_layout = [2, 2], sg_data = [16, 1]>, wg_map_result <sg_layout = [2, 2], sg_data = [32, 16]> asks for <sg_layout = [2, 2], sg_data = [32, 1]>}}
  %0 = xetile.tile_broadcast %one [1] {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 16]>, wg_map_source = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 1]>} : vector<64x1xf32> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'wg_map_result' is missing: the map that the result shall have}}
  %0 = xetile.tile_conv_layout %x : vector<64x32xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{2 maps without names are ambiguous; name them: {wg_map_result = #.., wg_map_source = #..}}}
  %0 = xetile.tile_conv_layout %x {#xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]> #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : vector<64x32xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'wg_map_source' <sg_layout = [3, 1], sg_data = [32, 16]> on 64x32: extent 64 of dimension 0 has 2 units of sg_data 32 for 3 subgroups; one number must divide the other, for which sg_data may be 64}}
  %0 = xetile.tile_conv_layout %x {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 16]>, wg_map_source = #xetile.wg_map<sg_layout = [3, 1], sg_data = [32, 16]>} : vector<64x32xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{the vector keeps its type vector<64x32xf32>, found vector<32x64xf32>}}
  %0 = xetile.tile_conv_layout %x {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 16]>} : vector<64x32xf32> -> vector<32x64xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'inner_blocks' is [16, 16, 16], expected 2 positive integers}}
  %0 = xetile.tile_pack %x {inner_blocks = [16, 16, 16]} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'inner_blocks' is a list such as [16, 16], found 16 : i64}}
  %0 = xetile.tile_pack %x {inner_blocks = 16} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{{inner_blocks = array<i64: 16, 16>} expected before the types}}
  %0 = xetile.tile_pack %x : vector<64x32xf32> -> vector<4x2x16x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'inner_blocks' [24, 16] do not divide 64x32}}
  %0 = xetile.tile_pack %x {inner_blocks = [24, 16]} : vector<64x32xf32> -> vector<2x2x24x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{blocks of 16x16 make 64x32 4x2x16x16, found 2x4x16x16}}
  %0 = xetile.tile_pack %x {inner_blocks = [16, 16]} : vector<64x32xf32> -> vector<2x4x16x16xf32>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'source' and 'result' have elements of f32 and f16, expected the same}}
  %0 = xetile.tile_pack %x {inner_blocks = [16, 16]} : vector<64x32xf32> -> vector<4x2x16x16xf16>
  func.return
}

// -----

func.func @f(%x: vector<64x32xf32>) {
  // expected-error @below {{'source' and 'result' are vector<64x32xf32> and vector<64x32xf32>, expected rank 2 and rank 4}}
  %0 = xetile.tile_pack %x {inner_blocks = [16, 16]} : vector<64x32xf32> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%q4: vector<4x2x16x16xf32>) {
  // expected-error @below {{blocks of 16x8 make 64x32 4x4x16x8, found 4x2x16x16}}
  %0 = xetile.tile_unpack %q4 {inner_blocks = [16, 8]} : vector<4x2x16x16xf32> -> vector<64x32xf32>
  func.return
}

// -----

func.func @f(%q4: vector<4x2x16x16xf32>) {
  // expected-error @below {{blocks of 16x16 make 64x64 4x4x16x16, found 4x2x16x16}}
  %0 = xetile.tile_unpack %q4 {inner_blocks = [16, 16]} : vector<4x2x16x16xf32> -> vector<64x64xf32>
  func.return
}

// -----

func.func @f(%v: vector<64x32xf16>, %b: vector<32x128xf16>) {
  // expected-error @below {{'wg_map' is called 'wg_map_c' on tile_mma}}
  %0 = "xetile.tile_mma"(%v, %b) {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} : (vector<64x32xf16>, vector<32x128xf16>) -> vector<64x128xf32>
  func.return
}

// -----

func.func @flags_of_integers(%v: vector<8x16xi32>) {
  // expected-error @below {{'fastmath' says how floats are computed, elements are i32}}
  %r = xetile.tile_reduce <add>, %v [1] {fastmath = #arith.fastmath<nnan>} : vector<8x16xi32> -> vector<8x1xi32>
  return
}

// -----

func.func @flags_of_another_kind(%v: vector<8x16xf32>) {
  // expected-error @below {{'fastmath' is #arith.fastmath<...>, found 3 : i64}}
  %r = xetile.tile_reduce <add>, %v [1] {fastmath = 3} : vector<8x16xf32> -> vector<8x1xf32>
  return
}
