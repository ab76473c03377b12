// RUN: xetile-opt --xetile-blocking="device=bmg" %s | filecheck %s
// RUN: xetile-opt --xetile-blocking="device=bmg" %s | xetile-opt --xetile-blocking="device=bmg" | filecheck %s

// Blocking writes on each access which 2D block message moves the tile: rows x columns x blocks side by side. Operand B
// is packed as it is loaded, 32 bits of neighbouring rows to a register. Written messages stay, so a second run changes
// nothing.

// CHECK-LABEL: func.func @product
// CHECK: xetile.prefetch_tile {{.*}} {message = #xetile.message<32x16x2>}
// CHECK: xetile.load_tile {{.*}} {message = #xetile.message<32x16x2>}
// CHECK: xetile.load_tile {{.*}} {message = #xetile.message<32x16x2, packed>}
// CHECK: xetile.store_tile {{.*}} {message = #xetile.message<8x16x1>}
func.func @product(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %tp = xetile.init_tile %A[32, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x64xf16>
  %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<32x64xf32>
  xetile.prefetch_tile %tp : !xetile.tile<32x32xf16>
  %a = xetile.load_tile %ta : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  %b = xetile.load_tile %tb : !xetile.tile<32x64xf16> -> vector<32x64xf16>
  %d = xetile.tile_mma %a, %b : vector<32x32xf16>, vector<32x64xf16> -> vector<32x64xf32>
  xetile.store_tile %d, %tc : vector<32x64xf32>, !xetile.tile<32x64xf32>
  func.return
}

// What goes through other ops too, here a scaling, is not packed.

// CHECK-LABEL: func.func @scaled
// CHECK: xetile.load_tile {{.*}} {message = #xetile.message<32x16x2>} : {{.*}} -> vector<1x4x32x16xf16>
func.func @scaled(%a: vector<32x32xf16>, %scale: vector<32x64xf16>, %B: memref<64x64xf16>) -> vector<32x64xf32> {
  %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x64xf16>
  %b = xetile.load_tile %tb : !xetile.tile<32x64xf16> -> vector<32x64xf16>
  %s = arith.mulf %b, %scale : vector<32x64xf16>
  %d = xetile.tile_mma %a, %s : vector<32x32xf16>, vector<32x64xf16> -> vector<32x64xf32>
  func.return %d : vector<32x64xf32>
}

// A message sees a column-major tile as it lies in memory, its columns as rows.

// CHECK-LABEL: func.func @columns
// CHECK: inner_blocks = [8, 16]
// CHECK: xetile.load_tile {{.*}} {message = #xetile.message<16x8x1, transposed>}
func.func @columns(%A: memref<64x64xf32, strided<[1, 64]>>) -> vector<32x32xf32> {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32, strided<[1, 64]>> -> !xetile.tile<32x32xf32, #xetile.tile_attr<order = [0, 1]>>
  %v = xetile.load_tile %t : !xetile.tile<32x32xf32, #xetile.tile_attr<order = [0, 1]>> -> vector<32x32xf32>
  func.return %v : vector<32x32xf32>
}

// Rows that no one message divides come in several, one below the other: 24 are 16 and 8, of the accumulator too. Of operand
// A, and prefetched, 7 rows are one message of 8, the last row of which nobody uses; what is stored is exactly 7.

// CHECK-LABEL: func.func @heights
// CHECK: inner_blocks = [8, 16]
// CHECK: xetile.prefetch_tile {{.*}} {message = #xetile.message<16x16x2 + 8x16x2>}
// CHECK: xetile.load_tile {{.*}} {message = #xetile.message<16x16x2 + 8x16x2>} : {{.*}} -> vector<3x2x8x16xf16>
// CHECK: xetile.load_tile {{.*}} {message = #xetile.message<8x16x2>} : {{.*}} -> vector<7x2x1x16xf16>
// CHECK: xetile.load_tile {{.*}} {message = #xetile.message<32x16x1 + 16x16x1, packed>} : {{.*}} -> vector<3x1x16x16xf16>
// CHECK: xetile.store_tile {{.*}} {message = #xetile.message<8x16x1>} : vector<3x1x8x16xf32>
// CHECK: xetile.store_tile {{.*}} {message = #xetile.message<4x16x1 + 2x16x1 + 1x16x1>} : vector<7x1x1x16xf32>
func.func @heights(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<24x32xf16>
  %ts = xetile.init_tile %A[24, 0] : memref<64x64xf16> -> !xetile.tile<7x32xf16>
  %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x16xf16>
  %tl = xetile.init_tile %B[0, 16] : memref<64x64xf16> -> !xetile.tile<48x16xf16>
  %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<24x16xf32>
  %td = xetile.init_tile %C[24, 0] : memref<64x64xf32> -> !xetile.tile<7x16xf32>
  xetile.prefetch_tile %ta : !xetile.tile<24x32xf16>
  %a = xetile.load_tile %ta : !xetile.tile<24x32xf16> -> vector<24x32xf16>
  %s = xetile.load_tile %ts : !xetile.tile<7x32xf16> -> vector<7x32xf16>
  %b = xetile.load_tile %tb : !xetile.tile<32x16xf16> -> vector<32x16xf16>
  %l = xetile.load_tile %tl : !xetile.tile<48x16xf16> -> vector<48x16xf16>
  %c = xetile.tile_mma %a, %b : vector<24x32xf16>, vector<32x16xf16> -> vector<24x16xf32>
  %d = xetile.tile_mma %s, %b : vector<7x32xf16>, vector<32x16xf16> -> vector<7x16xf32>
  %w = arith.constant dense<1.0> : vector<8x48xf16>
  %e = xetile.tile_mma %w, %l : vector<8x48xf16>, vector<48x16xf16> -> vector<8x16xf32>
  xetile.store_tile %c, %tc : vector<24x16xf32>, !xetile.tile<24x16xf32>
  xetile.store_tile %d, %td : vector<7x16xf32>, !xetile.tile<7x16xf32>
  func.return
}

// No message moves the tiles of gathers, of atomics and of shared memory; nor one for which the device has none.

// CHECK-LABEL: func.func @without
// CHECK-NOT: xetile.message
func.func @without(%A: memref<64x64xf32>, %o: vector<32x1xf32>, %S: memref<64x64xf32, 3>, %v: vector<16x16xf32>) -> vector<32x1xf32> {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32>
  %old = xetile.atomic_rmw_tile <addf> %v, %t : vector<16x16xf32>, !xetile.tile<16x16xf32> -> vector<16x16xf32>
  %s = xetile.init_tile %S[0, 0] : memref<64x64xf32, 3> -> !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
  xetile.store_tile %old, %s : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
  %n = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x1xf32>
  xetile.store_tile %o, %n : vector<32x1xf32>, !xetile.tile<32x1xf32>
  func.return %o : vector<32x1xf32>
}
