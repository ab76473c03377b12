// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// What operand B is made of is loaded packed, though no load says so: no register is moved.
// CHECK-LABEL: @unpacked
// CHECK: xevm.blockload2d {{.*}} <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> {{.*}} -> vector<8xi16>
// CHECK: %[[B:.*]] = xevm.blockload2d {{.*}} <{elem_size_in_bits = 16 : i32, pack_register = true, tile_height = 16 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> {{.*}} -> vector<8xi32>
// CHECK-NOT: vector.
// CHECK: xevm.mma %{{.*}}, %[[B]]
func.func @unpacked(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %b = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %w = xegpu.load_nd %b[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>
  %d = xegpu.dpas %v, %w : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
  xegpu.store_nd %d, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Two loads side by side are two blocks of one message, found through constants that are added.
// CHECK-LABEL: @side_by_side
// CHECK: %[[V:.*]] = xevm.blockload2d {{.*}} v_blocks = 2 : i32{{.*}} -> vector<16xi16>
// CHECK-NOT: xevm.blockload2d
// CHECK: %[[S:.*]] = vector.shuffle %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: %[[T:.*]] = vector.shuffle %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15]
func.func @side_by_side(%A: memref<64x64xf16>, %C: memref<64x64xf16>, %k: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %next = arith.addi %k, %c16 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %w = xegpu.load_nd %a[%c0, %next] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %v = xegpu.load_nd %a[%c0, %k] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  xegpu.store_nd %v, %c[%c0, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %w, %c[%c0, %c16] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

// Loads one below the other are one taller message.
// CHECK-LABEL: @below
// CHECK: xevm.blockload2d {{.*}} tile_height = 16 : i32
// CHECK-NOT: xevm.blockload2d
func.func @below(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %w = xegpu.load_nd %a[%c8, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %s = arith.addf %v, %w : vector<8x16xf32>
  xegpu.store_nd %s, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// A store between two loads may change what the second one reads.
// CHECK-LABEL: @store_between
// CHECK: xevm.blockload2d
// CHECK: xevm.blockstore2d
// CHECK: xevm.blockload2d
func.func @store_between(%A: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  xegpu.store_nd %v, %a[%c0, %c16] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  %w = xegpu.load_nd %a[%c0, %c16] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  xegpu.store_nd %w, %a[%c16, %c16] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

// So may what other subgroups do before a barrier, and hints stay as they are.
// CHECK-LABEL: @barrier_and_hints
// CHECK-COUNT-4: xevm.blockload2d
func.func @barrier_and_hints(%A: memref<64x64xf16>, %C: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %w = xegpu.load_nd %a[%c0, %c16] <{l1_hint = #xegpu.cache_hint<streaming>}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  gpu.barrier
  %x = xegpu.load_nd %a[%c0, %c16] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  xegpu.fence memory_kind = global, fence_scope = workgroup
  %y = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  xegpu.store_nd %v, %c[%c0, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %w, %c[%c0, %c16] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %x, %c[%c16, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %y, %c[%c16, %c16] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}
