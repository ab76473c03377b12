func.func @matmul(%a: memref<8x4xf64>, %b: memref<4x8xf64>, %c: memref<8x8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c4 step %c1 {
        %x = memref.load %a[%i, %k] : memref<8x4xf64>
        %y = memref.load %b[%k, %j] : memref<4x8xf64>
        %z = memref.load %c[%i, %j] : memref<8x8xf64>
        %p = arith.mulf %x, %y : f64
        %s = arith.addf %z, %p : f64
        memref.store %s, %c[%i, %j] : memref<8x8xf64>
      }
    }
  }
  func.return
}
