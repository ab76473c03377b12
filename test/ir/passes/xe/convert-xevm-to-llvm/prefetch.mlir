// RUN: xetile-opt --convert-xevm-to-llvm --split-input-file %s | FileCheck %s

// A prefetch in a loop goes through a payload that is made before the loop; a round moves X.

// CHECK-LABEL: llvm.func @steps
// CHECK-DAG: %[[C0:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32) : i32
// CHECK-DAG: %[[C96:.*]] = llvm.mlir.constant(96 : i32) : i32
// CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(8191 : i32) : i32
// CHECK-DAG: %[[CACHED:.*]] = llvm.mlir.constant(4 : i32) : i32
// CHECK: %[[P:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
// CHECK: %[[AP:.*]] = llvm.call @__builtin_IB_subgroup_createBlock2DAddressPayload(%[[P]], %[[LAST]], %{{.*}}, %[[LAST]], %[[C96]], %[[Y:.*]], %{{.*}}, %{{.*}}, %{{.*}}) : (i64, i32, i32, i32, i32, i32, i32, i32, i32) -> !llvm.ptr
// CHECK: llvm.br ^[[HEAD:.*]](%[[C0]], %[[C96]] : i32, i32)
// CHECK: ^[[HEAD]](%[[K:.*]]: i32, %[[X:.*]]: i32):
// CHECK: llvm.icmp "slt" %[[K]], %{{.*}} : i32
// CHECK: llvm.call @__builtin_IB_subgroup_block_read_ap_prefetch_u16_m8k16v2(%[[AP]], %[[C0]], %[[C0]], %[[CACHED]])
// CHECK-NEXT: llvm.call @__builtin_IB_subgroup_addBlock2DAddressPayloadBlockX(%[[AP]], %[[C32]])
// CHECK-NOT: llvm.call
// CHECK: llvm.return
gpu.module @m {
  gpu.func @steps(%A: memref<4096x4096xf16>) kernel attributes {known_grid_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    %c4096 = arith.constant 4096 : index
    %w = arith.constant 8192 : i32
    %h = arith.constant 4096 : i32
    %i = memref.extract_aligned_pointer_as_index %A : memref<4096x4096xf16> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %b = gpu.block_id x
    %y = arith.index_cast %b : index to i32
    %r = scf.for %k = %c0 to %c4096 step %c32 iter_args(%ahead = %c96) -> (index) {
      %x = arith.index_cast %ahead : index to i32
      xevm.blockprefetch2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
          tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
      %next = arith.addi %ahead, %c32 : index
      scf.yield %next : index
    }
    gpu.return
  }
}

// -----

// Where the place moves in no constant steps, or not in every round, it is written anew.

// CHECK-LABEL: llvm.func @places
// CHECK: %[[AP:.*]] = llvm.call @__builtin_IB_subgroup_createBlock2DAddressPayload
// CHECK: %[[BP:.*]] = llvm.call @__builtin_IB_subgroup_createBlock2DAddressPayload
// CHECK: llvm.br
// CHECK: llvm.call @__builtin_IB_subgroup_setBlock2DAddressPayloadBlockY(%[[AP]], %{{.*}})
// CHECK-NEXT: llvm.call @__builtin_IB_subgroup_block_read_ap_prefetch_u16_m8k16v2(%[[AP]]
// CHECK: llvm.cond_br
// CHECK: llvm.call @__builtin_IB_subgroup_setBlock2DAddressPayloadBlockX(%[[BP]], %{{.*}})
// CHECK-NEXT: llvm.call @__builtin_IB_subgroup_block_read_ap_prefetch_u16_m8k16v2(%[[BP]]
// CHECK-NOT: llvm.call
// CHECK: llvm.return
gpu.module @m {
  gpu.func @places(%A: memref<4096x4096xf16>, %limit: index) kernel {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %w = arith.constant 8192 : i32
    %h = arith.constant 4096 : i32
    %zero = arith.constant 0 : i32
    %i = memref.extract_aligned_pointer_as_index %A : memref<4096x4096xf16> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    scf.for %k = %c0 to %c64 step %c7 {
      %row = arith.remui %k, %c64 : index
      %y = arith.index_cast %row : index to i32
      xevm.blockprefetch2d %p, %w, %h, %w, %zero, %y <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
          tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
      %inside = arith.cmpi slt, %k, %limit : index
      scf.if %inside {
        %x = arith.index_cast %k : index to i32
        xevm.blockprefetch2d %p, %w, %h, %w, %x, %zero <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
            tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
      }
    }
    gpu.return
  }
}

// -----

// Without a loop, and where the surface changes in it, the message is the plain one.

// CHECK-LABEL: llvm.func @plain
// CHECK-NOT: Payload
// CHECK: llvm.call @_Z45intel_sub_group_2d_block_prefetch_16b_8r16x2cPU3AS1viiiDv2_i(
// CHECK: llvm.call @_Z45intel_sub_group_2d_block_prefetch_16b_8r16x2cPU3AS1viiiDv2_i(
gpu.module @m {
  gpu.func @plain(%A: memref<4096x4096xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %w = arith.constant 8192 : i32
    %h = arith.constant 4096 : i32
    %zero = arith.constant 0 : i32
    %i = memref.extract_aligned_pointer_as_index %A : memref<4096x4096xf16> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    xevm.blockprefetch2d %p, %w, %h, %w, %zero, %zero <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
        tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    scf.for %k = %c0 to %c64 step %c32 {
      %rows = arith.index_cast %k : index to i32
      xevm.blockprefetch2d %p, %w, %rows, %w, %zero, %zero <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
          tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    }
    gpu.return
  }
}
