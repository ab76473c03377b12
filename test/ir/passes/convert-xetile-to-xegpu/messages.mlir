// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" %s | filecheck %s
// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg upstream-plan=true" %s | filecheck %s --check-prefix UPSTREAM

#blocked = #xetile.tile_attr<inner_blocks = [32, 16]>

// A message that is written is followed, also where another one would be planned.

// CHECK-LABEL: func.func @written
// CHECK: xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16>
// CHECK-COUNT-2: xegpu.load_nd {{.*}} : !xegpu.tensor_desc<32x16xf16> -> vector<32x16xf16>
// CHECK-NOT: xegpu.load_nd
// CHECK-NOT: message

// Upstream's messages are others, and always planned.

// UPSTREAM-LABEL: func.func @written
// UPSTREAM-COUNT-4: xegpu.load_nd {{.*}} : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>
func.func @written(%B: memref<64x64xf16>) {
  %t = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16, #blocked>
  %v = xetile.load_tile %t {message = #xetile.message<32x16x1>} : !xetile.tile<32x32xf16, #blocked> -> vector<1x2x32x16xf16>
  func.return
}

// Where none is written, one is planned.

// CHECK-LABEL: func.func @planned
// CHECK: xegpu.load_nd {{.*}} : !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x32x16xf16>
func.func @planned(%B: memref<64x64xf16>) {
  %t = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16, #blocked>
  %v = xetile.load_tile %t : !xetile.tile<32x32xf16, #blocked> -> vector<1x2x32x16xf16>
  func.return
}

// Accesses of one tile may have different messages: each has its own descriptor, which loops do not carry.

// CHECK-LABEL: func.func @two
// CHECK: %[[DOUBLE:.*]] = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
// CHECK: %[[SINGLE:.*]] = xegpu.create_nd_tdesc %B : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16>
// CHECK: xegpu.load_nd %[[DOUBLE]]
// CHECK: scf.for {{.*}} -> (index)
// CHECK-COUNT-2: xegpu.load_nd %[[SINGLE]]
func.func @two(%B: memref<64x64xf16>, %lower: index, %upper: index, %step: index) {
  %t = xetile.init_tile %B[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16, #blocked>
  %first = xetile.load_tile %t : !xetile.tile<32x32xf16, #blocked> -> vector<1x2x32x16xf16>
  %last = scf.for %i = %lower to %upper step %step iter_args(%moving = %t) -> (!xetile.tile<32x32xf16, #blocked>) {
    %v = xetile.load_tile %moving {message = #xetile.message<32x16x1>} : !xetile.tile<32x32xf16, #blocked> -> vector<1x2x32x16xf16>
    %next = xetile.update_tile_offset %moving, [32, 0] : !xetile.tile<32x32xf16, #blocked>
    scf.yield %next : !xetile.tile<32x32xf16, #blocked>
  }
  func.return
}
