// What our passes refuse is a diagnostic of xDSL's own driver too, no traceback.
// RUN: xdsl-opt -p convert-xetile-to-xegpu --verify-diagnostics %s | FileCheck %s
// CHECK: {{^}}!xetile.tile<32x32xf16> has no inner_blocks; run xetile-blocking first{{$}}
func.func @k(%A: memref<64x64xf16>, %C: memref<64x64xf16>) {
  %a = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %v = xetile.load_tile %a : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  xetile.store_tile %v, %a : vector<32x32xf16>, !xetile.tile<32x32xf16>
  func.return
}
