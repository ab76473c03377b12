// RUN: xetile-opt --xetile-infer-wg-map --split-input-file %s | FileCheck %s

// Through a loop: initial tiles, arguments, yields, results and the accumulator follow from the product alone.

// CHECK-LABEL: gpu.func @carried
// CHECK: %a = xetile.init_tile {{.*}} -> !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
// CHECK: %b = xetile.init_tile {{.*}} -> !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
// CHECK: arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>} dense<0.000000e+00> : vector<64x64xf32>
// CHECK: scf.for {{.*}} -> (!xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>, !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>, vector<64x64xf32>)
// CHECK: xetile.update_tile_offset %x, [0, 32] : !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
// CHECK: scf.yield {{.*}} : !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>, !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>, vector<64x64xf32>
gpu.module @m {
  gpu.func @carried(%A: memref<64x512xf16>, %B: memref<512x64xf16>, %C: memref<64x64xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = xetile.init_tile %A[0, 0] : memref<64x512xf16> -> !xetile.tile<64x32xf16>
    %b = xetile.init_tile %B[0, 0] : memref<512x64xf16> -> !xetile.tile<32x64xf16>
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %ra, %rb, %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %acc = %zero) -> (!xetile.tile<64x32xf16>, !xetile.tile<32x64xf16>, vector<64x64xf32>) {
      %vx = xetile.load_tile %x : !xetile.tile<64x32xf16> -> vector<64x32xf16>
      %vy = xetile.load_tile %y : !xetile.tile<32x64xf16> -> vector<32x64xf16>
      %d = xetile.tile_mma %vx, %vy, %acc {wg_map_c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>} : vector<64x32xf16>, vector<32x64xf16>, vector<64x64xf32> -> vector<64x64xf32>
      %nx = xetile.update_tile_offset %x, [0, 32] : !xetile.tile<64x32xf16>
      %ny = xetile.update_tile_offset %y, [32, 0] : !xetile.tile<32x64xf16>
      scf.yield %nx, %ny, %d : !xetile.tile<64x32xf16>, !xetile.tile<32x64xf16>, vector<64x64xf32>
    }
    %c = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32>
    xetile.store_tile %r, %c : vector<64x64xf32>, !xetile.tile<64x64xf32>
    gpu.return
  }
}

// -----

// A constant that users with different maps take is made once for each map.

// CHECK-LABEL: gpu.func @constant
// CHECK-COUNT-1: arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>} dense<1.000000e+00>
// CHECK-NEXT: %[[OTHER:.*]] = arith.constant {wg_map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>} dense<1.000000e+00>
// CHECK: xetile.store_tile %one, %s :
// CHECK: xetile.store_tile %[[OTHER]], %t :
// CHECK: xetile.store_tile %one, %s :
gpu.module @m {
  gpu.func @constant(%A: memref<64x64xf32>, %B: memref<64x64xf32>) kernel {
    %one = arith.constant dense<1.0> : vector<64x64xf32>
    %s = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>>
    %t = xetile.init_tile %B[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>>
    xetile.store_tile %one, %s : vector<64x64xf32>, !xetile.tile<64x64xf32, #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>>
    xetile.store_tile %one, %t : vector<64x64xf32>, !xetile.tile<64x64xf32, #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>>
    xetile.store_tile %one, %s : vector<64x64xf32>, !xetile.tile<64x64xf32, #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>>
    gpu.return
  }
}

// -----

// Kernels at subgroup level stay as they are.

// CHECK-LABEL: gpu.func @subgroup
// CHECK: xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32>
// CHECK-NOT: wg_map
gpu.module @m {
  gpu.func @subgroup(%A: memref<64x64xf32>) kernel {
    %s = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32>
    xetile.prefetch_tile %s : !xetile.tile<64x64xf32>
    gpu.return
  }
}
