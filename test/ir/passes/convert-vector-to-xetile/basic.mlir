// RUN: xetile-opt --convert-vector-to-xetile %S/../../../../examples/vector/rfc-transposed-load.mlir | filecheck %s
// RUN: xetile-opt --convert-vector-to-xetile %S/../../../../examples/vector/linalg-reduction.mlir | filecheck %s --check-prefix=ROWS
// RUN: xetile-opt --convert-vector-to-xetile --split-input-file --verify-diagnostics %s

// CHECK:      scf.for %k =
// CHECK-NEXT:   %a = xetile.init_tile %A[%i, %k] : memref<256x128xbf16> -> !xetile.tile<64x32xbf16>
// CHECK-NEXT:   %va = xetile.load_tile %a : !xetile.tile<64x32xbf16> -> vector<64x32xbf16>
// CHECK-NEXT:   %b = xetile.init_tile %B[%j, %k] : memref<192x128xbf16> -> !xetile.tile<64x32xbf16>
// CHECK-NEXT:   %vbt = xetile.load_tile %b : !xetile.tile<64x32xbf16> -> vector<64x32xbf16>
// CHECK-NEXT:   %vb = xetile.tile_transpose %vbt, [1, 0] : vector<64x32xbf16> -> vector<32x64xbf16>
// CHECK-NEXT:   %next = xetile.tile_mma %va, %vb, %acc
// CHECK-NOT:  vector.transfer

// ROWS:     xetile.tile_reduce <add>, %{{.*}} [1] : vector<32x64xf32> -> vector<32x1xf32>
// ROWS-NOT: vector.multi_reduction

func.func @masked(%A: memref<64x64xf32>, %k: vector<8x16xi1>, %i: index, %zero: f32) {
  // expected-error @below {{'vector.transfer_read' has a mask, which a tile has not; bounds of the memref hold for it}}
  %v = vector.transfer_read %A[%i, %i], %zero, %k : memref<64x64xf32>, vector<8x16xf32>
  return
}

// -----

func.func @strided(%A: memref<64x64xf32, strided<[128, 2]>>, %i: index, %zero: f32) {
  // expected-error @below {{has strides [128, 2]; a tile is of a matrix whose rows are contiguous, [pitch, 1], or whose columns are, [1, pitch]}}
  %v = vector.transfer_read %A[%i, %i], %zero : memref<64x64xf32, strided<[128, 2]>>, vector<8x16xf32>
  return
}
