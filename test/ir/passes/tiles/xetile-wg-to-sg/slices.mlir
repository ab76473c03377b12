// RUN: xetile-opt --xetile-wg-to-sg --split-input-file %s | FileCheck %s

// A slice is one of each subgroup's unit where the unit is whole in the dimensions that it makes smaller. The map of the
// slice follows from that of the vector, and the other way.

// CHECK-LABEL: gpu.func @columns
// CHECK: %[[V:.*]] = xetile.load_tile %{{.*}} -> vector<16x64xf32>
// CHECK: %[[S:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0, 16], sizes = [16, 16], strides = [1, 1]} : vector<16x64xf32> to vector<16x16xf32>
// CHECK: %[[I:.*]] = vector.insert_strided_slice %[[S]], %[[V]] {offsets = [0, 48], strides = [1, 1]} : vector<16x16xf32> into vector<16x64xf32>
// CHECK: xetile.store_tile %[[I]], %{{.*}} : vector<16x64xf32>, !xetile.tile<16x64xf32>
#map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>
!tile = !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #map>>
gpu.module @m {
  gpu.func @columns(%A: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !tile
    %v = xetile.load_tile %t : !tile -> vector<64x64xf32>
    %s = vector.extract_strided_slice %v {offsets = [0, 16], sizes = [64, 16], strides = [1, 1]} : vector<64x64xf32> to vector<64x16xf32>
    %i = vector.insert_strided_slice %s, %v {offsets = [0, 48], strides = [1, 1]} : vector<64x16xf32> into vector<64x64xf32>
    xetile.store_tile %i, %t : vector<64x64xf32>, !tile
    gpu.return
  }
}

// -----

// Rows, of which only the first dimension is named; two units of columns in each of two subgroups.

// CHECK-LABEL: gpu.func @rows
// CHECK-COUNT-2: vector.extract_strided_slice %{{.*}} {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<16x16xf32> to vector<8x16xf32>
#map = #xetile.wg_map<sg_layout = [1, 2], sg_data = [8, 16]>
!tile = !xetile.tile<8x64xf32, #xetile.tile_attr<wg_map = #map>>
!whole = !xetile.tile<16x64xf32, #xetile.tile_attr<wg_map = #xetile.wg_map<sg_layout = [1, 2], sg_data = [16, 16]>>>
gpu.module @m {
  gpu.func @rows(%A: memref<16x64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = xetile.init_tile %A[0, 0] : memref<16x64xf32> -> !whole
    %v = xetile.load_tile %t : !whole -> vector<16x64xf32>
    %s = vector.extract_strided_slice %v {offsets = [8], sizes = [8], strides = [1]} : vector<16x64xf32> to vector<8x64xf32>
    %u = xetile.init_tile %A[0, 0] : memref<16x64xf32> -> !tile
    xetile.store_tile %s, %u : vector<8x64xf32>, !tile
    gpu.return
  }
}
