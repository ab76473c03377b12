func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  %nine = arith.constant 9.0 : f64
  %m = memref.alloc(%c3) : memref<?x4xf64>
  %flat = memref.collapse_shape %m [[0, 1]] : memref<?x4xf64> into memref<?xf64>
  scf.for %k = %c0 to %c12 step %c1 {
    memref.store %nine, %flat[%k] : memref<?xf64>
  }
  %deep = memref.expand_shape %m [[0], [1, 2]] output_shape [%c3, 2, 2] : memref<?x4xf64> into memref<?x2x2xf64>
  scf.for %i = %c0 to %c3 step %c1 {
    %x = memref.load %deep[%i, %c1, %c0] : memref<?x2x2xf64>
    %y = arith.mulf %x, %x : f64
    memref.store %y, %deep[%i, %c0, %c1] : memref<?x2x2xf64>
  }
  %z = memref.load %flat[%c1] : memref<?xf64>
  vector.print %z : f64
  %turned = memref.transpose %m (i, j) -> (j, i) : memref<?x4xf64> to memref<4x?xf64, strided<[1, 4]>>
  %t = memref.load %turned[%c1, %c0] : memref<4x?xf64, strided<[1, 4]>>
  vector.print %t : f64
  return
}
