// Matrices in shared memory: a pointer, and messages of lanes or of blocks at tiles of them.
//
// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// A tile of whole rows of 16: block messages of 8 words; its row is computed, its column is a number.
// CHECK-LABEL: gpu.func @rows
// CHECK: %[[P:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<3>
// CHECK: %[[PLACE:.*]] = arith.muli %r, %c16 : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[PLACE]], %c4 : index
// CHECK: %[[STEP:.*]] = arith.index_cast %[[BYTES]] : index to i32
// CHECK: %[[ROW:.*]] = llvm.getelementptr %[[P]][%[[STEP]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: xevm.blockstore %[[ROW]], %{{.*}} : (!llvm.ptr<3>, vector<8xi32>)
// CHECK: xevm.blockload %{{.*}} : (!llvm.ptr<3>) -> vector<8xi32>
gpu.module @m {
  gpu.func @rows(%A: memref<64x64xf32>) workgroup(%S : memref<2048xi8, 3>) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %sg = gpu.subgroup_id : index
    %r = arith.muli %sg, %c8 : index
    %m = xegpu.create_mem_desc %S : memref<2048xi8, 3> -> !xegpu.mem_desc<32x16xf32>
    %d = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %d[%r, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    xegpu.store_matrix %v, %m[%r, 0] : vector<8x16xf32>, !xegpu.mem_desc<32x16xf32>, index
    gpu.barrier
    %w = xegpu.load_matrix %m[8, 0] <{subgroup_block_io}>: !xegpu.mem_desc<32x16xf32> -> vector<8x16xf32>
    xegpu.store_nd %w, %d[%r, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// -----

// Blocks one behind the other: a tile that is one of them needs no more; one that crosses them has an address for
// each element.
// CHECK-LABEL: gpu.func @blocks
// CHECK: xevm.blockload %{{.*}} : (!llvm.ptr<3>) -> vector<8xi32>
// CHECK: arith.divui %{{.*}}, %{{.*}} : vector<8xindex>
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
gpu.module @m {
  gpu.func @blocks(%A: memref<64x64xf32>, %n: index) workgroup(%S : memref<8192xi8, 3>) kernel {
    %c0 = arith.constant 0 : index
    %m = xegpu.create_mem_desc %S : memref<8192xi8, 3> -> !xegpu.mem_desc<32x64xf32, #xegpu.mem_layout<block = [8, 16]>>
    %d = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_matrix %m[8, 16] : !xegpu.mem_desc<32x64xf32, #xegpu.mem_layout<block = [8, 16]>> -> vector<8x16xf32>
    %w = xegpu.load_matrix %m[%n, 3] : !xegpu.mem_desc<32x64xf32, #xegpu.mem_layout<block = [8, 16]>>, index -> vector<8x16xf32>
    %s = arith.addf %v, %w : vector<8x16xf32>
    xegpu.store_nd %s, %d[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// -----

// An element, which all lanes load.
// CHECK-LABEL: gpu.func @element
// CHECK: %[[E:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK: arith.bitcast %[[E]] : i16 to f16
// CHECK: llvm.store %{{.*}}, %{{.*}} : i16, !llvm.ptr<3>
gpu.module @m {
  gpu.func @element(%n: index) workgroup(%S : memref<4096xi8, 3>) kernel {
    %m = xegpu.create_mem_desc %S : memref<4096xi8, 3> -> !xegpu.mem_desc<32x64xf16>
    %e = xegpu.load_matrix %m[%n, 3] : !xegpu.mem_desc<32x64xf16>, index -> f16
    %f = arith.addf %e, %e : f16
    xegpu.store_matrix %f, %m[1, %n] : f16, !xegpu.mem_desc<32x64xf16>, index
    gpu.return
  }
}
