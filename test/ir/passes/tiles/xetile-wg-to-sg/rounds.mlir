// RUN: xetile-opt --xetile-wg-to-sg --split-input-file %s | FileCheck %s

// Twice as many rows of units as subgroups: each subgroup has two, a round of 64 rows apart.

#map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>

// CHECK-LABEL: gpu.func @two_rounds
// CHECK: %[[M0:.*]] = arith.addi %m, %{{.*}} : index
// CHECK: %[[T0:.*]] = xetile.init_tile %src[%[[M0]], %{{.*}}] : memref<512x128xf16> -> !xetile.tile<32x64xf16>
// CHECK: %[[M1:.*]] = arith.addi %m, %{{.*}} : index
// CHECK: %[[T1:.*]] = xetile.init_tile %src[%[[M1]], %{{.*}}] : memref<512x128xf16> -> !xetile.tile<32x64xf16>
// CHECK: xetile.prefetch_tile %[[T0]]
// CHECK-NEXT: xetile.prefetch_tile %[[T1]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[T0]], %{{.*}} = %[[T1]])
gpu.module @m {
  gpu.func @two_rounds(%src: memref<512x128xf16>, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = xetile.init_tile %src[%m, 0] : memref<512x128xf16> -> !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
    xetile.prefetch_tile %t : !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (!xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>) {
      %w = xetile.update_tile_offset %u, [%c0, %c1] : !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
      scf.yield %w : !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
    }
    gpu.return
  }
}

// -----

// Fewer units than subgroups along the columns: subgroups share them, the column starts at the tile's.

#map = #xetile.wg_map<sg_layout = [2, 3], sg_data = [64, 128]>

// CHECK-LABEL: gpu.func @shared
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: arith.divui %{{.*}}, %[[THREE]] : index
// CHECK: xetile.init_tile %src[%{{.*}}, 0] : memref<512x128xf16> -> !xetile.tile<64x128xf16>
gpu.module @m {
  gpu.func @shared(%src: memref<512x128xf16>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<512x128xf16> -> !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
    xetile.prefetch_tile %t : !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
    gpu.return
  }
}

// -----

// A constant that is no splat: the subgroup's slice is selected by where its unit starts.

#map = #xetile.wg_map<sg_layout = [1, 2], sg_data = [1, 2]>

// CHECK-LABEL: gpu.func @constant
// CHECK: %[[FIRST:.*]] = arith.constant dense<{{\[\[}}1, 2]]> : vector<1x2xi32>
// CHECK: %[[SECOND:.*]] = arith.constant dense<{{\[\[}}3, 4]]> : vector<1x2xi32>
// CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[V:.*]] = arith.select %[[IS]], %[[SECOND]], %[[FIRST]] : vector<1x2xi32>
// CHECK: xetile.store_tile %[[V]]
gpu.module @m {
  gpu.func @constant(%src: memref<1x64xi32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<1x64xi32> -> !xetile.tile<1x4xi32, #xetile.tile_attr<wg_map = #map>>
    %v = arith.constant dense<[[1, 2, 3, 4]]> : vector<1x4xi32>
    xetile.store_tile %v, %t : vector<1x4xi32>, !xetile.tile<1x4xi32, #xetile.tile_attr<wg_map = #map>>
    gpu.return
  }
}
