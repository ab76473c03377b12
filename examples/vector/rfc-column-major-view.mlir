// XeTile RFC, appendix 1, in memrefs and vectors: memory holds B transposed, and the memref's strides
// say so: the program indexes B as K x N. The RFC writes its strides [K, 1]; they are [1, K].
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

gpu.module @kernels {
  gpu.func @gemm(%A: memref<256x128xbf16>, %B: memref<128x192xbf16, strided<[1, 128]>>, %C: memref<256x192xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 4, 3, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : bf16
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %i = arith.muli %block_x, %c64 : index
    %j = arith.muli %block_y, %c64 : index
    %start = arith.constant dense<0.0> : vector<64x64xf32>
    %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %start) -> (vector<64x64xf32>) {
      %a = memref.subview %A[%i, %k] [64, 32] [1, 1] : memref<256x128xbf16> to memref<64x32xbf16, strided<[128, 1], offset: ?>>
      %va = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x32xbf16, strided<[128, 1], offset: ?>>, vector<64x32xbf16>
      %b = memref.subview %B[%k, %j] [32, 64] [1, 1] : memref<128x192xbf16, strided<[1, 128]>> to memref<32x64xbf16, strided<[1, 128], offset: ?>>
      %vb = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x64xbf16, strided<[1, 128], offset: ?>>, vector<32x64xbf16>
      %next = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %va, %vb, %acc : vector<64x32xbf16>, vector<32x64xbf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    }
    %c = memref.subview %C[%i, %j] [64, 64] [1, 1] : memref<256x192xf32> to memref<64x64xf32, strided<[192, 1], offset: ?>>
    vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32, strided<[192, 1], offset: ?>>
    gpu.return
  }
}
