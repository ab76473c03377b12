// RUN: xetile-opt %s --convert-xegpu-to-xevm="device=bmg print-layouts" 2>&1 >%t | FileCheck %s
// RUN: xetile-opt %s -p 'convert-xegpu-to-xevm{device=bmg print-layouts=true}' 2>&1 >%t | FileCheck %s

// Layouts and messages stand on standard error, by lines of the source.
// CHECK: @product: 3 vectors in registers, 0 conversions of 0 instructions
// CHECK-NEXT:   line [[#@LINE+10]]: %x vector<8x16xf16>: registers (1, 0) (2, 0) (4, 0), lanes (0, 1) (0, 2) (0, 4) (0, 8); a message of 8x16
// CHECK-NEXT:   line [[#@LINE+10]]: %y vector<16x16xf16>: registers (1, 0) (2, 0) (4, 0) (8, 0), lanes (0, 1) (0, 2) (0, 4) (0, 8); a message of 16x16 packed
// CHECK-NEXT:   line [[#@LINE+10]]: %d vector<8x16xf32>: registers (1, 0) (2, 0) (4, 0), lanes (0, 1) (0, 2) (0, 4) (0, 8){{$}}
// CHECK-NOT: {{.}}
func.func @product(%A: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index

  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %b = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %x = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %y = xegpu.load_nd %b[%c0, %c0] : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>
  %d = xegpu.dpas %x, %y : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
  xegpu.store_nd %d, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}
