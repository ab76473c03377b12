// RUN: xetile-opt --xetile-wg-to-sg --split-input-file %s | FileCheck %s

// A has K in four units per subgroup, B in one that all share: a slice of B for each unit of A, K ascending.

#map_a = #xetile.wg_map<sg_layout = [8, 1], sg_data = [32, 16]>
#map_b = #xetile.wg_map<sg_layout = [8, 1], sg_data = [64, 64]>

// CHECK-LABEL: gpu.func @rows_of_b
// CHECK-COUNT-4: xetile.load_tile %{{.*}} : !xetile.tile<32x16xf16> -> vector<32x16xf16>
// CHECK: %[[B:.*]] = xetile.load_tile %{{.*}} : !xetile.tile<64x64xf16> -> vector<64x64xf16>
// CHECK-NEXT: %[[B0:.*]] = vector.extract_strided_slice %[[B]] {offsets = [0, 0], sizes = [16, 64], strides = [1, 1]} : vector<64x64xf16> to vector<16x64xf16>
// CHECK-NEXT: %[[B1:.*]] = vector.extract_strided_slice %[[B]] {offsets = [16, 0], sizes = [16, 64], strides = [1, 1]}
// CHECK-NEXT: %[[B2:.*]] = vector.extract_strided_slice %[[B]] {offsets = [32, 0], sizes = [16, 64], strides = [1, 1]}
// CHECK-NEXT: %[[B3:.*]] = vector.extract_strided_slice %[[B]] {offsets = [48, 0], sizes = [16, 64], strides = [1, 1]}
// CHECK-NEXT: %[[S0:.*]] = xetile.tile_mma %{{.*}}, %[[B0]] : vector<32x16xf16>, vector<16x64xf16> -> vector<32x64xf32>
// CHECK-NEXT: %[[S1:.*]] = xetile.tile_mma %{{.*}}, %[[B1]], %[[S0]] : vector<32x16xf16>, vector<16x64xf16>, vector<32x64xf32> -> vector<32x64xf32>
// CHECK-NEXT: %[[S2:.*]] = xetile.tile_mma %{{.*}}, %[[B2]], %[[S1]]
// CHECK-NEXT: xetile.tile_mma %{{.*}}, %[[B3]], %[[S2]]
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @rows_of_b(%A: memref<256x64xf16>, %B: memref<64x64xf16>) kernel {
    %ta = xetile.init_tile %A[0, 0] : memref<256x64xf16> -> !xetile.tile<256x64xf16, #map_a>
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<64x64xf16, #map_b>
    %a = xetile.load_tile %ta : !xetile.tile<256x64xf16, #map_a> -> vector<256x64xf16>
    %b = xetile.load_tile %tb : !xetile.tile<64x64xf16, #map_b> -> vector<64x64xf16>
    %d = xetile.tile_mma %a, %b : vector<256x64xf16>, vector<64x64xf16> -> vector<256x64xf32>
    gpu.return
  }
}

// -----

// The same with columns of A, one slice for both units of B beside one another.

#map_a = #xetile.wg_map<sg_layout = [1, 2], sg_data = [16, 64]>
#map_b = #xetile.wg_map<sg_layout = [1, 2], sg_data = [32, 16]>

// CHECK-LABEL: gpu.func @columns_of_a
// CHECK: %[[A:.*]] = xetile.load_tile %{{.*}} : !xetile.tile<16x64xf16> -> vector<16x64xf16>
// CHECK-COUNT-4: xetile.load_tile %{{.*}} : !xetile.tile<32x16xf16> -> vector<32x16xf16>
// CHECK-NEXT: %[[A0:.*]] = vector.extract_strided_slice %[[A]] {offsets = [0, 0], sizes = [16, 32], strides = [1, 1]} : vector<16x64xf16> to vector<16x32xf16>
// CHECK-NEXT: %[[A1:.*]] = vector.extract_strided_slice %[[A]] {offsets = [0, 32], sizes = [16, 32], strides = [1, 1]} : vector<16x64xf16> to vector<16x32xf16>
// CHECK-NEXT: %[[LEFT:.*]] = xetile.tile_mma %[[A0]], %{{.*}} : vector<16x32xf16>, vector<32x16xf16> -> vector<16x16xf32>
// CHECK-NEXT: xetile.tile_mma %[[A1]], %{{.*}}, %[[LEFT]] :
// CHECK-NEXT: %[[RIGHT:.*]] = xetile.tile_mma %[[A0]], %{{.*}} : vector<16x32xf16>, vector<32x16xf16> -> vector<16x16xf32>
// CHECK-NEXT: xetile.tile_mma %[[A1]], %{{.*}}, %[[RIGHT]] :
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @columns_of_a(%A: memref<16x64xf16>, %B: memref<64x64xf16>) kernel {
    %ta = xetile.init_tile %A[0, 0] : memref<16x64xf16> -> !xetile.tile<16x64xf16, #map_a>
    %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<64x64xf16, #map_b>
    %a = xetile.load_tile %ta : !xetile.tile<16x64xf16, #map_a> -> vector<16x64xf16>
    %b = xetile.load_tile %tb : !xetile.tile<64x64xf16, #map_b> -> vector<64x64xf16>
    %d = xetile.tile_mma %a, %b : vector<16x64xf16>, vector<64x64xf16> -> vector<16x64xf32>
    gpu.return
  }
}
