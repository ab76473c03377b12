// C += A * B, f16 with sums in f32, of sizes that no tile divides.
func.func @ragged(%A: memref<100x72xf16>, %B: memref<72x120xf16>, %C: memref<100x120xf32>) {
  linalg.matmul ins(%A, %B : memref<100x72xf16>, memref<72x120xf16>) outs(%C : memref<100x120xf32>)
  return
}
