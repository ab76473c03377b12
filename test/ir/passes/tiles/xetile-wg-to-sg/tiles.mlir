// RUN: xetile-opt --xetile-wg-to-sg %s | FileCheck %s

// Order, memory space, hints and leading offsets stay; a prefetch has a map of its own; barriers stay.

#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>
#column = #xetile.tile_attr<wg_map = #map, order = [0, 1]>
#ahead = #xetile.tile_attr<wg_map = <sg_layout = [1, 2], sg_data = [16, 8]>, order = [0, 1]>
#shared = #xetile.tile_attr<wg_map = #map, memory_space = 3>

// CHECK-LABEL: gpu.func @tiles
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c8 : index
// CHECK: %[[P:.*]] = xetile.init_tile %src[%n, 0, %[[ROW]]] : memref<3x16x16xf32, strided<[256, 1, 16]>> -> !xetile.tile<16x8xf32, #xetile.tile_attr<order = [0, 1]>>
// CHECK-NEXT: xetile.prefetch_tile %[[P]] {l1_hint = #xetile.cache_hint<cached>, locality = 2 : i64}
// CHECK-NEXT: %[[T:.*]] = xetile.init_tile %src[%n, %[[ROW]], 0] : memref<3x16x16xf32, strided<[256, 1, 16]>> -> !xetile.tile<8x16xf32, #xetile.tile_attr<order = [0, 1]>>
// CHECK-NEXT: %[[V:.*]] = xetile.load_tile %[[T]] : !xetile.tile<8x16xf32, #xetile.tile_attr<order = [0, 1]>> -> vector<8x16xf32>
// CHECK-NEXT: %[[OLD:.*]] = xetile.atomic_rmw_tile <addf> %[[V]], %[[T]]
// CHECK-NEXT: %[[B:.*]] = memref.alloc() : memref<16x16xf32, 3 : i64>
// CHECK-NEXT: %[[S:.*]] = xetile.init_tile %[[B]][%[[ROW]], 0] : memref<16x16xf32, 3 : i64> -> !xetile.tile<8x16xf32, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: xetile.store_tile %[[OLD]], %[[S]]
// CHECK-NEXT: gpu.barrier
gpu.module @m {
  gpu.func @tiles(%src: memref<3x16x16xf32, strided<[256, 1, 16]>>, %n: index) kernel {
    %p = xetile.init_tile %src[%n, 0, 0] : memref<3x16x16xf32, strided<[256, 1, 16]>> -> !xetile.tile<16x16xf32, #ahead>
    xetile.prefetch_tile %p {l1_hint = #xetile.cache_hint<cached>, locality = 2 : i64} : !xetile.tile<16x16xf32, #ahead>
    %t = xetile.init_tile %src[%n, 0, 0] : memref<3x16x16xf32, strided<[256, 1, 16]>> -> !xetile.tile<16x16xf32, #column>
    %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #column> -> vector<16x16xf32>
    %old = xetile.atomic_rmw_tile <addf> %v, %t : vector<16x16xf32>, !xetile.tile<16x16xf32, #column> -> vector<16x16xf32>
    %b = memref.alloc() : memref<16x16xf32, 3>
    %s = xetile.init_tile %b[0, 0] : memref<16x16xf32, 3> -> !xetile.tile<16x16xf32, #shared>
    xetile.store_tile %old, %s : vector<16x16xf32>, !xetile.tile<16x16xf32, #shared>
    gpu.barrier
    gpu.return
  }
}
