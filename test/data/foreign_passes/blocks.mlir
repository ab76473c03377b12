func.func @blocks(%n: index, %m: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 7 : i32
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi ult, %i, %n : index
  cf.cond_br %more, ^body(%i : index), ^end
^body(%j: index):
  memref.store %v, %m[%j] : memref<?xi32>
  %next = arith.addi %j, %c1 : index
  cf.br ^head(%next : index)
^end:
  func.return
}
