// One error per chunk; mlir-opt refuses every one of them too.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{result size of 512 bits does not match the expected size of 1024 bits}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 32 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<32xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{result size of 128 bits does not match the expected size of 96 bits}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 12 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{result 'res' is vector<4xi64>, expected a vector of rank 1 of integers of 8, 16 or 32 bits, f16, bf16, tf32 or f32}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 64 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 8 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<4xi64>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{transpose and pack_register are mutually exclusive}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = true, tile_height = 8 : i32, tile_width = 16 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{transpose is only supported for 32 and 64 bit elements}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 16 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{pack_register is only supported for 8 and 16 bit elements}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = true, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting tile_height to be 1, 2, 4, 8, 16, or 32, found 12}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 12 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<12xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting tile_height to be between 1 and 32, found 64}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 64 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<64xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting tile_width to be between 2 and 32, found 64}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 64 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<32xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting tile_width to be between 1 and 8, found 16}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 16 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi32>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{tile_width when pack_register is true should be equal to subgroup size (16 elements), found 8}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = true, tile_height = 32 : i32, tile_width = 8 : i32, transpose = false, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi32>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting v_blocks to be 1 or 2 or 4, found 3}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 8 : i32, transpose = false, v_blocks = 3 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<12xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting v_blocks to be 1 or 2, found 4}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 4 : i32, transpose = false, v_blocks = 4 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{tile_width * v_blocks should be less than or equal to 32 for 16 bit elements, found 64}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 32 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 4 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<128xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting result element type to be 32 bits, found i16}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting result element type to be 32 bits, found i16}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = true, tile_height = 16 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32, %v: vector<8xf32>) {
  // expected-error @below {{#xevm.load_cache_control<L1c_L2uc_L3c> should be of base attribute xevm.store_cache_control}}
  xevm.blockstore2d %p, %w, %h, %q, %x, %y, %v <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>, elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xf32>)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32, %v: vector<16xf32>) {
  // expected-error @below {{expecting tile_height to be between 1 and 8, found 16}}
  xevm.blockstore2d %p, %w, %h, %q, %x, %y, %v <{elem_size_in_bits = 32 : i32, tile_height = 16 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<16xf32>)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32, %v: vector<8xi16>) {
  // expected-error @below {{tile_width for 16 bit elements should be equal to 16, found 32}}
  xevm.blockstore2d %p, %w, %h, %q, %x, %y, %v <{elem_size_in_bits = 16 : i32, tile_height = 4 : i32, tile_width = 32 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi16>)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32, %v: vector<4x2xf32>) {
  // expected-error @below {{operand 'stored_val' is vector<4x2xf32>, expected a vector of rank 1 of integers of 8, 16 or 32 bits, f16, bf16, tf32 or f32}}
  xevm.blockstore2d %p, %w, %h, %q, %x, %y, %v <{elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<4x2xf32>)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32, %v: vector<4xi64>) {
  // expected-error @below {{operand 'stored_val' is vector<4xi64>, expected a vector of rank 1 of integers of 8, 16 or 32 bits, f16, bf16, tf32 or f32}}
  xevm.blockstore2d %p, %w, %h, %q, %x, %y, %v <{elem_size_in_bits = 64 : i32, tile_height = 8 : i32, tile_width = 8 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<4xi64>)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{tile_width for 16 bit elements should be equal to 16, found 32}}
  xevm.blockprefetch2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 32 : i32, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting v_blocks to be 1, 2, 4, or 8, found 3}}
  xevm.blockprefetch2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32, v_blocks = 3 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting 'elem_size_in_bits' to be 8, 16, or 32, found 64}}
  xevm.blockprefetch2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 64 : i32, tile_height = 8 : i32, tile_width = 8 : i32, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting tile_height to be between 1 and 32, found 64}}
  xevm.blockprefetch2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 8 : i32, tile_height = 64 : i32, tile_width = 32 : i32, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{expecting tile_height to be between 2 and 32, found 1}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = true, tile_height = 1 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<1xi32>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %w: i32, %h: i32, %q: i32, %x: i32, %y: i32) {
  // expected-error @below {{result 'res' is vector<2xf64>, expected a vector of rank 1 of integers of 8, 16 or 32 bits, f16, bf16, tf32 or f32}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<2xf64>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %h: i32, %x: i32, %y: i32) {
  %w = arith.constant 128 : i32
  %q = arith.constant 64 : i32
  // expected-error @below {{4th operand (base pitch) should be >= 2nd operand (base width): 64 and 128}}
  %0 = xevm.blockload2d %p, %w, %h, %q, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>) {
  // expected-error @below {{the result is vector<3xi8>; legal sizes for i8 are 2, 4, 8, 16}}
  %0 = xevm.blockload %p : (!llvm.ptr<1>) -> vector<3xi8>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>) {
  // expected-error @below {{the result is vector<16xi16>; legal sizes for i16 are 2, 4, 8}}
  %0 = xevm.blockload %p : (!llvm.ptr<1>) -> vector<16xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>) {
  // expected-error @below {{the result is vector<4xf16>; legal are i8, i16, i32, i64 and vectors of rank 1 of them}}
  %0 = xevm.blockload %p : (!llvm.ptr<1>) -> vector<4xf16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>) {
  // expected-error @below {{the result is vector<2x2xi16>; legal are i8, i16, i32, i64 and vectors of rank 1 of them}}
  %0 = xevm.blockload %p : (!llvm.ptr<1>) -> vector<2x2xi16>
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %v: f32) {
  // expected-error @below {{'val' is f32; legal are i8, i16, i32, i64 and vectors of rank 1 of them}}
  xevm.blockstore %p, %v : (!llvm.ptr<1>, f32)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>, %v: vector<1xi32>) {
  // expected-error @below {{'val' is vector<1xi32>; legal sizes for i32 are 2, 4, 8}}
  xevm.blockstore %p, %v : (!llvm.ptr<1>, vector<1xi32>)
  return
}

