// RUN: xetile-opt --split-input-file --convert-xegpu-to-xevm="device=cri" %s | FileCheck %s

// What the bits of operands are, types of xevm.mma say where they can.
// CHECK-LABEL: @mixed_signs
// CHECK: xevm.mma {{.*}} {shape = <m = 8, n = 16, k = 32>, types = <d = s32, a = s8, b = u8>} : (vector<8xi16>, vector<8xi32>) -> vector<8xi32>
func.func @mixed_signs(%A: memref<64x64xi8>, %C: memref<64x64xi32>) {
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<8x32xi8>
  %b = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<32x16xi8>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xi32> -> !xegpu.tensor_desc<8x16xi32>
  %va = xegpu.load_nd %a[0, 0] : !xegpu.tensor_desc<8x32xi8> -> vector<8x32xi8>
  %vb = xegpu.load_nd %b[0, 0] <{packed}> : !xegpu.tensor_desc<32x16xi8> -> vector<8x16x4xi8>
  %d = xegpu.dpas %va, %vb {xetile.operand_types = [si8, ui8]} : vector<8x32xi8>, vector<8x16x4xi8> -> vector<8x16xi32>
  xegpu.store_nd %d, %c[0, 0] : vector<8x16xi32>, !xegpu.tensor_desc<8x16xi32>
  return
}

// -----

// Of 8-bit floats they have none, so the attribute stays.
// CHECK-LABEL: @floats
// CHECK: xevm.mma {{.*}} {shape = <m = 8, n = 16, k = 32>, types = <d = f32, a = s8, b = s8>} {xetile.operand_types = [f8E4M3FN, f8E5M2]}
func.func @floats(%A: memref<64x64xi8>, %C: memref<64x64xf32>) {
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<8x32xi8>
  %b = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<32x16xi8>
  %c = xegpu.create_nd_tdesc %C : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %va = xegpu.load_nd %a[0, 0] : !xegpu.tensor_desc<8x32xi8> -> vector<8x32xi8>
  %fa = vector.bitcast %va : vector<8x32xi8> to vector<8x32xf8E4M3FN>
  %ba = vector.bitcast %fa : vector<8x32xf8E4M3FN> to vector<8x32xi8>
  %vb = xegpu.load_nd %b[0, 0] <{packed}> : !xegpu.tensor_desc<32x16xi8> -> vector<8x16x4xi8>
  %d = xegpu.dpas %ba, %vb {xetile.operand_types = [f8E4M3FN, f8E5M2]} : vector<8x32xi8>, vector<8x16x4xi8> -> vector<8x16xf32>
  xegpu.store_nd %d, %c[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}
