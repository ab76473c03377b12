memref.global "private" constant @table : memref<2x3xi32> = dense<[[1, 2, 3], [4, 5, 6]]>
func.func @sum(%m: memref<2x3xi32>, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %start) -> (i32) {
    %q = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %s) -> (i32) {
      %x = memref.load %m[%i, %j] : memref<2x3xi32>
      %u = arith.addi %t, %x : i32
      scf.yield %u : i32
    }
    scf.yield %q : i32
  }
  return %r : i32
}
func.func @main() -> i32 {
  %start = arith.constant -3 : i32
  %m = memref.get_global @table : memref<2x3xi32>
  %r = call @sum(%m, %start) : (memref<2x3xi32>, i32) -> i32
  %again = func.call @sum(%m, %r) : (memref<2x3xi32>, i32) -> i32
  vector.print %again : i32
  %copy = memref.alloc() : memref<2x3xi32>
  memref.copy %m, %copy : memref<2x3xi32> to memref<2x3xi32>
  return %again : i32
}
