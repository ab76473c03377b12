func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1 : i64
  %m = memref.alloc() : memref<4xi64>
  memref.store %one, %m[%c0] : memref<4xi64>
  cf.br ^next(%c0, %m : index, memref<4xi64>)
^next(%i: index, %b: memref<4xi64>):
  %x = memref.load %b[%c0] : memref<4xi64>
  %twice = arith.addi %x, %x : i64
  memref.store %twice, %b[%c0] : memref<4xi64>
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %c6 : index
  cf.cond_br %more, ^next(%j, %b : index, memref<4xi64>), ^end(%twice : i64)
^end(%r: i64):
  vector.print %r : i64
  %good = arith.cmpi eq, %r, %r : i64
  cf.assert %good, "equal"
  return
}
