// REQUIRES: mlir-opt
// RUN: xetile-opt --allow-unregistered-dialect -p 'mlir{pipeline="canonicalize,cse"}' %s | FileCheck %s


// Where unregistered dialects are allowed, upstream works around XeTile and ops that nobody knows.
// CHECK-LABEL: func.func @f
func.func @f(%A: memref<64x64xf16>, %n: index) {
  // CHECK-NEXT: %a = arith.addi %n, %n : index
  // CHECK-NEXT: %t = xetile.init_tile %A[%a, %a] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
  // CHECK-NEXT: %v = xetile.load_tile %t : !xetile.tile<8x16xf16> -> vector<8x16xf16>
  // CHECK-NEXT: "other.use"(%v) <{size = #other.size<3>}> : (vector<8x16xf16>) -> ()
  %a = arith.addi %n, %n : index
  %b = arith.addi %n, %n : index
  %t = xetile.init_tile %A[%a, %b] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
  %v = xetile.load_tile %t : !xetile.tile<8x16xf16> -> vector<8x16xf16>
  "other.use"(%v) <{size = #other.size<3>}> : (vector<8x16xf16>) -> ()
  return
}
