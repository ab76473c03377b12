// RUN: xetile-opt --xetile-wg-to-sg %s | FileCheck %s

// One unit of 64x64 per subgroup: the subgroup's id says which.

#map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [64, 64]>

// CHECK-LABEL: gpu.func @one_unit
// CHECK-SAME: xetile.level = "subgroup"
// CHECK: %[[ID:.*]] = gpu.subgroup_id : index
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[ROW:.*]] = arith.divui %[[ID]], %[[TWO]] : index
// CHECK: %[[SIZE:.*]] = arith.constant 64 : index
// CHECK: %[[R:.*]] = arith.muli %[[ROW]], %[[SIZE]] : index
// CHECK: %[[COLUMN:.*]] = arith.remui %[[ID]], %[[TWO]] : index
// CHECK: %[[C:.*]] = arith.muli %[[COLUMN]], %[[SIZE]] : index
// CHECK: %[[M:.*]] = arith.addi %m, %[[R]] : index
// CHECK: %[[T:.*]] = xetile.init_tile %src[%[[M]], %[[C]]] : memref<512x128xf16> -> !xetile.tile<64x64xf16>
// CHECK: xetile.load_tile %[[T]] : !xetile.tile<64x64xf16> -> vector<64x64xf16>
// CHECK-NOT: wg_map
gpu.module @m {
  gpu.func @one_unit(%src: memref<512x128xf16>, %m: index) kernel {
    %t = xetile.init_tile %src[%m, 0] : memref<512x128xf16> -> !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
    %v = xetile.load_tile %t : !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>> -> vector<128x128xf16>
    xetile.store_tile %v, %t : vector<128x128xf16>, !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = #map>>
    gpu.return
  }
}
