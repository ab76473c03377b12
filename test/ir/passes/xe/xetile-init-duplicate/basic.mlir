// RUN: xetile-opt --xetile-init-duplicate %s | FileCheck %s

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

// Every way of using it: a load, a prefetch, an atomic update and a store, in a branch of a while loop.

// CHECK-LABEL: gpu.func @four_ways
// CHECK: %[[P:.*]] = xetile.init_tile %A[0, 0]
// CHECK: %[[L:.*]] = xetile.init_tile %A[0, 0]
// CHECK: %[[R:.*]] = xetile.init_tile %A[0, 0]
// CHECK: %[[S:.*]] = xetile.init_tile %A[0, 0]
// CHECK: scf.while (%{{.*}} = %c0, %[[P1:.*]] = %[[P]], %[[L1:.*]] = %[[L]], %[[R1:.*]] = %[[R]], %[[S1:.*]] = %[[S]])
// CHECK: xetile.prefetch_tile %[[P2:.*]] :
// CHECK: scf.if
// CHECK: %[[V:.*]] = xetile.load_tile %[[L2:.*]] :
// CHECK: %[[OLD:.*]] = xetile.atomic_rmw_tile <addf> %[[V]], %[[R2:.*]] :
// CHECK: xetile.store_tile %[[OLD]], %[[S2:.*]] :
// CHECK: xetile.update_tile_offset %[[P2]], [32, 0]
// CHECK: xetile.update_tile_offset %[[L2]], [32, 0]
// CHECK: xetile.update_tile_offset %[[R2]], [32, 0]
// CHECK: xetile.update_tile_offset %[[S2]], [32, 0]
gpu.module @o {
  gpu.func @four_ways(%A: memref<1024x1024xf32>, %n: index, %b: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = xetile.init_tile %A[0, 0] : memref<1024x1024xf32> -> !xetile.tile<32x64xf32>
    %r:2 = scf.while (%i = %c0, %u = %t) : (index, !xetile.tile<32x64xf32>) -> (index, !xetile.tile<32x64xf32>) {
      %more = arith.cmpi ult, %i, %n : index
      scf.condition(%more) %i, %u : index, !xetile.tile<32x64xf32>
    } do {
    ^bb0(%i: index, %u: !xetile.tile<32x64xf32>):
      xetile.prefetch_tile %u : !xetile.tile<32x64xf32>
      scf.if %b {
        %v = xetile.load_tile %u : !xetile.tile<32x64xf32> -> vector<32x64xf32>
        %old = xetile.atomic_rmw_tile <addf> %v, %u : vector<32x64xf32>, !xetile.tile<32x64xf32> -> vector<32x64xf32>
        xetile.store_tile %old, %u : vector<32x64xf32>, !xetile.tile<32x64xf32>
      }
      %next = xetile.update_tile_offset %u, [32, 0] : !xetile.tile<32x64xf32>
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %next : index, !xetile.tile<32x64xf32>
    }
    gpu.return
  }
}

// Scattered tiles take their indices along.

// CHECK-LABEL: gpu.func @scattered
// CHECK: %[[L:.*]] = xetile.init_tile %A, %[[I:.*]] : memref<1024xf32>
// CHECK: %[[S:.*]] = xetile.init_tile %A, %[[I]] : memref<1024xf32>
// CHECK: %[[V:.*]] = xetile.load_gather %[[L]], %m
// CHECK: xetile.store_scatter %[[V]], %[[S]], %m
gpu.module @p {
  gpu.func @scattered(%A: memref<1024xf32>, %i: vector<4x16xindex>, %m: vector<4x16xi1>) kernel {
    %t = xetile.init_tile %A, %i : memref<1024xf32>, vector<4x16xindex> -> !xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>
    %v = xetile.load_gather %t, %m : !xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>, vector<4x16xi1> -> vector<4x16xf32>
    xetile.store_scatter %v, %t, %m : vector<4x16xf32>, !xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>, vector<4x16xi1>
    gpu.return
  }
}
