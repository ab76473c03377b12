// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// One load with two blocks side by side, of which the left one is stored.

// CHECK: gpu.module @kernels {
// CHECK-DAG: llvm.func @_Z12get_group_idj(i32) -> i64
// CHECK-DAG: llvm.func @[[READ:_Z41intel_sub_group_2d_block_read_16b_8r16x2cPU3AS1viiiDv2_iPt]](!llvm.ptr<1>, i32, i32, i32, vector<2xi32>, !llvm.ptr)
// CHECK-DAG: llvm.func @[[WRITE:_Z42intel_sub_group_2d_block_write_16b_8r16x1cPU3AS1viiiDv2_iPt]](!llvm.ptr<1>, i32, i32, i32, vector<2xi32>, !llvm.ptr)

// CHECK: llvm.func @copy(%[[A:.*]]: !llvm.ptr<1>, %[[B:.*]]: !llvm.ptr<1>) attributes
// CHECK-SAME: gpu.kernel
// CHECK-SAME: intel_reqd_sub_group_size = 16 : i32
// CHECK-SAME: reqd_work_group_size = array<i32: 16, 1, 1>
// CHECK-SAME: xetile.launch = {arguments = [{name = "a", kind = "pointer", type = "pointer", source = "memref<64x32xf16>",
// CHECK-SAME: element = "f16", shape = [64 : i64, 32 : i64], strides = [32 : i64, 1 : i64], offset = 0 : i64},
// CHECK-SAME: grid = [8 : i64, 1 : i64, 1 : i64], block = [16 : i64, 1 : i64, 1 : i64], subgroup_size = 16 : i64, shared_memory = 0 : i64
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32) : i32
// CHECK-DAG: %[[SIZE:.*]] = llvm.mlir.constant(64 : i32) : i32
// CHECK-DAG: %[[LOADED:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i16> {alignment = 64 : i64} : (i32) -> !llvm.ptr
// CHECK-DAG: %[[STORED:.*]] = llvm.alloca %{{.*}} x !llvm.array<8 x i16> {alignment = 64 : i64} : (i32) -> !llvm.ptr

// The index has 32 bits, because the grid is known.
// CHECK: %[[ID:.*]] = llvm.call @_Z12get_group_idj(%[[ZERO]]) : (i32) -> i64
// CHECK: %[[BLOCK:.*]] = llvm.trunc %[[ID]] : i64 to i32
// CHECK: %[[Y:.*]] = llvm.mul %[[BLOCK]], %[[EIGHT]] : i32
// CHECK: llvm.insertelement %[[Y]], %{{.*}} : vector<2xi32>
// CHECK: llvm.call @[[READ]](%[[A]], %[[SIZE]], %[[SIZE]], %[[SIZE]], %{{.*}}, %[[LOADED]])
// CHECK-NEXT: %[[V:.*]] = llvm.load %[[LOADED]] : !llvm.ptr -> vector<8xi16>
// CHECK-NEXT: llvm.store %[[V]], %[[STORED]] : vector<8xi16>, !llvm.ptr
// CHECK: llvm.call @[[WRITE]](%[[B]], %[[SIZE]], %[[SIZE]], %[[SIZE]], %{{.*}}, %[[STORED]])
// CHECK-NEXT: llvm.return
gpu.module @kernels {
  gpu.func @copy(%a: memref<64x32xf16>, %b: memref<64x32xf16>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 8, 1, 1>, xetile.level = "lane"} {
    %w = arith.constant 64 : i32
    %h = arith.constant 64 : i32
    %x = arith.constant 0 : i32
    %block = gpu.block_id x
    %c8 = arith.constant 8 : index
    %row = arith.muli %block, %c8 : index
    %y = arith.index_cast %row : index to i32
    %i = memref.extract_aligned_pointer_as_index %a : memref<64x32xf16> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %v = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false,
        tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}>
        : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
    %v0 = vector.shuffle %v, %v [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xi16>, vector<16xi16>
    %j = memref.extract_aligned_pointer_as_index %b : memref<64x32xf16> -> index
    %m = arith.index_cast %j : index to i64
    %q = llvm.inttoptr %m : i64 to !llvm.ptr<1>
    xevm.blockstore2d %q, %w, %h, %w, %x, %y, %v0 <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
        tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    gpu.return
  }
}
