// Every op and attribute of XeVM in its spellings; mlir-opt prints the same text.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}
// RUN: %if mlir-opt %{ %mlir-opt %s --mlir-print-op-generic | xetile-opt | FileCheck %s %}

// CHECK-LABEL: func @block_messages(
func.func @block_messages(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32, %s: vector<8xf32>, %b: vector<16xi8>) {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 32 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<64xi16>
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 32 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<64xi16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>, elem_size_in_bits = 8 : i32, pack_register = true, tile_height = 32 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 4 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<32xi32>
  %1 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>, elem_size_in_bits = 8 : i32, pack_register = true, tile_height = 32 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 4 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<32xi32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
  %2 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xf16>
  %3 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> {note = 1 : i32} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xbf16>
  %4 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> {note = 1 : i32} : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xbf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 8 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xf32>
  %5 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 8 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xf32>
  // CHECK: xevm.blockstore2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xf32>)
  xevm.blockstore2d %p, %w, %h, %q, %x, %y, %s <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xf32>)
  // CHECK: xevm.blockstore2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>, elem_size_in_bits = 8 : i32, tile_height = 8 : i32, tile_width = 32 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<16xi8>)
  xevm.blockstore2d %p, %w, %h, %q, %x, %y, %b <{cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>, elem_size_in_bits = 8 : i32, tile_height = 8 : i32, tile_width = 32 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<16xi8>)
  // CHECK: xevm.blockprefetch2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{elem_size_in_bits = 8 : i32, tile_height = 8 : i32, tile_width = 32 : i32, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  xevm.blockprefetch2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 8 : i32, tile_height = 8 : i32, tile_width = 32 : i32, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  // CHECK: xevm.blockprefetch2d %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>, elem_size_in_bits = 16 : i32, tile_height = 16 : i32, tile_width = 16 : i32, v_blocks = 8 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  xevm.blockprefetch2d %p, %w, %h, %q, %x, %y <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>, elem_size_in_bits = 16 : i32, tile_height = 16 : i32, tile_width = 16 : i32, v_blocks = 8 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  func.return
}

// CHECK-LABEL: func @memory(
func.func @memory(%p: !llvm.ptr<1>, %g: !llvm.ptr<4>, %s: !llvm.ptr<3>, %v: vector<4xi16>, %x: i64) {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload %{{[a-zA-Z0-9_#]+}}  : (!llvm.ptr<1>) -> vector<4xi16>
  %0 = xevm.blockload %p  : (!llvm.ptr<1>) -> vector<4xi16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload %{{[a-zA-Z0-9_#]+}} <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>) -> vector<16xi8>
  %1 = xevm.blockload %p <{cache_control = #xevm.load_cache_control<L1uc_L2uc_L3uc>}> : (!llvm.ptr<1>) -> vector<16xi8>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload %{{[a-zA-Z0-9_#]+}}  : (!llvm.ptr<3>) -> i32
  %2 = xevm.blockload %s  : (!llvm.ptr<3>) -> i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.blockload %{{[a-zA-Z0-9_#]+}}  : (!llvm.ptr<1>) -> vector<8xi64>
  %3 = xevm.blockload %p  : (!llvm.ptr<1>) -> vector<8xi64>
  // CHECK: xevm.blockstore %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}  : (!llvm.ptr<1>, vector<4xi16>)
  xevm.blockstore %p, %v  : (!llvm.ptr<1>, vector<4xi16>)
  // CHECK: xevm.blockstore %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{cache_control = #xevm.store_cache_control<L1wb_L2wb_L3uc>}> {note} : (!llvm.ptr<1>, i64)
  xevm.blockstore %p, %x <{cache_control = #xevm.store_cache_control<L1wb_L2wb_L3uc>}> {note} : (!llvm.ptr<1>, i64)
  // CHECK: xevm.prefetch %{{[a-zA-Z0-9_#]+}}  : (!llvm.ptr<1>)
  xevm.prefetch %p  : (!llvm.ptr<1>)
  // CHECK: xevm.prefetch %{{[a-zA-Z0-9_#]+}} <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>}> : (!llvm.ptr<4>)
  xevm.prefetch %g <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>}> : (!llvm.ptr<4>)
  // CHECK: xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>
  xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>
  // CHECK: xevm.memfence <{addrspace = #xevm.addr_space<generic>, scope = #xevm.mem_scope<device>}> {note}
  xevm.memfence <{addrspace = #xevm.addr_space<generic>, scope = #xevm.mem_scope<device>}> {note}
  func.return
}

// CHECK-LABEL: func @products(
func.func @products(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>, %i: vector<8xi32>) {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.mma %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
  %0 = xevm.mma %a, %b, %c {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.mma %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = bf16, b = bf16>} : (vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  %1 = xevm.mma %a, %b {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = bf16, b = bf16>} : (vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.mma %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {shape = <m = 8, n = 16, k = 32>, types = <d = s32, a = s8, b = u8, c = s32>} : (vector<8xi16>, vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %2 = xevm.mma %a, %b, %i {shape = <m = 8, n = 16, k = 32>, types = <d = s32, a = s8, b = u8, c = s32>} : (vector<8xi16>, vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  func.return
}

// CHECK-LABEL: func @ids(
func.func @ids() {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.local_id.x : i32
  %0 = xevm.local_id.x : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.local_id.y : i32
  %1 = xevm.local_id.y : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.local_id.z : i32
  %2 = xevm.local_id.z : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.local_size.x : i64
  %3 = xevm.local_size.x : i64
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.local_size.y : i64
  %4 = xevm.local_size.y : i64
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.local_size.z : i64
  %5 = xevm.local_size.z : i64
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.group_id.x : i32
  %6 = xevm.group_id.x : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.group_id.y : i32
  %7 = xevm.group_id.y : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.group_id.z : i32
  %8 = xevm.group_id.z : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.group_count.x : i32
  %9 = xevm.group_count.x : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.group_count.y : i32
  %10 = xevm.group_count.y : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.group_count.z : i32
  %11 = xevm.group_count.z : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.lane_id : i32
  %12 = xevm.lane_id : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.subgroup_id : i32
  %13 = xevm.subgroup_id : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.subgroup_size : i64
  %14 = xevm.subgroup_size : i64
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.local_id.x range <i32, 0, 16> : i32
  %15 = xevm.local_id.x range <i32, 0, 16> : i32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xevm.lane_id range <i32, 0, 16> {note} : i32
  %16 = xevm.lane_id range <i32, 0, 16> {note} : i32
  func.return
}

// CHECK: gpu.module @target0 [#xevm.target] {
gpu.module @target0 [#xevm.target] {
}

// CHECK: gpu.module @target1 [#xevm.target<O = 3, chip = "pvc", flags = {"cmd-options" = "-x"}, linkFiles = ["a.bc"]>] {
gpu.module @target1 [#xevm.target<O = 3, chip = "pvc", flags = {"cmd-options" = "-x"}, linkFiles = ["a.bc"]>] {
}

// CHECK: gpu.module @target2 [#xevm.target, #xevm.target<triple = "spirv64", chip = "cri">] {
gpu.module @target2 [#xevm.target, #xevm.target<triple = "spirv64", chip = "cri">] {
}

// CHECK: gpu.module @target3 [#xevm.target<O = 0, linkFiles = []>] {
gpu.module @target3 [#xevm.target<O = 0, linkFiles = []>] {
}

// What has its default is not printed.
// CHECK: gpu.module @target4 [#xevm.target<chip = "lnl">] {
gpu.module @target4 [#xevm.target<triple = "spirv64-unknown-unknown", chip = "lnl", O = 2>] {
}
