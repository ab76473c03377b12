// A kernel for many subgroups that says nowhere which of them does what is taken, with a warning at what all of them store.
//
// RUN: xetile-opt --xetile-wg-to-sg %s -o %t.mlir 2>&1 | FileCheck %s
// RUN: xetile-opt --xetile-to-xevm=device=bmg %s -o %t.xevm.mlir 2>&1 | FileCheck %s
// RUN: xetile-compile --device bmg --emit ll %s -o %t.ll 2>&1 | FileCheck %s
// RUN: xetile-run %s --arg iota --arg zeros 2>&1 | FileCheck %s
// The result of the pass says its level, and is no longer warned of.
// RUN: xetile-opt --xetile-wg-to-sg %t.xevm.mlir 2>&1 | FileCheck %s --check-prefix=LATER

// CHECK: missing-map.mlir:[[#@LINE+8]]:5: warning: each of the 4 subgroups computes and stores this whole tile of 32x32: no tile has a wg_map, and nothing depends on gpu.subgroup_id; deal the tiles out by #xetile.tile_attr<wg_map = <sg_layout = [..], sg_data = [..]>>, or launch one subgroup
// CHECK-NOT: warning
// LATER-NOT: warning
gpu.module @m {
  gpu.func @k(%a: memref<64x64xf32>, %b: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %a[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf32> -> vector<32x32xf32>
    %u = xetile.init_tile %b[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
    xetile.store_tile %v, %u : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}
