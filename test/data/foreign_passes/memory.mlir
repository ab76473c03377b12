func.func @memory(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<8xf32>
  %s = memref.alloca() : memref<8xf32>
  memref.store %one, %m[%c0] : memref<8xf32>
  "memref.copy"(%m, %s) : (memref<8xf32>, memref<8xf32>) -> ()
  scf.for %i = %c0 to %c8 step %c1 {
    %t = memref.alloc() : memref<4xf32>
    memref.store %one, %t[%c0] : memref<4xf32>
    memref.dealloc %t : memref<4xf32>
  }
  %x = memref.load %s[%c0] : memref<8xf32>
  memref.dealloc %m : memref<8xf32>
  func.return %x : f32
}
