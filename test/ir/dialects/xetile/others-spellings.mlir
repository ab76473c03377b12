// What Intel's implementation writes otherwise: read as it is meant there, and printed in our one form.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt --mlir-print-op-generic %s | xetile-opt | FileCheck %s

// No blocks are no blocking.
// CHECK-LABEL: func.func @no_blocks
// CHECK-SAME: !xetile.tile<32x32xf16>
// CHECK-SAME: !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 4]>>>
func.func @no_blocks(%t: !xetile.tile<32x32xf16, #xetile.tile_attr<inner_blocks = []>>, %u: !xetile.tile<32x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 8], sg_data = [8, 4]>, inner_blocks = []>>) {
  func.return
}

// A padding that is written as an integer.
// CHECK-LABEL: func.func @padding
func.func @padding(%t: !xetile.tile<32x32xf16>, %g: !xetile.tile<4x32xf16, #xetile.scatter>, %mask: vector<4x32xi1>, %i: !xetile.tile<32x32xi8>) {
  // CHECK: xetile.load_tile %{{.*}} {padding = 0.000000e+00 : f64}
  %a = xetile.load_tile %t {padding = 0 : i32} : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  // CHECK: xetile.load_tile %{{.*}} {padding = -3.000000e+00 : f64}
  %b = xetile.load_tile %t {padding = -3} : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  // CHECK: xetile.load_tile %{{.*}} {padding = 2.000000e+00 : f64}
  %c = "xetile.load_tile"(%t) <{padding = 2 : i8}> : (!xetile.tile<32x32xf16>) -> vector<32x32xf16>
  // CHECK: xetile.load_gather %{{.*}}, %{{.*}} {padding = 1.000000e+00 : f64}
  %d = xetile.load_gather %g, %mask {padding = 1 : i64} : !xetile.tile<4x32xf16, #xetile.scatter>, vector<4x32xi1> -> vector<4x32xf16>
  // CHECK: xetile.load_tile %{{.*}} {padding = 1 : i32}
  %e = xetile.load_tile %i {padding = 1 : i32} : !xetile.tile<32x32xi8> -> vector<32x32xi8>
  func.return
}

// Lane maps of older files.
// CHECK-LABEL: func.func @lane_maps
// CHECK-SAME: sg_map = <wi_layout = [2, 8], wi_data = [1, 2], mma_block_size = [8, 16]>
// CHECK-SAME: sg_map = <wi_layout = [1, 16], wi_data = [1, 1]>
#s = #xetile.sg_map<mma_block_size = [8, 16], wi_layout = [2, 8], wi_data = [1, 2]>
func.func @lane_maps(%t: !xetile.tile<32x32xf16, #xetile.tile_attr<sg_map = #s>>, %u: !xetile.tile<32x32xf16, #xetile.tile_attr<sg_map = <wi_layout = [1, 16], wi_data = [1, 1]>>>) {
  func.return
}
