// A GEMM of plain loads, which every OpenCL device runs: it imports none of Intel's block or matrix builtins.
gpu.module @kernels [#xevm.target<chip = "bmg">] {
  gpu.func @gemm(%A: memref<24x48xf16>, %B: memref<48x64xf16>, %C: memref<24x64xf32>) kernel attributes {
      known_block_size = array<i32: 16, 2, 1>, known_grid_size = array<i32: 4, 12, 1>, xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %extent_k = arith.constant 48 : index
    %extent_n = arith.constant 64 : index
    %f16_bytes = arith.constant 2 : index
    %f32_bytes = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %n = gpu.global_id x
    %m = gpu.global_id y
    %a_base = memref.extract_aligned_pointer_as_index %A : memref<24x48xf16> -> index
    %b_base = memref.extract_aligned_pointer_as_index %B : memref<48x64xf16> -> index
    %c_base = memref.extract_aligned_pointer_as_index %C : memref<24x64xf32> -> index
    %a_row = arith.muli %m, %extent_k : index
    %sum = scf.for %k = %c0 to %extent_k step %c1 iter_args(%so_far = %zero) -> f32 {
      %a_place = arith.addi %a_row, %k : index
      %a_byte = arith.muli %a_place, %f16_bytes : index
      %a_at = arith.addi %a_base, %a_byte : index
      %a_int = arith.index_cast %a_at : index to i64
      %a_pointer = llvm.inttoptr %a_int : i64 to !llvm.ptr<1>
      %a = llvm.load %a_pointer : !llvm.ptr<1> -> f16
      %b_row = arith.muli %k, %extent_n : index
      %b_place = arith.addi %b_row, %n : index
      %b_byte = arith.muli %b_place, %f16_bytes : index
      %b_at = arith.addi %b_base, %b_byte : index
      %b_int = arith.index_cast %b_at : index to i64
      %b_pointer = llvm.inttoptr %b_int : i64 to !llvm.ptr<1>
      %b = llvm.load %b_pointer : !llvm.ptr<1> -> f16
      %wide_a = arith.extf %a : f16 to f32
      %wide_b = arith.extf %b : f16 to f32
      %product = arith.mulf %wide_a, %wide_b : f32
      %next = arith.addf %so_far, %product : f32
      scf.yield %next : f32
    }
    %c_row = arith.muli %m, %extent_n : index
    %c_place = arith.addi %c_row, %n : index
    %c_byte = arith.muli %c_place, %f32_bytes : index
    %c_at = arith.addi %c_base, %c_byte : index
    %c_int = arith.index_cast %c_at : index to i64
    %c_pointer = llvm.inttoptr %c_int : i64 to !llvm.ptr<1>
    llvm.store %sum, %c_pointer : f32, !llvm.ptr<1>
    gpu.return
  }
}