// -----

func.func @f(%p: !llvm.ptr<3>) {
  // expected-error @below {{'ptr' is !llvm.ptr<3>; legal are !llvm.ptr<1> and !llvm.ptr<4>}}
  xevm.prefetch %p : (!llvm.ptr<3>)
  return
}

// -----

func.func @f(%p: !llvm.ptr) {
  // expected-error @below {{'ptr' is !llvm.ptr; legal are !llvm.ptr<1> and !llvm.ptr<4>}}
  xevm.prefetch %p : (!llvm.ptr)
  return
}

// -----

func.func @f(%p: !llvm.ptr<1>) {
  // expected-error @below {{'L1wb_L2uc_L3c'; legal are INVALIDATE_READ, L1c_L2c_L3c, L1c_L2c_L3uc, L1c_L2uc_L3c, L1c_L2uc_L3uc, L1s_L2c_L3c, L1s_L2c_L3uc, L1s_L2uc_L3c, L1s_L2uc_L3uc, L1uc_L2c_L3c, L1uc_L2c_L3uc, L1uc_L2uc_L3c, L1uc_L2uc_L3uc, ir}}
  xevm.prefetch %p <{cache_control = #xevm.load_cache_control<L1wb_L2uc_L3c>}> : (!llvm.ptr<1>)
  return
}

// -----

func.func @f() {
  // expected-error @below {{'grid'; legal are cluster, device, lane, subgroup, system, workgroup}}
  xevm.memfence <{scope = #xevm.mem_scope<grid>}>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'local'; legal are constant, generic, global, private, shared}}
  xevm.memfence <{addrspace = #xevm.addr_space<local>, scope = #xevm.mem_scope<device>}>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'xevm.memfence' needs the property 'scope'}}
  xevm.memfence
  return
}

// -----

func.func @f(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) {
  // expected-error @below {{type of C operand must match result type: vector<8xf32> and vector<8xi32>}}
  %0 = xevm.mma %a, %b, %c {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xi32>
  return
}

// -----

func.func @f(%a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @below {{expected m, n and k, found m, n}}
  %0 = xevm.mma %a, %b {shape = <m = 8, n = 16>, types = <d = f32, a = f16, b = f16>} : (vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  return
}

// -----

func.func @f(%a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @below {{'f64'; legal are bf16, f16, s8, u8, s4, u4, tf32, f32, s32}}
  %0 = xevm.mma %a, %b {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f64>} : (vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  return
}

// -----

func.func @f(%a: vector<8xi16>, %b: vector<8xi32>) {
  // expected-error @below {{expected d, a, b and optionally c, found d, a}}
  %0 = xevm.mma %a, %b {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16>} : (vector<8xi16>, vector<8xi32>) -> vector<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{result 'res' is f32, expected one of i32, i64}}
  %0 = xevm.lane_id : f32
  return
}

// -----

func.func @f() {
  // expected-error @below {{result 'res' is i16, expected one of i32, i64}}
  %0 = xevm.group_id.y : i16
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected an integer type, got f32}}
  %0 = xevm.lane_id range <f32, 0, 16> : i32
  return
}

// -----

// expected-error @below {{expected a string, got 3 : i64}}
gpu.module @m [#xevm.target<chip = 3>] {
}

// -----

// expected-error @below {{'speed' is no parameter; legal are O, triple, chip, flags, linkFiles}}
gpu.module @m [#xevm.target<speed = 3>] {
}

// -----

// expected-error @below {{'chip' is given twice}}
gpu.module @m [#xevm.target<chip = "pvc", chip = "bmg">] {
}

// -----

// expected-error @below {{expected a dictionary, got ["a"]}}
gpu.module @m [#xevm.target<flags = ["a"]>] {
}
