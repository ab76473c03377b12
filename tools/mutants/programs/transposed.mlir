// Columns that become rows in the message, slices that are registers, a packed operand, cache hints; written in XeGPU.
gpu.module @m {
  gpu.func @k(%A: memref<48x40xf32>, %P: memref<32x64xf16>, %Q: memref<24x32xf16>, %C: memref<40x48xf32>, %D: memref<24x64xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 3, 5, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %row = arith.muli %bx, %c16 : index
    %top = arith.muli %bx, %c8 : index
    %column = arith.muli %by, %c8 : index
    %left = arith.muli %by, %c16 : index
    %a = xegpu.create_nd_tdesc %A : memref<48x40xf32> -> !xegpu.tensor_desc<16x8xf32>
    %p = xegpu.create_nd_tdesc %P : memref<32x64xf16> -> !xegpu.tensor_desc<32x16xf16>
    %q = xegpu.create_nd_tdesc %Q : memref<24x32xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %c = xegpu.create_nd_tdesc %C : memref<40x48xf32> -> !xegpu.tensor_desc<8x16xf32>
    %d = xegpu.create_nd_tdesc %D : memref<24x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %e = xegpu.create_nd_tdesc %D : memref<24x64xf32> -> !xegpu.tensor_desc<4x16xf32>
    %v = xegpu.load_nd %a[%row, %column] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8x16xf32>
    xegpu.store_nd %v, %c[%column, %row] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %w = xegpu.load_nd %p[%c0, %left] <{packed, l1_hint = #xegpu.cache_hint<uncached>, l3_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<32x16xf16> -> vector<16x16x2xf16>
    %x = xegpu.load_nd %q[%top, %c0] : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x8x16xf16>
    %x0 = vector.extract %x[0] : vector<8x16xf16> from vector<2x8x16xf16>
    %x1 = vector.extract %x[1] : vector<8x16xf16> from vector<2x8x16xf16>
    %w0 = vector.extract_strided_slice %w {offsets = [0], sizes = [8], strides = [1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %w1 = vector.extract_strided_slice %w {offsets = [8], sizes = [8], strides = [1]} : vector<16x16x2xf16> to vector<8x16x2xf16>
    %s0 = xegpu.dpas %x0, %w0 : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
    %s1 = xegpu.dpas %x1, %w1, %s0 : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    %low = vector.extract_strided_slice %s1 {offsets = [4, 0], sizes = [4, 16], strides = [1, 1]} : vector<8x16xf32> to vector<4x16xf32>
    %twice = arith.addf %low, %low : vector<4x16xf32>
    xegpu.store_nd %s1, %d[%top, %left] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    %under = arith.addi %top, %c8 : index
    %four = arith.constant 4 : index
    %middle = arith.subi %under, %four : index
    xegpu.store_nd %twice, %e[%middle, %left] : vector<4x16xf32>, !xegpu.tensor_desc<4x16xf32>
    gpu.return
  }
}
