// RUN: xetile-opt --xetile-init-duplicate %s | filecheck %s

// A tile that is loaded and stored becomes two, through the loop as well.

// CHECK-LABEL: gpu.func @load_and_store
// CHECK: %[[L:.*]] = xetile.init_tile %A[0, 0]
// CHECK: %[[S:.*]] = xetile.init_tile %A[0, 0]
// CHECK: scf.for {{.*}} iter_args(%[[LA:.*]] = %[[L]], %[[SA:.*]] = %[[S]])
// CHECK: %[[V:.*]] = xetile.load_tile %[[LA]]
// CHECK: xetile.store_tile %[[V]], %[[SA]]
// CHECK: %[[LN:.*]] = xetile.update_tile_offset %[[LA]], [32, 0]
// CHECK: %[[SN:.*]] = xetile.update_tile_offset %[[SA]], [32, 0]
// CHECK: scf.yield %[[LN]], %[[SN]]
gpu.module @m {
  gpu.func @load_and_store(%A: memref<1024x1024xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = xetile.init_tile %A[0, 0] : memref<1024x1024xf32> -> !xetile.tile<32x64xf32>
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %t) -> (!xetile.tile<32x64xf32>) {
      %v = xetile.load_tile %u : !xetile.tile<32x64xf32> -> vector<32x64xf32>
      xetile.store_tile %v, %u : vector<32x64xf32>, !xetile.tile<32x64xf32>
      %n = xetile.update_tile_offset %u, [32, 0] : !xetile.tile<32x64xf32>
      scf.yield %n : !xetile.tile<32x64xf32>
    }
    gpu.return
  }
}

// A tile used in one way stays one.

// CHECK-LABEL: gpu.func @load_only
// CHECK-COUNT-1: xetile.init_tile
// CHECK-NOT: xetile.init_tile
gpu.module @n {
  gpu.func @load_only(%A: memref<1024x1024xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<1024x1024xf32> -> !xetile.tile<32x64xf32>
    %v = xetile.load_tile %t : !xetile.tile<32x64xf32> -> vector<32x64xf32>
    gpu.return
  }
}

// A tile that the function is given serves all its uses, and a loop carries it once for each.

// CHECK-LABEL: func.func @given
// CHECK: scf.for {{.*}} iter_args(%[[L:.*]] = %t, %[[S:.*]] = %t)
// CHECK: xetile.load_tile %[[L]]
// CHECK: xetile.store_tile %{{.*}}, %[[S]]
// CHECK: scf.yield %{{.*}}, %t
func.func @given(%t: !xetile.tile<32x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (!xetile.tile<32x64xf32>) {
    %v = xetile.load_tile %u : !xetile.tile<32x64xf32> -> vector<32x64xf32>
    xetile.store_tile %v, %u : vector<32x64xf32>, !xetile.tile<32x64xf32>
    scf.yield %t : !xetile.tile<32x64xf32>
  }
  func.return
}
