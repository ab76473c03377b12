// RUN: xetile-opt --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// A value that is used in two layouts changes its lanes by the cheapest way.

gpu.module @m {
  // Rows of lanes side by side are stored to the subgroup's slice, each lane's own words loaded: two messages each.
  // CHECK-LABEL: gpu.func @transpose
  // CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<2176xi8, 3 : i64>)
  // CHECK: %[[INDEX:.*]] = memref.extract_aligned_pointer_as_index %[[SHARED]]
  // CHECK: %[[SUBGROUP:.*]] = gpu.subgroup_id
  // CHECK: %[[SLICE:.*]] = arith.muli
  // CHECK: spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
  // CHECK: xevm.blockstore %{{.*}}, %{{.*}} : (!llvm.ptr<3>, vector<8xi32>)
  // CHECK: xevm.blockstore
  // CHECK: spirv.ControlBarrier
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xi32>
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xi32>
  // CHECK-NOT: gpu.shuffle
  // CHECK: xevm.blockstore2d
  gpu.func @transpose(%a: memref<16x16xf32>, %b: memref<16x16xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %s = xegpu.create_nd_tdesc %a : memref<16x16xf32> -> !xegpu.tensor_desc<16x16xf32>
    %v = xegpu.load_nd %s[%c0, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
    %w = arith.mulf %v, %v : vector<16x16xf32>
    %t = vector.transpose %w, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
    %sum = arith.addf %w, %t : vector<16x16xf32>
    %d = xegpu.create_nd_tdesc %b : memref<16x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %upper = vector.extract_strided_slice %sum {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<16x16xf32> to vector<8x16xf32>
    %lower = vector.extract_strided_slice %sum {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<16x16xf32> to vector<8x16xf32>
    xegpu.store_nd %upper, %d[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    xegpu.store_nd %lower, %d[%c8, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
