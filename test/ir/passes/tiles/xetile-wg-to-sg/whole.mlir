// RUN: xetile-opt %s --split-input-file --xetile-wg-to-sg | FileCheck %s

// The same bits unit by unit; nothing goes through shared memory.
#quarter = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
!quarter = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #quarter>>
// CHECK-LABEL: gpu.func @bits
// CHECK-NOT:     gpu.barrier
// CHECK:         vector.bitcast %{{.*}} : vector<16x16xf32> to vector<16x32xi16>
// CHECK-NEXT:    vector.bitcast %{{.*}} : vector<16x32xi16> to vector<16x16xf32>
gpu.module @m {
  gpu.func @bits(%a: memref<32x32xf32>, %b: memref<32x32xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %a[0, 0] : memref<32x32xf32> -> !quarter
    %v = xetile.load_tile %t : !quarter -> vector<32x32xf32>
    %n = vector.bitcast %v : vector<32x32xf32> to vector<32x64xi16>
    %r = vector.bitcast %n : vector<32x64xi16> to vector<32x32xf32>
    %u = xetile.init_tile %b[0, 0] : memref<32x32xf32> -> !quarter
    xetile.store_tile %r, %u : vector<32x32xf32>, !quarter
    gpu.return
  }
}

// -----

// Every subgroup reduces whole rows, from what the first reduction found.
#quarter = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
!quarter = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #quarter>>
!half = !xetile.tile<32x1xf32, #xetile.tile_attr<wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 1]>>>
// CHECK-LABEL: gpu.func @start
// CHECK:         memref.alloc() : memref<32x32xf32, #xetile.swizzle<{{.*}}>, 3 : i64>
// CHECK:         gpu.barrier
// CHECK:         %[[MOST:.*]] = vector.multi_reduction <maxnumf>, %{{.*}} [1] : vector<32x32xf32> to vector<32xf32>
// CHECK:         vector.multi_reduction <add>, %{{.*}}, %[[MOST]] [1] : vector<32x32xf32> to vector<32xf32>
gpu.module @m {
  gpu.func @start(%a: memref<32x32xf32>, %b: memref<32x1xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %a[0, 0] : memref<32x32xf32> -> !quarter
    %v = xetile.load_tile %t : !quarter -> vector<32x32xf32>
    %zero = arith.constant dense<0.0> : vector<32xf32>
    %m = vector.multi_reduction <maxnumf>, %v, %zero [1] : vector<32x32xf32> to vector<32xf32>
    %s = vector.multi_reduction <add>, %v, %m [1] : vector<32x32xf32> to vector<32xf32>
    %r = vector.shape_cast %s : vector<32xf32> to vector<32x1xf32>
    %u = xetile.init_tile %b[0, 0] : memref<32x1xf32> -> !half
    xetile.store_tile %r, %u : vector<32x1xf32>, !half
    gpu.return
  }
}

// -----

// Groups are reduced as rows of their own between two casts.
#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
!rows = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #rows>>
!few = !xetile.tile<32x4xf32, #xetile.tile_attr<wg_map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 4]>>>
// CHECK-LABEL: gpu.func @groups
// CHECK-NOT:     gpu.barrier
// CHECK:         vector.shape_cast %{{.*}} : vector<8x32xf32> to vector<32x8xf32>
// CHECK-NEXT:    xetile.tile_reduce <add>, %{{.*}} [1] : vector<32x8xf32> -> vector<32x1xf32>
// CHECK-NEXT:    vector.shape_cast %{{.*}} : vector<32x1xf32> to vector<8x4xf32>
gpu.module @m {
  gpu.func @groups(%a: memref<32x32xf32>, %b: memref<32x4xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %a[0, 0] : memref<32x32xf32> -> !rows
    %v = xetile.load_tile %t : !rows -> vector<32x32xf32>
    %r = xetile.tile_reduce <add>, %v [1] {reduction_size = 8} : vector<32x32xf32> -> vector<32x4xf32>
    %u = xetile.init_tile %b[0, 0] : memref<32x4xf32> -> !few
    xetile.store_tile %r, %u : vector<32x4xf32>, !few
    gpu.return
  }
}
