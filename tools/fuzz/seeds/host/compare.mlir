func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %low = arith.constant 1.0 : f32
  %high = arith.constant 1.5 : f32
  %a = memref.alloc() : memref<9xf32>
  %b = memref.alloc(%c9) : memref<?xf32>
  scf.for %i = %c0 to %c9 step %c1 {
    %even = arith.remui %i, %c9 : index
    %is = arith.cmpi eq, %even, %c0 : index
    %x = arith.select %is, %low, %high : f32
    memref.store %x, %a[%i] : memref<9xf32>
    memref.store %low, %b[%i] : memref<?xf32>
  }
  %left = memref.cast %a : memref<9xf32> to memref<*xf32>
  %right = memref.cast %b : memref<?xf32> to memref<*xf32>
  call @printMaxErrorF32(%left, %right) : (memref<*xf32>, memref<*xf32>) -> ()
  call @printAllcloseF32(%left, %right) : (memref<*xf32>, memref<*xf32>) -> ()
  return
}
func.func private @printMaxErrorF32(memref<*xf32>, memref<*xf32>)
func.func private @printAllcloseF32(memref<*xf32>, memref<*xf32>)
