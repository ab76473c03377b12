// RUN: xetile-opt --convert-xevm-to-llvm="device=bmg" %s | FileCheck %s
// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s --check-prefix=ANY

// Messages to one matrix whose places differ by constants share an address payload, which says where the matrix lies and
// which place and extents a block has: it is made once, at the least of the places, and each message adds two constants to it.

gpu.module @m {
  // CHECK-LABEL: llvm.func @shared
  // CHECK: %[[V:.*]] = llvm.load %q{{.*}}
  // CHECK: %[[BASE:.*]] = llvm.ptrtoint %p : !llvm.ptr<1> to i64
  // CHECK: %[[W:.*]] = llvm.add %w, %{{.*}} : i32
  // CHECK: %[[H:.*]] = llvm.add %h, %{{.*}} : i32
  // CHECK: %[[PITCH:.*]] = llvm.add %w, %{{.*}} : i32
  // CHECK: %[[PAYLOAD:.*]] = llvm.call @__builtin_IB_subgroup_createBlock2DAddressPayload(%[[BASE]], %[[W]], %[[H]], %[[PITCH]], %x, %y, %[[C16:.*]], %[[C8:.*]], %{{.*}})
  // CHECK-NEXT: llvm.call @__builtin_IB_subgroup_block_write_ap_u32_m8k16v1(%[[PAYLOAD]], %[[C16]], %[[ZERO:.*]], %[[V]], %[[ZERO]])
  // CHECK-NEXT: llvm.call @__builtin_IB_subgroup_block_write_ap_u32_m8k16v1(%[[PAYLOAD]], %[[ZERO]], %[[C8]], %[[V]], %[[ZERO]])
  // A hint of the caches is a message's own, not the payload's.
  // CHECK-NEXT: llvm.call @__builtin_IB_subgroup_block_write_ap_u32_m8k16v1(%[[PAYLOAD]], %[[C16]], %[[C8]], %[[V]], %[[BACK:.*]])
  // CHECK-NOT: llvm.call
  // CHECK: llvm.return
  gpu.func @shared(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) kernel {
    %v = llvm.load %q : !llvm.ptr<1> -> vector<8xi32>
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %x16 = arith.addi %x, %c16 : i32
    %y8 = arith.addi %y, %c8 : i32
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y, %v <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    xevm.blockstore2d %p, %w, %h, %w, %x, %y8, %v <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y8, %v <{cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>, elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    gpu.return
  }

  // Two stores of 16 bits side by side are one message: half a row of registers each, so the elements take turns. It comes
  // where the second of them stood; what is stored beside it in between makes no difference.
  // CHECK-LABEL: llvm.func @pairs
  // CHECK: %[[A:.*]] = llvm.load %q{{.*}}
  // CHECK: %[[B:.*]] = llvm.load %p{{.*}}
  // CHECK: %[[UPPER:.*]] = llvm.shufflevector %[[A]], %[[B]] [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15] : vector<8xi16>
  // CHECK: %[[PAYLOAD:.*]] = llvm.call @__builtin_IB_subgroup_createBlock2DAddressPayload({{.*}}, %x{{.*}}, %y{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
  // CHECK-NEXT: llvm.call @__builtin_IB_subgroup_block_write_ap_u16_m8k32v1(%[[PAYLOAD]], %[[ZERO:.*]], %[[ZERO]], %[[UPPER]], %[[ZERO]]) : (!llvm.ptr, i32, i32, vector<16xi16>, i32) -> ()
  // CHECK-NEXT: %[[LOWER:.*]] = llvm.shufflevector %[[A]], %[[B]]
  // CHECK-NEXT: llvm.call @__builtin_IB_subgroup_block_write_ap_u16_m8k32v1(%[[PAYLOAD]], %[[ZERO]], %{{.*}}, %[[LOWER]], %[[ZERO]])
  // CHECK-NOT: llvm.call
  // CHECK: llvm.return
  // Without a device none is known to have the message.
  // ANY-LABEL: llvm.func @pairs
  // ANY-COUNT-4: llvm.call @__builtin_IB_subgroup_block_write_ap_u16_m8k16v1
  gpu.func @pairs(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) kernel {
    %a = llvm.load %q : !llvm.ptr<1> -> vector<8xi16>
    %b = llvm.load %p : !llvm.ptr<1> -> vector<8xi16>
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %x16 = arith.addi %x, %c16 : i32
    %y8 = arith.addi %y, %c8 : i32
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x, %y8, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y, %b <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y8, %b <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    gpu.return
  }

  // Not where something may read or write between them, nor what a store beside them overwrites, nor with hints that differ,
  // nor stores to what may be the same memory: those keep their order.
  // CHECK-LABEL: llvm.func @apart
  // CHECK-NOT: k32v1
  // CHECK: llvm.return
  gpu.func @apart(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32, %out: !llvm.ptr<1>) kernel {
    %a = llvm.load %q : !llvm.ptr<1> -> vector<8xi16>
    %b = llvm.load %p : !llvm.ptr<1> -> vector<8xi16>
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %x16 = arith.addi %x, %c16 : i32
    %y8 = arith.addi %y, %c8 : i32
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    llvm.store %a, %out : vector<8xi16>, !llvm.ptr<1>
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y, %b <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x, %y8, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %q, %w, %h, %w, %x, %y8, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y8, %b <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %q, %w, %h, %w, %x16, %y8, %b <{cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>, elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    gpu.barrier
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %b <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    %c4 = arith.constant 4 : i32
    %y4 = arith.addi %y, %c4 : i32
    xevm.blockstore2d %p, %w, %h, %w, %x, %y4, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    gpu.barrier
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x, %y4, %a <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y, %b <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
    gpu.return
  }

  // Neither is what lies farther away than a message can say, or at a column that is not as even, behind one payload.
  // CHECK-LABEL: llvm.func @far
  // CHECK-COUNT-3: llvm.call @_Z42intel_sub_group_2d_block_write_32b_8r16x1c
  // CHECK: llvm.return
  gpu.func @far(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) kernel {
    %v = llvm.load %q : !llvm.ptr<1> -> vector<8xi32>
    %c600 = arith.constant 600 : i32
    %c5000 = arith.constant 5000 : i32
    %x600 = arith.addi %x, %c600 : i32
    %y5000 = arith.addi %y, %c5000 : i32
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %v <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    xevm.blockstore2d %p, %w, %h, %w, %x600, %y, %v <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    xevm.blockstore2d %p, %w, %h, %w, %x, %y5000, %v <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    gpu.return
  }

  // Loads share one too, with stores to the same matrix; what a payload gives is in registers at once. In loops, where
  // loads are many and the registers of their payloads dear, only stores do.
  // CHECK-LABEL: llvm.func @loads
  // CHECK-COUNT-1: createBlock2DAddressPayload
  // CHECK: %[[FIRST:.*]] = llvm.call @__builtin_IB_subgroup_block_read_ap_u32_m8k16v1(%[[PAYLOAD:.*]], %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, i32, i32) -> vector<8xi32>
  // CHECK: %[[SECOND:.*]] = llvm.call @__builtin_IB_subgroup_block_read_ap_u32_m8k16v1(%[[PAYLOAD]]
  // CHECK: llvm.call @__builtin_IB_subgroup_block_write_ap_u32_m8k16v1(%[[PAYLOAD]], %{{.*}}, %{{.*}}, %[[SECOND]]
  // CHECK: llvm.call @_Z41intel_sub_group_2d_block_read_32b_8r16x1c
  // CHECK: llvm.call @_Z41intel_sub_group_2d_block_read_32b_8r16x1c
  // CHECK: createBlock2DAddressPayload
  // CHECK-COUNT-2: block_write_ap
  gpu.func @loads(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) kernel {
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %x16 = arith.addi %x, %c16 : i32
    %y8 = arith.addi %y, %c8 : i32
    %start = arith.constant 0 : index
    %end = arith.constant 4 : index
    %step = arith.constant 1 : index
    %a = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    %b = xevm.blockload2d %p, %w, %h, %w, %x16, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %b <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    scf.for %i = %start to %end step %step {
      %c = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
      %d = xevm.blockload2d %p, %w, %h, %w, %x16, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
      xevm.blockstore2d %p, %w, %h, %w, %x, %y, %d <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
      xevm.blockstore2d %p, %w, %h, %w, %x16, %y, %c <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    }
    gpu.return
  }

  // Rows that are known to lie inside of their matrix, such as a bias, are one 1D read, which needs no payload.
  // CHECK-LABEL: llvm.func @rows
  // CHECK: %[[COLUMN:.*]] = llvm.zext %{{.*}} : i32 to i64
  // CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr %p{{.*}}[%[[COLUMN]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  // CHECK-NEXT: %[[ROWS:.*]] = llvm.call @__builtin_IB_simd_block_read_2_global(%[[AT]]) : (!llvm.ptr<1>) -> vector<2xi32>
  // CHECK-NEXT: llvm.extractelement %[[ROWS]]
  // CHECK-NEXT: llvm.extractelement %[[ROWS]]
  // What may reach out of it is zero there, which a block message reads.
  // CHECK-COUNT-2: llvm.call @__builtin_IB_subgroup_block_read_ap_u32_m1k16v1
  // CHECK: llvm.return
  gpu.func @rows(%p: !llvm.ptr<1>, %w: i32, %x: i32, %out: !llvm.ptr<1>) kernel
      attributes {known_grid_size = array<i32: 8, 1, 1>, known_block_size = array<i32: 16, 1, 1>} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 1024 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : index
    %block = gpu.block_id x
    %column = arith.muli %block, %c32 : index
    %b = arith.index_cast %column : index to i32
    %b16 = arith.addi %b, %c16 : i32
    %x16 = arith.addi %x, %c16 : i32
    %r0 = xevm.blockload2d %p, %width, %one, %width, %b, %zero <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 1 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
    %r1 = xevm.blockload2d %p, %width, %one, %width, %b16, %zero <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 1 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
    %r2 = xevm.blockload2d %p, %width, %one, %width, %x, %zero <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 1 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
    %r3 = xevm.blockload2d %p, %width, %one, %width, %x16, %zero <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 1 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
    llvm.store %r0, %out : vector<1xi32>, !llvm.ptr<1>
    llvm.store %r1, %out : vector<1xi32>, !llvm.ptr<1>
    llvm.store %r2, %out : vector<1xi32>, !llvm.ptr<1>
    llvm.store %r3, %out : vector<1xi32>, !llvm.ptr<1>
    gpu.return
  }
}
