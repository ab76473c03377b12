// Intel's xegpu.compile_hint says nothing that XeVM would have: it is dropped.
// RUN: xetile-opt --convert-xegpu-to-xevm="device=pvc" %s | FileCheck %s --implicit-check-not=compile_hint

// CHECK: gpu.func @k
// CHECK: xevm.blockload2d
// CHECK: xevm.blockstore2d
gpu.module @m {
  gpu.func @k(%a: memref<32x32xf32>) kernel {
    %t = xegpu.create_nd_tdesc %a : memref<32x32xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[0, 0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    xegpu.compile_hint
    xegpu.store_nd %v, %t[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
