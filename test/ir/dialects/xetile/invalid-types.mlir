// What types and attributes refuse. One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{tile shape 64x31: two elements of i4 share a byte, expected even columns}}
func.func private @f(!xetile.tile<64x31xi4>)

// -----

// expected-error @below {{element type f80 is not supported; legal are i1 to i64 (also si, ui), index, f16, bf16, tf32, f32, f64, f8E4M3FN, f8E5M2}}
func.func private @f(!xetile.tile<64x32xf80>)

// -----

// expected-error @below {{element type i65 is not supported; legal are i1 to i64 (also si, ui), index, f16, bf16, tf32, f32, f64, f8E4M3FN, f8E5M2}}
func.func private @f(!xetile.tile<64x32xi65>)

// -----

// expected-error @below {{tile shape 64x? must have positive, static extents}}
func.func private @f(!xetile.tile<64x?xf16>)

// -----

// expected-error @below {{tile shape 64 has rank 1, expected 2, or 1 for a scattered tile}}
func.func private @f(!xetile.tile<64xf16>)

// -----

// expected-error @below {{tile shape 4x64x32 has rank 3, expected 2, or 1 for a scattered tile}}
func.func private @f(!xetile.tile<4x64x32xf16>)

// -----

// expected-error @below {{tile shape 0x32 must have positive, static extents}}
func.func private @f(!xetile.tile<0x32xf16>)

// -----

// expected-error @below {{a tile takes a #xetile.tile_attr, #xetile.wg_map or #xetile.scatter, found #xetile.cache_hint<cached>}}
func.func private @f(!xetile.tile<64x32xf16, #xetile.cache_hint<cached>>)

// -----

// expected-error @below {{'order' is [1, 1], expected [1, 0] or [0, 1]}}
func.func private @f(!xetile.tile<64x32xf16, <order = [1, 1]>>)

// -----

// expected-error @below {{'order' is [0], expected [1, 0] or [0, 1]}}
func.func private @f(!xetile.tile<64x32xf16, <order = [0]>>)

// -----

// expected-error @below {{'order' is a list of integers in brackets}}
func.func private @f(!xetile.tile<64x32xf16, <order = 3>>)

// -----

// expected-error @below {{'inner_blocks' is [16], expected 2 positive integers}}
func.func private @f(!xetile.tile<64x32xf16, <inner_blocks = [16]>>)

// -----

// expected-error @below {{'inner_blocks' is [16, 0], expected 2 positive integers}}
func.func private @f(!xetile.tile<64x32xf16, <inner_blocks = [16, 0]>>)

// -----

// expected-error @below {{'inner_blocks' [16, 16] do not divide the tile shape [64, 33]}}
func.func private @f(!xetile.tile<64x33xf16, <inner_blocks = [16, 16]>>)

// -----

// expected-error @below {{'memory_space' is 2 : i64, expected global (0, 1 or #gpu.address_space<global>) or shared (3 or #gpu.address_space<workgroup>)}}
func.func private @f(!xetile.tile<64x32xf16, <memory_space = 2>>)

// -----

// expected-error @below {{'memory_space' is #gpu.address_space<private>, expected global (0, 1 or #gpu.address_space<global>) or shared (3 or #gpu.address_space<workgroup>)}}
func.func private @f(!xetile.tile<64x32xf16, <memory_space = #gpu.address_space<private>>>)

// -----

// expected-error @below {{'scattered' is true or false}}
func.func private @f(!xetile.tile<64x32xf16, <scattered = 1>>)

// -----

// expected-error @below {{array_length = 2 : i64 is not read; write one wider tile and let blocking choose how it is loaded}}
func.func private @f(!xetile.tile<64x32xf16, <array_length = 2 : i64>>)

// -----

// expected-error @below {{unknown key 'memory_scope' in tile_attr; did you mean 'memory_space'? legal are sg_map, wg_map, wg, order, inner_blocks, memory_space, scattered, array_length}}
func.func private @f(!xetile.tile<64x32xf16, <memory_scope = 3>>)

// -----

// expected-error @below {{key 'order' occurs twice in tile_attr}}
func.func private @f(!xetile.tile<64x32xf16, <order = [0, 1], order = [0, 1]>>)

// -----

// expected-error @below {{'wg' and 'wg_map' are one key; give it once}}
func.func private @f(!xetile.tile<64x32xf16, <wg = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>, wg_map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>>>)

// -----

// expected-error @below {{'wg_map' is a #xetile.wg_map, found #xetile.scatter}}
func.func private @f(!xetile.tile<64x32xf16, <wg_map = #xetile.scatter>>)

// -----

// expected-error @below {{'sg_layout' is [2], expected 2 positive integers}}
func.func private @f(!xetile.tile<64x32xf16, #xetile.wg_map<sg_layout = [2], sg_data = [32, 32]>>)

// -----

// expected-error @below {{'sg_data' is [32, 0], expected 2 positive integers}}
func.func private @f(!xetile.tile<64x32xf16, #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 0]>>)

// -----

// expected-error @below {{'sg_data' is missing in wg_map}}
func.func private @f(!xetile.tile<64x32xf16, #xetile.wg_map<sg_layout = [2, 2]>>)

// -----

// expected-error @below {{unknown key 'data' in wg_map; did you mean 'sg_data'? legal are sg_layout, sg_data}}
func.func private @f(!xetile.tile<64x32xf16, #xetile.wg_map<sg_layout = [2, 2], data = [32, 32]>>)

// -----

// expected-error @below {{'wg_map' <sg_layout = [2, 1], sg_data = [32, 32]> on 100x32: extent 100 of dimension 0 is not a multiple of sg_data 32; legal are the divisors of 100}}
func.func private @f(!xetile.tile<100x32xf16, #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>>)

// -----

// expected-error @below {{'wg_map' <sg_layout = [2, 1], sg_data = [32, 32]> on 96x32: extent 96 of dimension 0 has 3 units of sg_data 32 for 2 subgroups; one number must divide the other, for which sg_data may be 1, 2, 3, 4, 6, 8, 12, 16, 24, 48, 96}}
func.func private @f(!xetile.tile<96x32xf16, #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 32]>>)

// -----

// expected-error @below {{'wg_map' <sg_layout = [2, 1], sg_data = [32, 32]> on 64: a wg_map distributes 2 dimensions, not 1}}
func.func private @f(!xetile.tile<64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [32, 32]>, scattered = true>>)

// -----

// expected-error @below {{'wi_data' is [1], expected 2 positive integers}}
func.func private @f(!xetile.tile<64x32xf16, <sg_map = <wi_layout = [1, 16], wi_data = [1]>>>)

// -----

// expected-error @below {{expected a tile of at most 16777216 elements, found 1000000000x1000000000; write a loop over smaller tiles}}
func.func private @f(!xetile.tile<1000000000x1000000000xf16>)
