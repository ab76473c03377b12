// REQUIRES: mlir-opt
// RUN: xetile-opt -p 'mlir{pipeline="cse"}' %s | FileCheck %s
// RUN: xetile-opt --mlir='pipeline="cse"' %s | FileCheck %s
// RUN: xetile-opt -p 'mlir{pipeline="builtin.module(gpu.module(cse))"}' %s | FileCheck %s
// RUN: xetile-opt -p 'mlir{pipeline=""}' %s | FileCheck --check-prefix=SAME %s

// CHECK: gpu.module @k [#xevm.target<chip = "pvc">]
gpu.module @k [#xevm.target<chip = "pvc">] {
  // CHECK-LABEL: gpu.func @twice(%A: memref<64x64xf16>, %v: vector<8x16xf16>, %n: index) kernel
  gpu.func @twice(%A: memref<64x64xf16>, %v: vector<8x16xf16>, %n: index) kernel {
    // CHECK-NEXT: %a = arith.addi %n, %n : index
    // CHECK-NEXT: %tile = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    // CHECK-NEXT: xegpu.store_nd %v, %tile[%a, %a]
    // SAME:      %a = arith.addi %n, %n : index
    // SAME-NEXT: %b = arith.addi %n, %n : index
    // SAME-NEXT: %tile = xegpu.create_nd_tdesc %A
    // SAME-NEXT: xegpu.store_nd %v, %tile[%a, %b]
    %a = arith.addi %n, %n : index
    %b = arith.addi %n, %n : index
    %tile = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    xegpu.store_nd %v, %tile[%a, %b] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
    gpu.return
  }
}
