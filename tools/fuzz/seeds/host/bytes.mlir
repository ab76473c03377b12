func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant 258 : i16
  %raw = memref.alloc() : memref<32xi8>
  %view = memref.view %raw[%c8][%c4] : memref<32xi8> to memref<?x2xi16>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %view[%i, %c1] : memref<?x2xi16>
  }
  %y = memref.load %view[%c1, %c1] : memref<?x2xi16>
  vector.print %y : i16
  %stack = memref.alloca() : memref<4xi16>
  memref.store %y, %stack[%c1] : memref<4xi16>
  %old = memref.atomic_rmw addi %y, %stack[%c1] : (i16, memref<4xi16>) -> i16
  vector.print %old : i16
  %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  vector.print %v : vector<4xf32>
  return
}
