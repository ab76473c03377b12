// C += A * B^T, bf16 with sums in f32.
func.func @transposed(%A: memref<512x256xbf16>, %B: memref<384x256xbf16>, %C: memref<512x384xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%A, %B : memref<512x256xbf16>, memref<384x256xbf16>) outs(%C : memref<512x384xf32>)
  return
}
