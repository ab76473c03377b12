// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// Block messages and matrix instructions are calls of Intel's builtins, whose names say the shape.

gpu.module @m {
  // What a load gives a lane is written to private memory, of which the chunks are read.
  // CHECK-LABEL: llvm.func @loads
  // CHECK-DAG: %[[WORDS:.*]] = llvm.alloca %{{.*}} x !llvm.array<8 x i16>
  // CHECK: %[[X:.*]] = llvm.insertelement %x, %{{.*}} : vector<2xi32>
  // CHECK-NEXT: %[[XY:.*]] = llvm.insertelement %y, %[[X]][%{{.*}} : i32] : vector<2xi32>
  // CHECK-NEXT: llvm.call @_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt(%p, %w, %h, %w, %[[XY]], %[[WORDS]])
  // CHECK-NEXT: llvm.load %[[WORDS]] : !llvm.ptr -> vector<8xi16>
  // CHECK: llvm.call @_Z52intel_sub_group_2d_block_read_transform_16b_16r16x1cPU3AS1viiiDv2_iPj(%p, %w, %h, %w, %{{.*}}, %[[PACKED:.*]]) :
  // CHECK-NEXT: llvm.load %[[PACKED]] : !llvm.ptr -> vector<8xi32>
  // CHECK: llvm.call @_Z51intel_sub_group_2d_block_read_transpose_32b_16r8x1cPU3AS1viiiDv2_iPj(
  gpu.func @loads(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) kernel {
    %plain = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 8 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi16>
    llvm.store %plain, %out : vector<8xi16>, !llvm.ptr<1>
    %packed = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 16 : i32, pack_register = true, tile_height = 16 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.store %packed, %out : vector<8xi32>, !llvm.ptr<1>
    %transposed = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 32 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 8 : i32, transpose = true, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<8xi32>
    llvm.store %transposed, %out : vector<8xi32>, !llvm.ptr<1>
    gpu.return
  }

  // With a cache control they are IGC's functions behind the builtins, which take its number last.
  // CHECK-LABEL: llvm.func @cached
  // CHECK-DAG: %[[BOTH:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK-DAG: %[[BACK:.*]] = llvm.mlir.constant(7 : i32)
  // CHECK-DAG: %[[VALUE:.*]] = llvm.mlir.constant(dense<0> : vector<8xi32>)
  // CHECK: llvm.call @__internal_intel_sub_group_2d_block_prefetch_16b_8r16x1c_cache_controls({{.*}}, %[[BOTH]])
  // CHECK: llvm.store %[[VALUE]], %[[STORED:.*]] : vector<8xi32>, !llvm.ptr
  // CHECK: llvm.call @__internal_intel_sub_group_2d_block_write_32b_8r16x1c_cache_controls({{.*}}, %[[STORED]], %[[BACK]])
  gpu.func @cached(%p: !llvm.ptr<1>, %w: i32, %h: i32, %x: i32, %y: i32) kernel {
    xevm.blockprefetch2d %p, %w, %h, %w, %x, %y <{cache_control = #xevm.load_cache_control<L1c_L2uc_L3c>, elem_size_in_bits = 16 : i32, tile_height = 8 : i32, tile_width = 16 : i32, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    %v = arith.constant dense<0> : vector<8xi32>
    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %v <{cache_control = #xevm.store_cache_control<L1wb_L2uc_L3wb>, elem_size_in_bits = 32 : i32, tile_height = 8 : i32, tile_width = 16 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32, vector<8xi32>)
    gpu.return
  }

  // A product without an accumulator starts from zeros.
  // CHECK-LABEL: llvm.func @products
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(dense<0> : vector<8xi32>)
  // CHECK: %[[A:.*]] = llvm.load {{.*}} -> vector<8xi16>
  // CHECK-NEXT: %[[B:.*]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK-NEXT: %[[C:.*]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK-NEXT: %[[D:.*]] = llvm.call @_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f(%[[A]], %[[B]], %[[C]])
  // CHECK-NEXT: llvm.call @_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_sDv8_iDv8_f(%[[A]], %[[B]], %[[D]])
  // CHECK: llvm.call @_Z36intel_sub_group_i8_u8_matrix_mad_k32Dv8_sDv8_jDv8_i(%[[A]], %[[B]], %[[ZERO]])
  gpu.func @products(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %r: !llvm.ptr<1>) kernel {
    %a = llvm.load %p : !llvm.ptr<1> -> vector<8xi16>
    %b = llvm.load %q : !llvm.ptr<1> -> vector<8xi32>
    %c = llvm.load %r : !llvm.ptr<1> -> vector<8xf32>
    %d = xevm.mma %a, %b, %c {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
    %e = xevm.mma %a, %b, %d {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = bf16, b = bf16, c = f32>} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
    llvm.store %e, %out : vector<8xf32>, !llvm.ptr<1>
    %f = xevm.mma %a, %b {shape = <m = 8, n = 16, k = 32>, types = <d = s32, a = s8, b = u8>} : (vector<8xi16>, vector<8xi32>) -> vector<8xi32>
    llvm.store %f, %out : vector<8xi32>, !llvm.ptr<1>
    gpu.return
  }
}
