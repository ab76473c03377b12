func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2.0 : f32
  %m = memref.alloc(%c4, %c4) : memref<?x?xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      memref.store %two, %m[%i, %j] : memref<?x?xf32>
    }
  }
  %w = memref.subview %m[1, %c1] [2, %c2] [1, 1] : memref<?x?xf32> to memref<2x?xf32, strided<[?, 1], offset: ?>>
  %row = memref.subview %m[0, 0] [1, 4] [1, 1] : memref<?x?xf32> to memref<4xf32, strided<[1]>>
  scf.for %k = %c0 to %c2 step %c1 {
    %x = memref.load %w[%k, %k] : memref<2x?xf32, strided<[?, 1], offset: ?>>
    %y = arith.addf %x, %two : f32
    memref.store %y, %row[%k] : memref<4xf32, strided<[1]>>
  }
  %first = memref.load %m[%c0, %c0] : memref<?x?xf32>
  vector.print %first : f32
  return
}
