// RUN: xetile-opt --xetile-wg-to-sg %s | FileCheck %s

// Indices, masks and steps are taken apart like the tile; a mask's bounds count from where the unit begins.

#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [4, 16]>
#tile = #xetile.tile_attr<wg_map = #map, scattered = true>

// CHECK-LABEL: gpu.func @scattered
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c4 : index
// CHECK: %[[INDICES:.*]] = vector.broadcast %n : index to vector<4x16xindex>
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %n, %[[START]] : index
// CHECK-NEXT: %[[POSITIVE:.*]] = arith.maxsi %[[LEFT]], %c0 : index
// CHECK-NEXT: %[[ROWS:.*]] = arith.minsi %[[POSITIVE]], %c4 : index
// CHECK-NEXT: %[[RIGHT:.*]] = arith.maxsi %n, %c0 : index
// CHECK-NEXT: %[[COLUMNS:.*]] = arith.minsi %[[RIGHT]], %c16 : index
// CHECK-NEXT: %[[MASK:.*]] = vector.create_mask %[[ROWS]], %[[COLUMNS]] : vector<4x16xi1>
// CHECK-NEXT: %[[T:.*]] = xetile.init_tile %src, %[[INDICES]] : memref<1024xf16>, vector<4x16xindex> -> !xetile.tile<4x16xf16, #xetile.tile_attr<scattered = true>>
// CHECK-NEXT: %[[U:.*]] = xetile.update_tile_offset %[[T]], %[[INDICES]] : !xetile.tile<4x16xf16, #xetile.tile_attr<scattered = true>>, vector<4x16xindex>
// CHECK-NEXT: %[[V:.*]] = xetile.load_gather %[[U]], %[[MASK]] {padding = 1.000000e+00 : f32, l1_hint = #xetile.cache_hint<cached>}
// CHECK-NEXT: xetile.store_scatter %[[V]], %[[U]], %[[MASK]]
gpu.module @m {
  gpu.func @scattered(%src: memref<1024xf16>, %n: index) kernel {
    %indices = vector.broadcast %n : index to vector<8x16xindex>
    %mask = vector.create_mask %n, %n : vector<8x16xi1>
    %t = xetile.init_tile %src, %indices : memref<1024xf16>, vector<8x16xindex> -> !xetile.tile<8x16xf16, #tile>
    %u = xetile.update_tile_offset %t, %indices : !xetile.tile<8x16xf16, #tile>, vector<8x16xindex>
    %v = xetile.load_gather %u, %mask {padding = 1.0 : f32, l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<8x16xf16, #tile>, vector<8x16xi1> -> vector<8x16xf16>
    xetile.store_scatter %v, %u, %mask : vector<8x16xf16>, !xetile.tile<8x16xf16, #tile>, vector<8x16xi1>
    gpu.return
  }
}
