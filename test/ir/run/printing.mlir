// What MLIR's runner prints (compared with mlir-runner 22: only base@ differs, and i8, which it prints as characters).
// RUN: xetile-run %s --entry main | FileCheck %s --match-full-lines --strict-whitespace
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI8(memref<*xi8>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefShapeF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemref2dF32(memref<2x3xf32>) attributes {llvm.emit_c_interface}
func.func private @printF32(f32)
func.func private @printF64(f64)
func.func private @printI64(i64)
func.func private @printU64(i64)
func.func private @printNewline()
func.func private @printComma()
func.func private @printOpen()
func.func private @printClose()
memref.global "private" constant @g : memref<2x3xf32> = dense<[[1.0, -2.5, 3.0e10], [0x7FC00000, 0xFF800000, 1.2345678e-7]]>
memref.global "private" constant @g3 : memref<2x2x2xf32> = dense<[[[1.0,2.0],[3.0,4.0]],[[5.0,6.0],[7.0,8.0]]]>
memref.global "private" constant @g1 : memref<3xf32> = dense<[1.0,2.0,3.14159265]>
memref.global "private" constant @g0 : memref<f32> = dense<1.0>
memref.global "private" constant @gi : memref<2x3xi8> = dense<[[1,-2,65],[4,5,6]]>
memref.global "private" constant @gj : memref<1x1xi32> = dense<[[7]]>
func.func @main() {
  %a = memref.get_global @g : memref<2x3xf32>
  %u = memref.cast %a : memref<2x3xf32> to memref<*xf32>
  //      CHECK:Unranked Memref base@ = 0x10000000000 rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1] data = 
  // CHECK-NEXT:{{\[\[}}1,   -2.5,   3e+10], 
  // CHECK-NEXT: [nan,   -inf,   1.23457e-07]]
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  // CHECK-NEXT:Unranked Memref base@ = 0x10000000000 rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1]
  call @printMemrefShapeF32(%u) : (memref<*xf32>) -> ()

  %a3 = memref.get_global @g3 : memref<2x2x2xf32>
  %u3 = memref.cast %a3 : memref<2x2x2xf32> to memref<*xf32>
  // CHECK-NEXT:Unranked Memref base@ = 0x20000000000 rank = 3 offset = 0 sizes = [2, 2, 2] strides = [4, 2, 1] data = 
  // CHECK-NEXT:{{\[\[\[}}1,    2], 
  // CHECK-NEXT:  [3,    4]], 
  // CHECK-NEXT: {{\[\[}}5,    6], 
  // CHECK-NEXT:  [7,    8]]]
  call @printMemrefF32(%u3) : (memref<*xf32>) -> ()

  %a1 = memref.get_global @g1 : memref<3xf32>
  %u1 = memref.cast %a1 : memref<3xf32> to memref<*xf32>
  // CHECK-NEXT:Unranked Memref base@ = 0x30000000000 rank = 1 offset = 0 sizes = [3] strides = [1] data = 
  // CHECK-NEXT:[1,  2,  3.14159]
  call @printMemrefF32(%u1) : (memref<*xf32>) -> ()

  %a0 = memref.get_global @g0 : memref<f32>
  %u0 = memref.cast %a0 : memref<f32> to memref<*xf32>
  // CHECK-NEXT:Unranked Memref base@ = 0x40000000000 rank = 0 offset = 0 sizes = [] strides = [] data = 
  // CHECK-NEXT:[1]
  call @printMemrefF32(%u0) : (memref<*xf32>) -> ()

  // CHECK-NEXT:Memref base@ = 0x10000000000 rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1] data = 
  // CHECK-NEXT:{{\[\[}}1,   -2.5,   3e+10], 
  // CHECK-NEXT: [nan,   -inf,   1.23457e-07]]
  call @printMemref2dF32(%a) : (memref<2x3xf32>) -> ()

  %ai = memref.get_global @gi : memref<2x3xi8>
  %ui = memref.cast %ai : memref<2x3xi8> to memref<*xi8>
  // CHECK-NEXT:Unranked Memref base@ = 0x50000000000 rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1] data = 
  // CHECK-NEXT:{{\[\[}}1,   -2,   65], 
  // CHECK-NEXT: [4,   5,   6]]
  call @printMemrefI8(%ui) : (memref<*xi8>) -> ()

  %aj = memref.get_global @gj : memref<1x1xi32>
  %uj = memref.cast %aj : memref<1x1xi32> to memref<*xi32>
  // CHECK-NEXT:Unranked Memref base@ = 0x60000000000 rank = 2 offset = 0 sizes = [1, 1] strides = [1, 1] data = 
  // CHECK-NEXT:{{\[\[}}7]]
  call @printMemrefI32(%uj) : (memref<*xi32>) -> ()

  %sv = memref.subview %a[1, 0] [1, 2] [1, 2] : memref<2x3xf32> to memref<1x2xf32, strided<[3, 2], offset: 3>>
  %us = memref.cast %sv : memref<1x2xf32, strided<[3, 2], offset: 3>> to memref<*xf32>
  // CHECK-NEXT:Unranked Memref base@ = 0x10000000000 rank = 2 offset = 3 sizes = [1, 2] strides = [3, 2] data = 
  // CHECK-NEXT:{{\[\[}}nan,   1.23457e-07]]
  call @printMemrefF32(%us) : (memref<*xf32>) -> ()

  %f = arith.constant 3.14159265 : f32
  %d = arith.constant 1.0e-20 : f64
  %i = arith.constant -5 : i64
  // CHECK-NEXT:3.14159, 1e-20( -5, 18446744073709551611 )
  call @printF32(%f) : (f32) -> ()
  call @printComma() : () -> ()
  call @printF64(%d) : (f64) -> ()
  call @printOpen() : () -> ()
  call @printI64(%i) : (i64) -> ()
  call @printComma() : () -> ()
  call @printU64(%i) : (i64) -> ()
  call @printClose() : () -> ()
  call @printNewline() : () -> ()
  return
}
