// RUN: xetile-opt --split-input-file --verify-diagnostics --convert-xegpu-to-xevm="device=bmg" %s

func.func @floats_8(%a: vector<8x32xi8>, %b: vector<32x16xi8>, %A: memref<64x64xi8>) {
  %t = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<8x32xi8>
  // expected-error @below {{bmg has no matrix instruction for A f8E4M3FN, B f8E5M2 and accumulator f32; ptl and cri have one}}
  %d = xegpu.dpas %a, %b {xetile.operand_types = [f8E4M3FN, f8E5M2]} : vector<8x32xi8>, vector<32x16xi8> -> vector<8x16xf32>
  return
}

// -----

func.func @no_pair(%a: vector<8x32xi8>, %b: vector<32x16xi8>, %A: memref<64x64xi8>) {
  %t = xegpu.create_nd_tdesc %A : memref<64x64xi8> -> !xegpu.tensor_desc<8x32xi8>
  // expected-error @below {{'xetile.operand_types' is [f16, f8E5M2]; expected the types of A and B, of i8, si8, ui8, f8E4M3FN and f8E5M2}}
  %d = xegpu.dpas %a, %b {xetile.operand_types = [f16, f8E5M2]} : vector<8x32xi8>, vector<32x16xi8> -> vector<8x16xf32>
  return
}
