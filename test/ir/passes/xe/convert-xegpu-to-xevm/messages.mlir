// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// A block load of two blocks side by side: one message, and each block is a run of the registers that it leaves.
// CHECK-LABEL: @load_two_blocks
// CHECK: %[[V:.*]] = xevm.blockload2d %{{.*}} <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3uc>, elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}>{{.*}} -> vector<16xi16>
// CHECK: %[[SECOND:.*]] = vector.shuffle %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: xevm.blockstore2d {{.*}}, %[[SECOND]] <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32}>
func.func @load_two_blocks(%A: memref<64x64xf16>, %C: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %v = xegpu.load_nd %a[%c0, %c16] <{l1_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x8x16xf16>
  %second = vector.extract %v[1] : vector<8x16xf16> from vector<2x8x16xf16>
  xegpu.store_nd %second, %c[%c0, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

// Operand B packed: two rows in one register, as the matrix instruction takes them.
// CHECK-LABEL: @load_packed
// CHECK: %[[A:.*]] = xevm.blockload2d {{.*}}pack_register = false, tile_height = 8 : i32{{.*}} -> vector<8xi16>
// CHECK: %[[B:.*]] = xevm.blockload2d {{.*}}pack_register = true, tile_height = 16 : i32{{.*}} -> vector<8xi32>
// CHECK-NEXT: %{{.*}} = xevm.mma %[[A]], %[[B]] {shape = <m = 8, n = 16, k = 16>
func.func @load_packed(%B: memref<64x64xf16>, %A: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %b = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %w = xegpu.load_nd %b[%c0, %c0] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<8x16x2xf16>
  %d = xegpu.dpas %v, %w : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
  xegpu.store_nd %d, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// 32-bit columns become rows in the message.
// CHECK-LABEL: @load_transposed
// CHECK: %[[V:.*]] = xevm.blockload2d {{.*}}tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}>{{.*}} -> vector<8xi32>
// CHECK: %[[ROWS:.*]] = vector.bitcast %[[V]] : vector<8xi32> to vector<8xf32>
// CHECK: xevm.blockstore2d {{.*}}, %[[ROWS]] <{{.*}}tile_height = 8 : i32, tile_width = 16 : i32}>
func.func @load_transposed(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x8xf32>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c8] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8x16xf32>
  xegpu.store_nd %v, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// A surface is its width in bytes, its height in rows and its pitch in bytes; what is dynamic is computed.
// CHECK-LABEL: @prefetch_dynamic
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: %[[COLUMNS:.*]] = memref.dim
// CHECK: memref.extract_strided_metadata
// CHECK: %[[BYTES:.*]] = arith.muli %[[COLUMNS]], %[[TWO]] : index
// CHECK: %[[PITCH:.*]] = arith.muli %{{.*}}, %[[TWO]] : index
// CHECK: %[[W:.*]] = arith.index_cast %[[BYTES]] : index to i32
// CHECK: %[[H:.*]] = arith.index_cast %[[ROWS]] : index to i32
// CHECK: %[[P:.*]] = arith.index_cast %[[PITCH]] : index to i32
// CHECK: xevm.blockprefetch2d %{{.*}}, %[[W]], %[[H]], %[[P]], %{{.*}}, %{{.*}} <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3uc>, elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32, v_blocks = 2 : i32}>
func.func @prefetch_dynamic(%A: memref<?x?xbf16, strided<[?, 1]>>, %row: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %A, %c0 : memref<?x?xbf16, strided<[?, 1]>>
  %columns = memref.dim %A, %c1 : memref<?x?xbf16, strided<[?, 1]>>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A : memref<?x?xbf16, strided<[?, 1]>> -> memref<bf16>, index, index, index, index, index
  %a = xegpu.create_nd_tdesc %A, shape : [%rows, %columns], strides : [%strides#0, 1] : memref<?x?xbf16, strided<[?, 1]>> -> !xegpu.tensor_desc<8x16xbf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
  xegpu.prefetch_nd %a[%row, %c0] <{l1_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<8x16xbf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
  return
}

// -----

// A fence keeps its scope.
// CHECK-LABEL: @fence
// CHECK: xevm.memfence <{addrspace = #xevm.addr_space<global>, scope = #xevm.mem_scope<workgroup>}>
func.func @fence() {
  xegpu.fence memory_kind = global, fence_scope = workgroup
  return
}

// -----

// A row of 32 bits fills its register: packed or not, it is the plain message.
// CHECK-LABEL: @load_packed_words
// CHECK: xevm.blockload2d {{.*}}elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32{{.*}} -> vector<8xi32>
func.func @load_packed_words(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] <{packed}> : !xegpu.tensor_desc<8x16xf32> -> vector<8x16x1xf32>
  return
}
