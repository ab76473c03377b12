func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<4xf32>
  memref.store %half, %a[%c1] : memref<4xf32>
  %sum, %b = scf.for %i = %c0 to %c10 step %c1 iter_args(%s = %zero, %m = %a) -> (f32, memref<4xf32>) {
    %x = memref.load %m[%c1] : memref<4xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t, %m : f32, memref<4xf32>
  }
  %y = memref.load %b[%c1] : memref<4xf32>
  %large = arith.cmpf ogt, %sum, %y : f32
  %chosen = scf.if %large -> (f32) {
    scf.yield %sum : f32
  } else {
    scf.yield %y : f32
  }
  vector.print %chosen : f32
  %n = scf.while (%i = %c0) : (index) -> index {
    %go = arith.cmpi ult, %i, %c10 : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  vector.print %n : index
  return
}
