// Levels and messages that are written and cannot be followed. One error per chunk.
//
// RUN: xetile-opt --convert-xetile-to-xegpu=device=bmg %s --split-input-file --verify-diagnostics
// RUN: xetile-opt --xetile-blocking=device=bmg %s --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @below {{the kernel is at workgroup level; run xetile-wg-to-sg first}}
  gpu.func @workgroup(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
    gpu.return
  }
}

// -----

// The device does not have it.
#blocked = #xetile.tile_attr<inner_blocks = [32, 16]>
func.func @device(%A: memref<64x64xf16>) -> vector<1x4x32x16xf16> {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x64xf16, #blocked>
  // expected-error @below {{'message' is 32x16x4, which bmg does not have for a load of f16; of these blocks it has 32x16x1, 32x16x2}}
  %v = xetile.load_tile %t {message = #xetile.message<32x16x4>} : !xetile.tile<32x64xf16, #blocked> -> vector<1x4x32x16xf16>
  func.return %v : vector<1x4x32x16xf16>
}

// -----

#blocked = #xetile.tile_attr<inner_blocks = [32, 16]>
func.func @store(%A: memref<64x64xf16>, %v: vector<32x16xf16>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x16xf16, #blocked>
  %w = xetile.tile_pack %v {inner_blocks = array<i64: 32, 16>} : vector<32x16xf16> -> vector<1x1x32x16xf16>
  // expected-error @below {{'message' is 32x16x1, which bmg does not have for a store of f16; of these blocks it has none}}
  xetile.store_tile %w, %t {message = #xetile.message<32x16x1>} : vector<1x1x32x16xf16>, !xetile.tile<32x16xf16, #blocked>
  func.return
}

// -----

// Packed rows are for operand B.
#blocked = #xetile.tile_attr<inner_blocks = [8, 16]>
#whole = #xetile.tile_attr<inner_blocks = [16, 16]>
func.func @operand_a(%A: memref<64x64xf16>, %B: memref<64x64xf16>) -> vector<4x1x8x16xf32> {
  %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x16xf16, #blocked>
  %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<16x16xf16, #whole>
  // expected-error @below {{'message' is 8x16x1, packed, but what is loaded is operand A; packed rows are for operand B alone}}
  %a = xetile.load_tile %ta {message = #xetile.message<8x16x1, packed>} : !xetile.tile<32x16xf16, #blocked> -> vector<4x1x8x16xf16>
  %b = xetile.load_tile %tb : !xetile.tile<16x16xf16, #whole> -> vector<1x1x16x16xf16>
  %d = xetile.tile_mma %a, %b : vector<4x1x8x16xf16>, vector<1x1x16x16xf16> -> vector<4x1x8x16xf32>
  func.return %d : vector<4x1x8x16xf32>
}

// -----

// And for nothing else.
#whole = #xetile.tile_attr<inner_blocks = [16, 16]>
func.func @stored_too(%A: vector<8x16xf16>, %B: memref<64x64xf16>) -> (vector<1x1x8x16xf32>, vector<1x1x16x16xf16>) {
  %a = xetile.tile_pack %A {inner_blocks = array<i64: 8, 16>} : vector<8x16xf16> -> vector<1x1x8x16xf16>
  %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<16x16xf16, #whole>
  // expected-error @below {{'message' is 16x16x1, packed, but what is loaded is operand B and used otherwise; packed rows are for operand B alone}}
  %b = xetile.load_tile %tb {message = #xetile.message<16x16x1, packed>} : !xetile.tile<16x16xf16, #whole> -> vector<1x1x16x16xf16>
  %d = xetile.tile_mma %a, %b : vector<1x1x8x16xf16>, vector<1x1x16x16xf16> -> vector<1x1x8x16xf32>
  func.return %d, %b : vector<1x1x8x16xf32>, vector<1x1x16x16xf16>
}
