// RUN: xetile-opt --xetile-blocking="device=bmg" %s | FileCheck %s

// Branches and loops carry a vector in the blocks of its class; a branch that has it otherwise repacks it.

// CHECK-LABEL: gpu.func @branches
// CHECK: %[[V:.*]] = xetile.load_tile {{.*}} -> vector<4x2x8x16xf32>
// CHECK: %[[R:.*]] = scf.if %c -> (vector<4x2x8x16xf32>) {
// CHECK: %[[X4:.*]] = xetile.tile_pack %x {inner_blocks = array<i64: 8, 16>} : vector<32x32xf32> -> vector<4x2x8x16xf32>
// CHECK: scf.yield %[[X4]] : vector<4x2x8x16xf32>
// CHECK: } else {
// CHECK: scf.yield %[[V]] : vector<4x2x8x16xf32>
// CHECK: scf.while (%{{.*}} = %[[R]]) : (vector<4x2x8x16xf32>) -> vector<4x2x8x16xf32>
// CHECK: scf.condition(%c) %{{.*}} : vector<4x2x8x16xf32>
// CHECK: %[[S:.*]] = scf.index_switch %n -> vector<4x2x8x16xf32>
// CHECK: xetile.store_tile %[[S]]
gpu.module @m {
  gpu.func @branches(%A: memref<64x64xf32>, %x: vector<32x32xf32>, %c: i1, %n: index) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v4 = xetile.load_tile %t : !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<4x2x8x16xf32>
    %v = xetile.tile_unpack %v4 {inner_blocks = array<i64: 8, 16>} : vector<4x2x8x16xf32> -> vector<32x32xf32>
    %r = scf.if %c -> (vector<32x32xf32>) {
      scf.yield %x : vector<32x32xf32>
    } else {
      scf.yield %v : vector<32x32xf32>
    }
    %w = scf.while (%p = %r) : (vector<32x32xf32>) -> vector<32x32xf32> {
      scf.condition(%c) %p : vector<32x32xf32>
    } do {
    ^bb0(%q: vector<32x32xf32>):
      scf.yield %q : vector<32x32xf32>
    }
    %s = scf.index_switch %n -> vector<32x32xf32>
    case 0 {
      scf.yield %w : vector<32x32xf32>
    }
    default {
      scf.yield %v : vector<32x32xf32>
    }
    %s4 = xetile.tile_pack %s {inner_blocks = array<i64: 8, 16>} : vector<32x32xf32> -> vector<4x2x8x16xf32>
    xetile.store_tile %s4, %t : vector<4x2x8x16xf32>, !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }

  // Elements of a constant stand in their blocks; masks and other ops without blocks are packed where blocks are needed.

  // CHECK-LABEL: gpu.func @values
  // CHECK: arith.constant dense<{{\[\[\[\[}}0, 1], [4, 5]], {{\[\[}}2, 3], [6, 7]]]]> : vector<1x2x2x2xi32>
  // CHECK: %[[M:.*]] = vector.create_mask %n, %n : vector<2x4xi1>
  // CHECK: vector.broadcast %s : i32 to vector<1x2x2x2xi32>
  // CHECK: %[[M4:.*]] = xetile.tile_pack %[[M]] {inner_blocks = array<i64: 2, 2>} : vector<2x4xi1> -> vector<1x2x2x2xi1>
  // CHECK: arith.select %[[M4]], {{.*}} : vector<1x2x2x2xi1>, vector<1x2x2x2xi32>
  gpu.func @values(%A: memref<64x64xi32>, %n: index, %s: i32) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xi32> -> !xetile.tile<2x4xi32, #xetile.tile_attr<inner_blocks = [2, 2]>>
    %k = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : vector<2x4xi32>
    %m = vector.create_mask %n, %n : vector<2x4xi1>
    %b = vector.broadcast %s : i32 to vector<2x4xi32>
    %v = arith.select %m, %k, %b : vector<2x4xi1>, vector<2x4xi32>
    %v4 = xetile.tile_pack %v {inner_blocks = array<i64: 2, 2>} : vector<2x4xi32> -> vector<1x2x2x2xi32>
    xetile.store_tile %v4, %t : vector<1x2x2x2xi32>, !xetile.tile<2x4xi32, #xetile.tile_attr<inner_blocks = [2, 2]>>
    gpu.return
  }

  // What is in the regions of other ops is blocked; what they carry themselves stays whole.

  // CHECK-LABEL: gpu.func @parallel
  // CHECK: scf.parallel
  // CHECK: %[[W:.*]] = xetile.load_tile {{.*}} -> vector<4x2x8x16xf32>
  // CHECK: xetile.store_tile %[[W]], {{.*}} : vector<4x2x8x16xf32>
  // CHECK: affine.for
  // CHECK: xetile.prefetch_tile
  // CHECK: affine.yield %{{.*}} : vector<32x32xf32>
  gpu.func @parallel(%A: memref<64x64xf32>, %x: vector<32x32xf32>, %c0: index, %c2: index, %c1: index) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    "scf.parallel"(%c0, %c2, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%i: index):
      %v = xetile.init_tile %A[%i, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
      %w = xetile.load_tile %v : !xetile.tile<32x32xf32> -> vector<32x32xf32>
      xetile.store_tile %w, %v : vector<32x32xf32>, !xetile.tile<32x32xf32>
      scf.reduce
    }) : (index, index, index) -> ()
    %y = "affine.for"(%x) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 1>, step = 1 : index, upperBoundMap = affine_map<() -> (4)>}> ({
    ^bb0(%i: index, %p: vector<32x32xf32>):
      xetile.prefetch_tile %t : !xetile.tile<32x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
      "affine.yield"(%p) : (vector<32x32xf32>) -> ()
    }) : (vector<32x32xf32>) -> vector<32x32xf32>
    gpu.return
  }
}
