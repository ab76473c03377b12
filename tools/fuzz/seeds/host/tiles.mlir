module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @move(%a: memref<16x32xf16>, %b: memref<16x32xf16>) kernel attributes {VectorComputeFunctionINTEL} {
      %from = xetile.init_tile %a[0, 0] : memref<16x32xf16> -> !xetile.tile<16x32xf16>
      %to = xetile.init_tile %b[0, 0] : memref<16x32xf16> -> !xetile.tile<16x32xf16>
      %v = xetile.load_tile %from : !xetile.tile<16x32xf16> -> vector<16x32xf16>
      %w = arith.addf %v, %v : vector<16x32xf16>
      xetile.store_tile %w, %to : vector<16x32xf16>, !xetile.tile<16x32xf16>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f16
    %a = gpu.alloc host_shared () : memref<16x32xf16>
    %b = gpu.alloc host_shared () : memref<16x32xf16>
    gpu.memset %a, %one : memref<16x32xf16>, f16
    gpu.launch_func @kernels::@move blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<16x32xf16>, %b : memref<16x32xf16>)
    %x = memref.load %b[%c1, %c1] : memref<16x32xf16>
    %y = arith.extf %x : f16 to f32
    vector.print %y : f32
    return
  }
}
