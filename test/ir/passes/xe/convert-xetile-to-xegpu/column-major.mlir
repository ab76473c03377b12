// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" --split-input-file %s | FileCheck %s

// The message sees the columns of the matrix as rows. It transposes words of 32 bits, which hold several smaller elements;
// booleans, which are bytes in memory, and everything that is stored are transposed as they come, block by block.

// CHECK-LABEL: gpu.func @words
// CHECK: %[[D:.*]] = xegpu.create_nd_tdesc %{{.*}}, shape : [96, 64], strides : [64, 1] : i64 -> !xegpu.tensor_desc<16x8xf32>
// CHECK: xegpu.load_nd %[[D]][16, %m] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8x16xf32>
gpu.module @m {
  gpu.func @words(%A: memref<64x96xf32, strided<[1, 64]>>, %m: index) kernel {
    %t = xetile.init_tile %A[%m, 16] : memref<64x96xf32, strided<[1, 64]>> -> !xetile.tile<8x16xf32, #xetile.tile_attr<order = [0, 1], inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32, #xetile.tile_attr<order = [0, 1], inner_blocks = [8, 16]>> -> vector<1x1x8x16xf32>
    gpu.return
  }
}

// -----

// Columns of 64 halves are 32 words of memory. Where the column is known at run time only, it is counted in words too.

// CHECK-LABEL: gpu.func @halves
// CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[I:.*]] = arith.index_cast %[[A]] : index to i64
// CHECK: %[[D:.*]] = xegpu.create_nd_tdesc %[[I]], shape : [96, 32], strides : [32, 1] : i64 -> !xegpu.tensor_desc<16x8xi32>
// CHECK: %[[M:.*]] = arith.shrsi %m, %c1 : index
// CHECK: %[[L:.*]] = xegpu.load_nd %[[D]][16, %[[M]]] : !xegpu.tensor_desc<16x8xi32> -> vector<16x8xi32>
// CHECK: %[[B:.*]] = vector.bitcast %[[L]] : vector<16x8xi32> to vector<16x16xf16>
// CHECK: %[[N:.*]] = arith.addi %[[M]], %c8 : index
// CHECK: xegpu.load_nd %[[D]][16, %[[N]]]
// CHECK: vector.transpose %[[B]], [1, 0] : vector<16x16xf16> to vector<16x16xf16>
gpu.module @m {
  gpu.func @halves(%A: memref<64x96xf16, strided<[1, 64]>>, %m: index) kernel {
    %t = xetile.init_tile %A[%m, 16] : memref<64x96xf16, strided<[1, 64]>> -> !xetile.tile<32x16xf16, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<32x16xf16, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 16]>> -> vector<2x1x16x16xf16>
    gpu.return
  }
}

// -----

// A dynamic pitch and a padding: the surface in words, and masks on what was cast and transposed.

// CHECK-LABEL: gpu.func @bytes
// CHECK: %[[W:.*]] = arith.shrsi %w, %c2 : index
// CHECK: %[[P:.*]] = arith.shrsi %p, %c2 : index
// CHECK: %[[D:.*]] = xegpu.create_nd_tdesc %A, shape : [%h, %[[W]]], strides : [%[[P]], 1] : i64 -> !xegpu.tensor_desc<16x8xi32>
// CHECK: xegpu.load_nd %[[D]][0, 2] : !xegpu.tensor_desc<16x8xi32> -> vector<16x8xi32>
// CHECK: vector.bitcast %{{.*}} : vector<16x8xi32> to vector<16x32xi8>
// CHECK: vector.transpose %{{.*}}, [1, 0] : vector<16x32xi8> to vector<32x16xi8>
// CHECK: vector.create_mask
// CHECK: arith.select
gpu.module @m {
  gpu.func @bytes(%A: i64, %h: index, %w: index, %p: index) kernel {
    %t = xetile.init_tile %A[8, 0], [%w, %h], [1, %p] : i64 -> !xetile.tile<32x16xi8, #xetile.tile_attr<order = [0, 1], inner_blocks = [32, 16]>>
    %v = xetile.load_tile %t {padding = 7 : i8} : !xetile.tile<32x16xi8, #xetile.tile_attr<order = [0, 1], inner_blocks = [32, 16]>> -> vector<1x1x32x16xi8>
    gpu.return
  }
}

