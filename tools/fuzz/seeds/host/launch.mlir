module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @double(%a: memref<8x16xf32>, %by: f32) kernel attributes {VectorComputeFunctionINTEL} {
      %x = gpu.block_id x
      %y = gpu.block_id y
      %v = memref.load %a[%x, %y] : memref<8x16xf32>
      %w = arith.mulf %v, %by : f32
      memref.store %w, %a[%x, %y] : memref<8x16xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c8 = arith.constant 8 : index
    %three = arith.constant 3.0 : f32
    %host = memref.alloc() : memref<8x16xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c16 step %c1 {
        memref.store %three, %host[%i, %j] : memref<8x16xf32>
      }
    }
    %device = gpu.alloc () : memref<8x16xf32>
    gpu.memcpy %device, %host : memref<8x16xf32>, memref<8x16xf32>
    gpu.launch_func @kernels::@double blocks in (%c8, %c16, %c1) threads in (%c1, %c1, %c1) args(%device : memref<8x16xf32>, %three : f32)
    gpu.memcpy %host, %device : memref<8x16xf32>, memref<8x16xf32>
    gpu.dealloc %device : memref<8x16xf32>
    %x = memref.load %host[%c1, %c1] : memref<8x16xf32>
    vector.print %x : f32
    return
  }
}
