// C += A * B, of any sizes: a tile of C for each workgroup of one subgroup.
func.func @dynamic(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %m = memref.dim %A, %c0 : memref<?x?xf16>
  %n = memref.dim %B, %c1 : memref<?x?xf16>
  %k = memref.dim %A, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%m]
  %columns = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%n]
  gpu.launch blocks(%x, %y, %z) in (%gx = %rows, %gy = %columns, %gz = %c1)
      threads(%tx, %ty, %tz) in (%bx = %c16, %by = %c1, %bz = %c1) {
    %i = affine.apply affine_map<()[s0] -> (s0 * 32)>()[%x]
    %j = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%y]
    %h = affine.min affine_map<()[s0, s1] -> (s0 * -32 + s1, 32)>()[%x, %m]
    %w = affine.min affine_map<()[s0, s1] -> (s0 * -64 + s1, 64)>()[%y, %n]
    %a = memref.subview %A[%i, 0] [%h, %k] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
    %b = memref.subview %B[0, %j] [%k, %w] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
    %c = memref.subview %C[%i, %j] [%h, %w] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    linalg.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1], offset: ?>>, memref<?x?xf16, strided<[?, 1], offset: ?>>)
        outs(%c : memref<?x?xf32, strided<[?, 1], offset: ?>>)
    gpu.terminator
  }
  return
}