// -----

// A row-major tile of which all that is done is to transpose it: a row of memory in each lane.

// CHECK-LABEL: gpu.func @only_transposed
// CHECK: %[[D:.*]] = xegpu.create_nd_tdesc %{{.*}}, shape : [64, 48], strides : [48, 1] : i64 -> !xegpu.tensor_desc<16x8xi32>
// CHECK: %[[L:.*]] = xegpu.load_nd %[[D]][0, 0] : !xegpu.tensor_desc<16x8xi32> -> vector<16x8xi32>
// CHECK: %[[B:.*]] = vector.bitcast %[[L]] : vector<16x8xi32> to vector<16x16xbf16>
// CHECK: vector.transpose %[[B]], [1, 0] : vector<16x16xbf16> to vector<16x16xbf16>
// CHECK: xegpu.load_nd %{{.*}}[0, 0] : !xegpu.tensor_desc<16x8xf32> -> vector<16x8xf32>
gpu.module @m {
  gpu.func @only_transposed(%A: memref<64x96xbf16>, %F: memref<64x96xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x96xbf16> -> !xetile.tile<16x16xbf16, #xetile.tile_attr<inner_blocks = [16, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<16x16xbf16, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<1x1x16x16xbf16>
    %w = xetile.tile_transpose %v, [1, 0, 3, 2] : vector<1x1x16x16xbf16> -> vector<1x1x16x16xbf16>
    %f = xetile.init_tile %F[0, 0] : memref<64x96xf32> -> !xetile.tile<16x8xf32, #xetile.tile_attr<inner_blocks = [16, 8]>>
    %x = xetile.load_tile %f : !xetile.tile<16x8xf32, #xetile.tile_attr<inner_blocks = [16, 8]>> -> vector<1x1x16x8xf32>
    %y = xetile.tile_transpose %x, [1, 0, 3, 2] : vector<1x1x16x8xf32> -> vector<1x1x8x16xf32>
    gpu.return
  }
}

// -----

// What is stored is put together before it is transposed, and cut afterwards.

// CHECK-LABEL: gpu.func @booleans
// CHECK: %[[L:.*]] = xegpu.load_nd %{{.*}}[0, 8] : !xegpu.tensor_desc<32x16xi8> -> vector<32x16xi8>
// CHECK: %[[V:.*]] = arith.cmpi ne, %[[L]], %{{.*}} : vector<32x16xi8>
// CHECK: %[[T:.*]] = vector.transpose %[[V]], [1, 0] : vector<32x16xi1> to vector<16x32xi1>
// CHECK: %[[S:.*]] = vector.transpose %[[T]], [1, 0] : vector<16x32xi1> to vector<32x16xi1>
// CHECK: %[[P:.*]] = vector.extract_strided_slice %[[S]] {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]}
// CHECK: %[[W:.*]] = arith.extui %[[P]] : vector<8x16xi1> to vector<8x16xi8>
// CHECK: xegpu.store_nd %[[W]], %{{.*}}[8, 0] : vector<8x16xi8>
gpu.module @m {
  gpu.func @booleans(%A: memref<64x96xi1, strided<[1, 64]>>) kernel {
    %t = xetile.init_tile %A[8, 0] : memref<64x96xi1, strided<[1, 64]>> -> !xetile.tile<16x32xi1, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 32]>>
    %v = xetile.load_tile %t : !xetile.tile<16x32xi1, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 32]>> -> vector<1x1x16x32xi1>
    %w = xetile.tile_unpack %v {inner_blocks = array<i64: 16, 32>} : vector<1x1x16x32xi1> -> vector<16x32xi1>
    %p = xetile.tile_pack %w {inner_blocks = array<i64: 16, 8>} : vector<16x32xi1> -> vector<1x4x16x8xi1>
    %u = xetile.init_tile %A[0, 0] : memref<64x96xi1, strided<[1, 64]>> -> !xetile.tile<16x32xi1, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 8]>>
    xetile.store_tile %p, %u : vector<1x4x16x8xi1>, !xetile.tile<16x32xi1, #xetile.tile_attr<order = [0, 1], inner_blocks = [16, 8]>>
    gpu.return
  }
}
