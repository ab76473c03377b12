// RUN: xetile-opt --split-input-file --verify-diagnostics --convert-xegpu-to-xevm="device=bmg" %s

// Blocks that no one message of XeVM moves are refused at their access.
func.func @wide_prefetch(%A: memref<64x64xbf16>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xbf16> -> !xegpu.tensor_desc<8x32xbf16>
  // expected-error @below {{'xegpu.prefetch_nd' is no single message of XeVM: }}
  xegpu.prefetch_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x32xbf16>
  return
}

// -----

func.func @tall_store(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<16x16xf32>
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x16xf32>
  // expected-error @below {{'xegpu.store_nd' is no single message of XeVM: }}
  xegpu.store_nd %v, %a[%c0, %c0] : vector<16x16xf32>, !xegpu.tensor_desc<16x16xf32>
  return
}
