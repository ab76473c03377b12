func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 6 : index
  %columns = arith.constant 8 : index
  %m = memref.alloc() : memref<6x8xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %sum = arith.addi %i, %j : index
      %whole = arith.index_cast %sum : index to i32
      %x = arith.sitofp %whole : i32 to f32
      memref.store %x, %m[%i, %j] : memref<6x8xf32>
    }
  }
  %last = memref.load %m[%c1, %c1] : memref<6x8xf32>
  vector.print %last : f32
  %any = memref.cast %m : memref<6x8xf32> to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  memref.dealloc %m : memref<6x8xf32>
  return
}
func.func private @printMemrefF32(memref<*xf32>)
