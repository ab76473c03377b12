// REQUIRES: mlir-opt
// RUN: xetile-opt --split-input-file --verify-diagnostics -p 'mlir{pipeline="gpu.module(convert-xegpu-to-xevm)"}' %s

// An op that the pass cannot convert.
gpu.module @k {
  gpu.func @f(%A: memref<64x64xf16>, %n: index) kernel {
    // expected-error @+1 {{MLIR: failed to legalize operation 'xegpu.create_nd_tdesc' that was explicitly marked illegal}}
    %tile = xegpu.create_nd_tdesc %A[0, %n] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    xegpu.prefetch_nd %tile : !xegpu.tensor_desc<8x16xf16>
    gpu.return
  }
}

// -----

// What upstream's verifier refuses before the pass runs.
func.func @f(%v: vector<16x16xf16>) {
  // expected-error @+1 {{MLIR: 'gpu.printf' op operand #0 must be variadic of}}
  gpu.printf "%d", %v : vector<16x16xf16>
  return
}

// -----

// XeTile is ours.
func.func @f(%A: memref<64x64xf16>) {
  // expected-error @+1 {{'xetile.init_tile' is XeTile, which upstream MLIR does not know; lower the kernel to xegpu first, or allow unregistered dialects to have upstream leave such ops alone}}
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
  return
}
