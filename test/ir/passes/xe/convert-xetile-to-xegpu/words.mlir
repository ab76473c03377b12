// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" --split-input-file %s | FileCheck %s

// Elements of 64 bits go as two words of 32, also where the column is known at run time.

// CHECK-LABEL: gpu.func @wide
// CHECK: %[[D:.*]] = xegpu.create_nd_tdesc %{{.*}}, shape : [64, 128], strides : [128, 1] : i64 -> !xegpu.tensor_desc<8x16xi32>
// CHECK: %[[C:.*]] = arith.muli %m, %c2 : index
// CHECK: %[[L:.*]] = xegpu.load_nd %{{.*}}[0, %[[C]]] : !xegpu.tensor_desc<8x16xi32> -> vector<8x16xi32>
// CHECK: %[[V:.*]] = vector.bitcast %[[L]] : vector<8x16xi32> to vector<8x8xf64>
// CHECK: %[[W:.*]] = vector.bitcast %[[V]] : vector<8x8xf64> to vector<8x16xi32>
// CHECK: xegpu.store_nd %[[W]], %{{.*}}[0, %{{.*}}] : vector<8x16xi32>, !xegpu.tensor_desc<8x16xi32>
gpu.module @m {
  gpu.func @wide(%A: memref<64x64xf64>, %m: index) kernel {
    %t = xetile.init_tile %A[0, %m] : memref<64x64xf64> -> !xetile.tile<8x8xf64, #xetile.tile_attr<inner_blocks = [8, 8]>>
    %v = xetile.load_tile %t : !xetile.tile<8x8xf64, #xetile.tile_attr<inner_blocks = [8, 8]>> -> vector<1x1x8x8xf64>
    xetile.store_tile %v, %t : vector<1x1x8x8xf64>, !xetile.tile<8x8xf64, #xetile.tile_attr<inner_blocks = [8, 8]>>
    gpu.return
  }
}

// -----

// Rows of 4 words are loaded as such, and stored as 16 bytes.

// CHECK-LABEL: gpu.func @narrow
// CHECK-DAG: xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x4xf32>
// CHECK-DAG: xegpu.create_nd_tdesc %{{.*}}, shape : [64, 256], strides : [256, 1] : i64 -> !xegpu.tensor_desc<8x16xi8>
// CHECK: %[[V:.*]] = xegpu.load_nd %{{.*}}[0, 12] : !xegpu.tensor_desc<8x4xf32> -> vector<8x4xf32>
// CHECK: %[[B:.*]] = vector.bitcast %[[V]] : vector<8x4xf32> to vector<8x16xi8>
// CHECK: xegpu.store_nd %[[B]], %{{.*}}[0, 48] : vector<8x16xi8>, !xegpu.tensor_desc<8x16xi8>
gpu.module @m {
  gpu.func @narrow(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 12] : memref<64x64xf32> -> !xetile.tile<8x4xf32, #xetile.tile_attr<inner_blocks = [8, 4]>>
    %v = xetile.load_tile %t : !xetile.tile<8x4xf32, #xetile.tile_attr<inner_blocks = [8, 4]>> -> vector<1x1x8x4xf32>
    xetile.store_tile %v, %t : vector<1x1x8x4xf32>, !xetile.tile<8x4xf32, #xetile.tile_attr<inner_blocks = [8, 4]>>
    gpu.return
  }
}

// -----

// What has no message of its own is loaded with what lies beside it.

// CHECK-LABEL: gpu.func @column
// CHECK: %[[L:.*]] = xegpu.load_nd %{{.*}}[0, 12] : !xegpu.tensor_desc<16x1xf32> -> vector<16x1xf32>
// CHECK: vector.extract_strided_slice %[[L]] {offsets = [0, 0], sizes = [8, 1], strides = [1, 1]} : vector<16x1xf32> to vector<8x1xf32>
gpu.module @m {
  gpu.func @column(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 12] : memref<64x64xf32> -> !xetile.tile<8x1xf32, #xetile.tile_attr<inner_blocks = [8, 1]>>
    %v = xetile.load_tile %t : !xetile.tile<8x1xf32, #xetile.tile_attr<inner_blocks = [8, 1]>> -> vector<1x1x8x1xf32>
    gpu.return
  }
}

// -----

// Products of fewer columns and steps of K than the instruction has: blocks share one, what is missing is filled.

// CHECK-LABEL: gpu.func @product
// CHECK: %[[N:.*]] = arith.constant dense<-0.000000e+00> : vector<8x16xf16>
// CHECK: %[[A0:.*]] = vector.insert_strided_slice %{{.*}}, %[[N]] {offsets = [0, 0], strides = [1, 1]} : vector<8x8xf16> into vector<8x16xf16>
// CHECK: vector.insert_strided_slice %{{.*}}, %[[A0]] {offsets = [0, 8], strides = [1, 1]}
// CHECK: vector.insert_strided_slice %{{.*}}, %[[N]] {offsets = [0, 0], strides = [1, 1]}
// CHECK: arith.constant dense<0.000000e+00> : vector<16x16xf16>
// CHECK: xegpu.dpas
// CHECK: %[[D:.*]] = xegpu.dpas
// CHECK-NOT: xegpu.dpas
// CHECK: vector.extract_strided_slice %[[D]] {offsets = [0, 0], sizes = [8, 8], strides = [1, 1]} : vector<8x16xf32> to vector<8x8xf32>
gpu.module @m {
  gpu.func @product(%A: memref<64x64xf16>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<8x24xf16, #xetile.tile_attr<inner_blocks = [8, 8]>>
    %a = xetile.load_tile %t : !xetile.tile<8x24xf16, #xetile.tile_attr<inner_blocks = [8, 8]>> -> vector<1x3x8x8xf16>
    %u = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<24x8xf16, #xetile.tile_attr<inner_blocks = [8, 8]>>
    %b = xetile.load_tile %u : !xetile.tile<24x8xf16, #xetile.tile_attr<inner_blocks = [8, 8]>> -> vector<3x1x8x8xf16>
    %c = xetile.tile_mma %a, %b : vector<1x3x8x8xf16>, vector<3x1x8x8xf16> -> vector<1x1x8x8xf32>
    gpu.return
  }
}
