func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %five = arith.constant 5 : i64
  %flat = memref.alloc() : memref<16xi64>
  scf.for %i = %c0 to %c16 step %c1 {
    %x = arith.index_cast %i : index to i64
    memref.store %x, %flat[%i] : memref<16xi64>
  }
  %r = memref.reinterpret_cast %flat to offset: [1], sizes: [%c3, 2], strides: [%c4, 2] : memref<16xi64> to memref<?x2xi64, strided<[?, 2], offset: 1>>
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %five, %r[%i, %c1] : memref<?x2xi64, strided<[?, 2], offset: 1>>
  }
  %base, %offset, %n:2, %strides:2 = memref.extract_strided_metadata %r : memref<?x2xi64, strided<[?, 2], offset: 1>> -> memref<i64>, index, index, index, index, index
  vector.print %offset : index
  vector.print %strides#0 : index
  %y = memref.load %flat[%c3] : memref<16xi64>
  vector.print %y : i64
  return
}
