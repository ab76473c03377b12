// RUN: xetile-opt --xetile-wg-to-sg --split-input-file %s | FileCheck %s

// Every subgroup holds what its units are made of; two rounds of rows share one unit of the source.

#source = #xetile.wg_map<sg_layout = [2, 2], sg_data = [1, 16]>
#result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [8, 16]>

// CHECK-LABEL: gpu.func @rows
// CHECK: %[[V:.*]] = xetile.load_tile %{{.*}} : !xetile.tile<1x16xf32> -> vector<1x16xf32>
// CHECK-NEXT: xetile.tile_broadcast %[[V]] [0] : vector<1x16xf32> -> vector<8x16xf32>
// CHECK-NEXT: xetile.tile_broadcast %[[V]] [0] : vector<1x16xf32> -> vector<8x16xf32>
// CHECK-NOT: gpu.barrier
gpu.module @m {
  gpu.func @rows(%src: memref<1x32xf32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<1x32xf32> -> !xetile.tile<1x32xf32, #xetile.tile_attr<wg_map = #source>>
    %v = xetile.load_tile %t : !xetile.tile<1x32xf32, #xetile.tile_attr<wg_map = #source>> -> vector<1x32xf32>
    %r = xetile.tile_broadcast %v [0] {wg_map_result = #result} : vector<1x32xf32> -> vector<32x32xf32>
    gpu.return
  }
}

// -----

// Of a vector of rank 1, which every subgroup holds whole, each takes its part; of a scalar, all of it.

#result = #xetile.wg_map<sg_layout = [1, 2], sg_data = [8, 16]>

// CHECK-LABEL: gpu.func @vectors
// CHECK: %[[STEP:.*]] = vector.step : vector<32xindex>
// CHECK-NEXT: %[[LEFT:.*]] = vector.extract_strided_slice %[[STEP]] {offsets = [0], sizes = [16], strides = [1]} : vector<32xindex> to vector<16xindex>
// CHECK-NEXT: %[[RIGHT:.*]] = vector.extract_strided_slice %[[STEP]] {offsets = [16], sizes = [16], strides = [1]} : vector<32xindex> to vector<16xindex>
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %c16 : index
// CHECK-NEXT: %[[PART:.*]] = arith.select %[[IS]], %[[RIGHT]], %[[LEFT]] : vector<16xindex>
// CHECK-NEXT: %[[LINE:.*]] = vector.broadcast %[[PART]] : vector<16xindex> to vector<8x16xindex>
// CHECK-NEXT: %[[ALL:.*]] = vector.broadcast %n : index to vector<8x16xindex>
// CHECK-NEXT: arith.addi %[[LINE]], %[[ALL]] : vector<8x16xindex>
gpu.module @m {
  gpu.func @vectors(%n: index) kernel {
    %step = vector.step : vector<32xindex>
    %line = vector.broadcast %step : vector<32xindex> to vector<8x32xindex>
    %all = vector.broadcast %n : index to vector<8x32xindex>
    %sum = arith.addi %line, %all {wg_map = #result} : vector<8x32xindex>
    gpu.return
  }
}
