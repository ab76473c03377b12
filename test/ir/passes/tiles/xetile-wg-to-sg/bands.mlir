// RUN: xetile-opt --xetile-wg-to-sg="exchange-bytes=1024" %s | FileCheck %s

// 2048 bytes go through 1024, a band of 16 rows after the other: each subgroup stores and loads in the band in which
// its unit lies. The first load takes whatever is there.

#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
#blocks = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
#in = #xetile.tile_attr<wg_map = #rows>
#out = #xetile.tile_attr<wg_map = #blocks>

// CHECK-LABEL: gpu.func @bands
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<16x32xf16, {{.*}}, 3 : i64>
// CHECK: %[[V:.*]] = xetile.load_tile
// CHECK-NEXT: %[[ROW:.*]] = arith.remui %{{.*}}, %c16 : index
// CHECK-NEXT: %[[FROM:.*]] = arith.divui %{{.*}}, %c16 : index
// CHECK-NEXT: arith.remui
// CHECK-NEXT: %[[TO:.*]] = arith.divui %{{.*}}, %c16 : index
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[FROM]], %c0 : index
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[T:.*]] = xetile.init_tile %[[BUFFER]][%[[ROW]], 0]
// CHECK-NEXT: xetile.store_tile %[[V]], %[[T]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: xetile.init_tile %[[BUFFER]]
// CHECK-NEXT: %[[BEFORE:.*]] = xetile.load_tile
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi eq, %[[FROM]], %c1 : index
// CHECK-NEXT: scf.if %[[SECOND]] {
// CHECK: xetile.store_tile %[[V]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[MINE:.*]] = arith.cmpi eq, %[[TO]], %c1 : index
// CHECK-NEXT: %[[R:.*]] = scf.if %[[MINE]] -> (vector<16x16xf16>) {
// CHECK: %[[LOADED:.*]] = xetile.load_tile
// CHECK-NEXT: scf.yield %[[LOADED]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[BEFORE]]
// CHECK-NEXT: }
// CHECK-NOT: gpu.barrier
// CHECK: xetile.store_tile %[[R]]
gpu.module @m {
  gpu.func @bands(%src: memref<32x32xf16>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #in>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf16, #in> -> vector<32x32xf16>
    %r = xetile.tile_conv_layout %v {wg_map_result = #blocks} : vector<32x32xf16>
    %u = xetile.init_tile %src[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #out>
    xetile.store_tile %r, %u : vector<32x32xf16>, !xetile.tile<32x32xf16, #out>
    gpu.return
  }
}
