func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 5 : index
  %seven = arith.constant 7 : i32
  %m = memref.alloc(%n, %n) : memref<?x?xi32>
  %extent = memref.dim %m, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %extent step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %seven, %m[%i, %j] : memref<?x?xi32>
    }
    memref.store %seven, %m[%c0, %i] : memref<?x?xi32>
  }
  %known = memref.cast %m : memref<?x?xi32> to memref<5x?xi32>
  %x = memref.load %known[%c0, %c1] : memref<5x?xi32>
  vector.print %x : i32
  vector.print %extent : index
  return
}
