// C += A * B, f16 with sums in f32.
func.func @matmul(%A: memref<512x256xf16>, %B: memref<256x384xf16>, %C: memref<512x384xf32>) {
  linalg.matmul ins(%A, %B : memref<512x256xf16>, memref<256x384xf16>) outs(%C : memref<512x384xf32>)
  return
}
