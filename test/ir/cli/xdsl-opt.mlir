// xDSL's own driver finds the dialects and passes, and runs them on what it can read: it has no gpu.func.
// RUN: xdsl-opt -p 'xetile-blocking{device=bmg},canonicalize,convert-xetile-to-xegpu{device=bmg},cse,dce' %s | FileCheck %s
// RUN: xetile-opt -p 'xetile-blocking{device=bmg},canonicalize,convert-xetile-to-xegpu{device=bmg},cse,dce' %s | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK-NOT: xetile.tile_mma
// CHECK: xegpu.load_nd
// CHECK: xegpu.dpas
// CHECK: xegpu.store_nd
func.func @product(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %zero = arith.constant dense<0.000000e+00> : vector<32x32xf32>
  %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %tb = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
  %a = xetile.load_tile %ta : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  %b = xetile.load_tile %tb : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  %c = xetile.tile_mma %a, %b, %zero : vector<32x32xf16>, vector<32x32xf16>, vector<32x32xf32> -> vector<32x32xf32>
  xetile.store_tile %c, %tc : vector<32x32xf32>, !xetile.tile<32x32xf32>
  func.return
}
