// What has no messages. One error per chunk.
//
// RUN: xetile-opt --xetile-blocking=device=bmg --convert-xetile-to-xegpu=device=bmg %s --split-input-file --verify-diagnostics

// More blocks than anybody would unroll.
func.func @huge(%A: memref<4096x4096xf32>) {
  // expected-error @below {{has 32768 blocks, expected at most 16384 in one subgroup; make the tile smaller, or share it among more subgroups}}
  %t = xetile.init_tile %A[0, 0] : memref<4096x4096xf32> -> !xetile.tile<4096x4096xf32>
  %v = xetile.load_tile %t : !xetile.tile<4096x4096xf32> -> vector<4096x4096xf32>
  func.return
}

// -----

// The blocks that are named are those that this tile could have, else those that a larger one could.
func.func @narrow(%A: memref<64x64xf32>, %v: vector<32x6xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x6xf32>
  // expected-error @below {{bmg has no 2D block store for blocks of 8x2 f32 in a tile of 32x6 in this role; expected 1, 2, 4 or 8 rows of 4, 8 or 16 columns, repeated}}
  xetile.store_tile %v, %t : vector<32x6xf32>, !xetile.tile<32x6xf32>
  func.return
}

// -----

// Tiles of two matrices change places in a loop.
func.func @exchanged(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %n: index) {
  // expected-note @below {{the other of them}}
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32>
  // expected-note @below {{one of them}}
  %u = xetile.init_tile %B[16, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32>
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %t, %y = %u) -> (!xetile.tile<16x16xf32>, !xetile.tile<16x16xf32>) {
    xetile.prefetch_tile %x : !xetile.tile<16x16xf32>
    // expected-error @below {{tiles of two descriptors meet in one value of a loop or branch, which is not lowered to XeGPU yet; carry each in a value of its own}}
    scf.yield %y, %x : !xetile.tile<16x16xf32>, !xetile.tile<16x16xf32>
  }
  func.return
}

// -----

// A message begins at a column of whole words, also where the tile was moved.
func.func @column(%A: memref<64x64xf16>) -> vector<16x16xf16> {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<16x16xf16>
  %u = xetile.update_tile_offset %t, [0, 1] : !xetile.tile<16x16xf16>
  // expected-error @below {{the matrix has a column offset of 2 bytes; 2D block access needs a multiple of 4}}
  %v = xetile.load_tile %u : !xetile.tile<16x16xf16> -> vector<16x16xf16>
  func.return %v : vector<16x16xf16>
}
