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

// Messages that stand one below the other have a descriptor each; an instruction has up to 8 rows of them.

// CHECK-LABEL: func.func @heights
// CHECK: xegpu.load_nd {{.*}} : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
// CHECK: xegpu.load_nd {{.*}} : !xegpu.tensor_desc<1x16xf16> -> vector<1x16xf16>
// CHECK: xegpu.dpas {{.*}} : vector<8x16xf16>, vector<8x16x2xf16> -> vector<8x16xf32>
// CHECK: xegpu.dpas {{.*}} : vector<1x16xf16>, vector<8x16x2xf16> -> vector<1x16xf32>
// CHECK-NOT: xegpu.dpas
// CHECK: xegpu.store_nd {{.*}} : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
// CHECK: xegpu.store_nd {{.*}} : vector<1x16xf32>, !xegpu.tensor_desc<1x16xf32>

// Upstream's are repeated.

// UPSTREAM-LABEL: func.func @heights
// UPSTREAM-COUNT-9: xegpu.store_nd {{.*}} : vector<1x16xf32>, !xegpu.tensor_desc<1x16xf32>
#rows = #xetile.tile_attr<inner_blocks = [1, 16]>
#square = #xetile.tile_attr<inner_blocks = [16, 16]>
func.func @heights(%A: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<9x16xf16, #rows>
  %tb = xetile.init_tile %A[16, 0] : memref<64x64xf16> -> !xetile.tile<16x16xf16, #square>
  %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<9x16xf32, #rows>
  %a = xetile.load_tile %ta {message = #xetile.message<8x16x1 + 1x16x1>} : !xetile.tile<9x16xf16, #rows> -> vector<9x1x1x16xf16>
  %b = xetile.load_tile %tb : !xetile.tile<16x16xf16, #square> -> vector<1x1x16x16xf16>
  %c = xetile.tile_mma %a, %b : vector<9x1x1x16xf16>, vector<1x1x16x16xf16> -> vector<9x1x1x16xf32>
  xetile.store_tile %c, %tc : vector<9x1x1x16xf32>, !xetile.tile<9x16xf32, #rows>
  func.return
}
