// Sizes, strides and an offset that are known at run time only; each round scales the sum, so that its number counts.
!half = memref<?x?xf16, strided<[?, 1]>>
!word = memref<?x?xf32, strided<[?, 1]>>
gpu.module @m {
  gpu.func @k(%A: !half, %B: !half,
      %C: !word, %first: index, %K: index) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m0 = arith.muli %bx, %c16 : index
    %m = arith.addi %m0, %first : index
    %n = arith.muli %by, %c32 : index
    %rows = memref.dim %A, %c0 : !half
    %depth = memref.dim %A, %c1 : !half
    %columns = memref.dim %B, %c1 : !half
    %c_rows = memref.dim %C, %c0 : !word
    %c_columns = memref.dim %C, %c1 : !word
    %b_depth = memref.dim %B, %c0 : !half
    %a_base, %a_offset, %a_sizes:2, %a_strides:2 = memref.extract_strided_metadata %A : !half -> memref<f16>, index, index, index, index, index
    %b_base, %b_offset, %b_sizes:2, %b_strides:2 = memref.extract_strided_metadata %B : !half -> memref<f16>, index, index, index, index, index
    %c_base, %c_offset, %c_sizes:2, %c_strides:2 = memref.extract_strided_metadata %C : !word -> memref<f32>, index, index, index, index, index
    %ta = xetile.init_tile %A[%m, %c0], [%rows, %depth], [%a_strides#0, %c1] : !half -> !xetile.tile<16x32xf16>
    %tb = xetile.init_tile %B[%c0, %n], [%b_depth, %columns], [%b_strides#0, %c1] : !half -> !xetile.tile<32x32xf16>
    %zero = arith.constant dense<1.0> : vector<16x32xf32>
    %half = arith.constant dense<0.75> : vector<16x32xf32>
    %r:3 = scf.for %k = %c0 to %K step %c32 iter_args(%u = %ta, %w = %tb, %acc = %zero)
        -> (!xetile.tile<16x32xf16>, !xetile.tile<32x32xf16>, vector<16x32xf32>) {
      %a = xetile.load_tile %u : !xetile.tile<16x32xf16> -> vector<16x32xf16>
      %b = xetile.load_tile %w : !xetile.tile<32x32xf16> -> vector<32x32xf16>
      %less = arith.mulf %acc, %half : vector<16x32xf32>
      %d = xetile.tile_mma %a, %b, %less : vector<16x32xf16>, vector<32x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
      %un = xetile.update_tile_offset %u, [%c0, %c32] : !xetile.tile<16x32xf16>
      %wn = xetile.update_tile_offset %w, [%c32, %c0] : !xetile.tile<32x32xf16>
      scf.yield %un, %wn, %d : !xetile.tile<16x32xf16>, !xetile.tile<32x32xf16>, vector<16x32xf32>
    }
    %tc = xetile.init_tile %C[%m, %n], [%c_rows, %c_columns], [%c_strides#0, %c1] : !word -> !xetile.tile<16x32xf32>
    xetile.store_tile %r#2, %tc : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}
