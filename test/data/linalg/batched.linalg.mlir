// Three products, f16 with sums in f32.
func.func @batched(%A: memref<3x256x128xf16>, %B: memref<3x128x192xf16>, %C: memref<3x256x192xf32>) {
  linalg.batch_matmul ins(%A, %B : memref<3x256x128xf16>, memref<3x128x192xf16>) outs(%C : memref<3x256x192xf32>)
  return
}
