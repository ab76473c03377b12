// RUN: xetile-opt --xetile-wg-to-sg=loads=mapped --split-input-file %s | FileCheck %s

// One unit along the reduced dimension: each subgroup reduces its own.

// CHECK-LABEL: gpu.func @units
// CHECK: %[[V:.*]] = xetile.load_tile
// CHECK-NEXT: xetile.tile_reduce <maximumf>, %[[V]] [1] : vector<8x32xf32> -> vector<8x1xf32>
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @units(%src: memref<32x32xf32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 32]>>> -> vector<32x32xf32>
    %r = xetile.tile_reduce <maximumf>, %v [1] {wg_map_result = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 1]>} : vector<32x32xf32> -> vector<32x1xf32>
    gpu.return
  }
}

// -----

// Several units of one subgroup are combined element by element, then reduced.

#source = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 16]>

// CHECK-LABEL: gpu.func @rounds
// CHECK: %[[V0:.*]] = xetile.load_tile
// CHECK-NEXT: %[[V1:.*]] = xetile.load_tile
// CHECK-NEXT: %[[J:.*]] = arith.minsi %[[V0]], %[[V1]] : vector<8x16xi32>
// CHECK-NEXT: xetile.tile_reduce <minsi>, %[[J]] [1] {reassoc} : vector<8x16xi32> -> vector<8x1xi32>
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @rounds(%src: memref<32x32xi32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xi32> -> !xetile.tile<32x32xi32, #xetile.tile_attr<wg_map = #source>>
    %v = xetile.load_tile %t : !xetile.tile<32x32xi32, #xetile.tile_attr<wg_map = #source>> -> vector<32x32xi32>
    %r = xetile.tile_reduce <minsi>, %v [1] {reassoc, wg_map_result = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 1]>, wg_map_source = #source} : vector<32x32xi32> -> vector<32x1xi32>
    gpu.return
  }
}

// -----

// Spread over subgroups: one element per row and subgroup goes through shared memory, and is reduced there
// again; that is loaded with rows in lanes.

#source = #xetile.wg_map<sg_layout = [2, 4], sg_data = [16, 8]>

// CHECK-LABEL: gpu.func @subgroups
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<32x4xf32, #xetile.swizzle<{{.*}}>, 3 : i64>
// CHECK: %[[V:.*]] = xetile.load_tile
// CHECK-NEXT: %[[PART:.*]] = xetile.tile_reduce <add>, %[[V]] [1] : vector<16x8xf32> -> vector<16x1xf32>
// CHECK: %[[P:.*]] = xetile.init_tile %[[BUFFER]][%{{.*}}, %{{.*}}] : memref<32x4xf32, #xetile.swizzle<{{.*}}>, 3 : i64> -> !xetile.tile<16x1xf32, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: xetile.store_tile %[[PART]], %[[P]]
// CHECK-NEXT: gpu.barrier
// CHECK: xetile.init_tile %[[BUFFER]][%{{.*}}, 0] : memref<32x4xf32, #xetile.swizzle<{{.*}}>, 3 : i64> -> !xetile.tile<4x4xf32, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: %[[PARTS:.*]] = xetile.load_tile
// CHECK-NEXT: xetile.tile_reduce <add>, %[[PARTS]] [1] : vector<4x4xf32> -> vector<4x1xf32>
gpu.module @m {
  gpu.func @subgroups(%src: memref<32x32xf32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #source>>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #source>> -> vector<32x32xf32>
    %r = xetile.tile_reduce <add>, %v [1] {wg_map_result = #xetile.wg_map<sg_layout = [8, 1], sg_data = [4, 1]>, wg_map_source = #source} : vector<32x32xf32> -> vector<32x1xf32>
    gpu.return
  }
}
