// RUN: xetile-opt --xetile-infer-wg-map %s | FileCheck %s
// RUN: xetile-opt --xetile-infer-wg-map %s > %t.once
// RUN: xetile-opt --xetile-infer-wg-map %t.once | diff %t.once -

// Only the product says who holds what: the tiles behind its operands get their maps in their types, ops of other
// dialects as an attribute. The second run changes nothing.

// CHECK-LABEL: gpu.func @product
// CHECK: %a = xetile.init_tile %A[%m, 0] : memref<512x32xf16> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>
// CHECK: %va = xetile.load_tile %a : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>> -> vector<256x32xf16>
// CHECK: %x = arith.negf %va {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>} : vector<256x32xf16>
// CHECK: %b = xetile.init_tile %B[0, 0] : memref<32x256xf16> -> !xetile.tile<32x256xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
// CHECK: xetile.tile_mma %x, %vb {wg_map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>, wg_map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>, wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>}
// CHECK: xetile.init_tile %C[%m, 0] : memref<512x256xf32> -> !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
gpu.module @m {
  gpu.func @product(%A: memref<512x32xf16>, %B: memref<32x256xf16>, %C: memref<512x256xf32>, %m: index) kernel {
    %a = xetile.init_tile %A[%m, 0] : memref<512x32xf16> -> !xetile.tile<256x32xf16>
    %va = xetile.load_tile %a : !xetile.tile<256x32xf16> -> vector<256x32xf16>
    %x = arith.negf %va : vector<256x32xf16>
    %b = xetile.init_tile %B[0, 0] : memref<32x256xf16> -> !xetile.tile<32x256xf16>
    %vb = xetile.load_tile %b : !xetile.tile<32x256xf16> -> vector<32x256xf16>
    %d = xetile.tile_mma %x, %vb {wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16> -> vector<256x256xf32>
    %c = xetile.init_tile %C[%m, 0] : memref<512x256xf32> -> !xetile.tile<256x256xf32>
    xetile.store_tile %d, %c : vector<256x256xf32>, !xetile.tile<256x256xf32>
    gpu.return
  }
}
