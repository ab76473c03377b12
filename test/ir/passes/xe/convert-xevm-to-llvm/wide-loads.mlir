// RUN: xetile-opt --convert-xevm-to-llvm="device=cri" %s | FileCheck %s
// RUN: xetile-opt --convert-xevm-to-llvm="device=bmg" %s | FileCheck %s --check-prefix=NARROW
// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s --check-prefix=NARROW

// Transposed loads side by side are one message where the device has it; its registers are theirs one after the other.

// NARROW-NOT: 16r16x1c

gpu.module @m {
  // CHECK-LABEL: llvm.func @beside
  // CHECK: %[[ALL:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i32>
  // CHECK: llvm.call @_Z52intel_sub_group_2d_block_read_transpose_32b_16r16x1cPU3AS1viiiDv2_iPj(%p, %w, %h, %w, %{{.*}}, %[[ALL]])
  // CHECK-NEXT: %[[LEFT:.*]] = llvm.load %[[ALL]] : !llvm.ptr -> vector<8xi32>
  // CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr inbounds %[[ALL]][32]
  // CHECK-NEXT: %[[RIGHT:.*]] = llvm.load %[[AT]] : !llvm.ptr -> vector<8xi32>
  // CHECK-NOT: llvm.call
  // CHECK: llvm.store %[[LEFT]], %out
  // CHECK: llvm.store %[[RIGHT]], %out
  gpu.func @beside(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>, %w: i32, %h: i32, %i: index, %y: i32) kernel {
    %c8 = arith.constant 8 : index
    %x = arith.index_cast %i : index to i32
    %a = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    %j = arith.addi %i, %c8 : index
    %x8 = arith.index_cast %j : index to i32
    %b = xevm.blockload2d %p, %w, %h, %w, %x8, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.store %a, %out : vector<8xi32>, !llvm.ptr<1>
    llvm.store %b, %out : vector<8xi32>, !llvm.ptr<1>
    gpu.return
  }

  // Not where something is stored between them, nor rows or steps that differ.
  // CHECK-LABEL: llvm.func @apart
  // CHECK-COUNT-4: llvm.call @_Z51intel_sub_group_2d_block_read_transpose_32b_16r8x1c
  gpu.func @apart(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) kernel {
    %c8 = arith.constant 8 : i32
    %c4 = arith.constant 4 : i32
    %x8 = arith.addi %x, %c8 : i32
    %x4 = arith.addi %x, %c4 : i32
    %a = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    %b = xevm.blockload2d %p, %w, %h, %w, %x8, %x <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    %c = xevm.blockload2d %p, %w, %h, %w, %x4, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.store %a, %out : vector<8xi32>, !llvm.ptr<1>
    %d = xevm.blockload2d %p, %w, %h, %w, %x8, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.store %b, %out : vector<8xi32>, !llvm.ptr<1>
    llvm.store %c, %out : vector<8xi32>, !llvm.ptr<1>
    llvm.store %d, %out : vector<8xi32>, !llvm.ptr<1>
    gpu.return
  }
}
