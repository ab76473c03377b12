// What may be removed, joined and moved: loads only read, prefetches stay and hold nothing up.
//
// RUN: xetile-opt %s --allow-unregistered-dialect --cse --dce | FileCheck %s
// RUN: xetile-opt %s --allow-unregistered-dialect --licm | FileCheck %s --check-prefix=LICM

// Equal tiles are one tile; loads that nothing writes between are one load, prefetches or not.
// CHECK-LABEL: func.func @joined
// CHECK: %t = xetile.init_tile
// CHECK-NOT: xetile.init_tile
// CHECK: %[[V:.+]] = xetile.load_tile %t
// CHECK-NEXT: xetile.prefetch_tile %t
// CHECK-NEXT: "test.use"(%[[V]], %[[V]])
func.func @joined(%src: memref<64x64xf32>) {
  %t = xetile.init_tile %src[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %u = xetile.init_tile %src[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  xetile.prefetch_tile %t : !xetile.tile<8x16xf32>
  %w = xetile.load_tile %u : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  "test.use"(%v, %w) : (vector<8x16xf32>, vector<8x16xf32>) -> ()
  func.return
}

// A store or an atomic between two loads may change what the second one reads.
// CHECK-LABEL: func.func @written_between
// CHECK: %v = xetile.load_tile %t
// CHECK-NEXT: xetile.store_tile %s, %t
// CHECK-NEXT: %w = xetile.load_tile %t
// CHECK-NEXT: %old = xetile.atomic_rmw_tile <addf> %s, %t
// CHECK-NEXT: %x = xetile.load_tile %t
func.func @written_between(%t: !xetile.tile<8x16xf32>, %s: vector<8x16xf32>) {
  %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  xetile.store_tile %s, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
  %w = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  %old = xetile.atomic_rmw_tile <addf> %s, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>
  %x = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  "test.use"(%v, %w, %x) : (vector<8x16xf32>, vector<8x16xf32>, vector<8x16xf32>) -> ()
  func.return
}

// What nobody uses goes, except what memory or a cache sees.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: xetile.prefetch_tile %t
// CHECK-NEXT: %old = xetile.atomic_rmw_tile <addf> %s, %t
// CHECK-NEXT: func.return
func.func @unused(%t: !xetile.tile<8x16xf32>, %s: vector<8x16xf32>) {
  %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
  xetile.prefetch_tile %t : !xetile.tile<8x16xf32>
  %u = xetile.update_tile_offset %t, [8, 0] : !xetile.tile<8x16xf32>
  %r = xetile.tile_transpose %s, [1, 0] : vector<8x16xf32> -> vector<16x8xf32>
  %old = xetile.atomic_rmw_tile <addf> %s, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>
  func.return
}

// Two equal prefetches stay two.
// CHECK-LABEL: func.func @prefetches
// CHECK-NEXT: xetile.prefetch_tile
// CHECK-NEXT: xetile.prefetch_tile
func.func @prefetches(%t: !xetile.tile<8x16xf32>) {
  xetile.prefetch_tile %t : !xetile.tile<8x16xf32>
  xetile.prefetch_tile %t : !xetile.tile<8x16xf32>
  func.return
}

// What computes leaves the loop, what touches memory or a cache stays in it.
// LICM-LABEL: func.func @loop
// LICM: xetile.init_tile
// LICM-NEXT: xetile.tile_transpose
// LICM-NEXT: scf.for
// LICM-NEXT: xetile.prefetch_tile
// LICM-NEXT: xetile.load_tile
// LICM-NEXT: arith.addf
// LICM-NEXT: xetile.store_tile
func.func @loop(%src: memref<64x64xf32>, %s: vector<16x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = xetile.init_tile %src[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
    xetile.prefetch_tile %t : !xetile.tile<8x16xf32>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %r = xetile.tile_transpose %s, [1, 0] : vector<16x8xf32> -> vector<8x16xf32>
    %sum = arith.addf %v, %r : vector<8x16xf32>
    xetile.store_tile %sum, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
  }
  func.return
}
