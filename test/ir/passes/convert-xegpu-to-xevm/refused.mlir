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

// -----

// Named barriers have no form in XeVM.
func.func @named_barrier(%A: memref<64x64xf32>) {
  // expected-error @below {{'xegpu.alloc_nbarrier' is not lowered to XeVM yet}}
  xegpu.alloc_nbarrier 8
  %i = arith.constant 1 : i8
  %b = xegpu.init_nbarrier %i, %i : i8, i8 -> !xegpu.nbarrier
  xegpu.nbarrier_arrive %b : !xegpu.nbarrier
  xegpu.nbarrier_wait %b : !xegpu.nbarrier
  return
}
