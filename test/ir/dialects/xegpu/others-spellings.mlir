// What older files of Intel's implementation hold: lane maps and named barriers, printed in upstream's words.
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt --mlir-print-op-generic %s | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}

// CHECK-LABEL: func.func @lane_maps
// CHECK: xegpu.create_nd_tdesc %{{.*}} : memref<24x32xf32> -> !xegpu.tensor_desc<8x16xf32, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>>
#map = #xegpu.sg_map<wi_layout = [1, 16], wi_data = [1, 1]>
func.func @lane_maps(%a: memref<24x32xf32>) {
  %t = xegpu.create_nd_tdesc %a : memref<24x32xf32> -> !xegpu.tensor_desc<8x16xf32, #map>
  %u = xegpu.create_nd_tdesc %a : memref<24x32xf32> -> !xegpu.tensor_desc<8x16xf32, #xegpu.sg_map<wi_data = [1, 1], wi_layout = [1, 16]>>
  func.return
}

// CHECK-LABEL: func.func @named_barriers
func.func @named_barriers() {
  // CHECK: xegpu.alloc_nbarrier 8
  xegpu.alloc_nbarrier 8
  %i = arith.constant 1 : i8
  // CHECK: %[[B:.*]] = xegpu.init_nbarrier %{{.*}}, %{{.*}} : i8, i8 -> !xegpu.nbarrier
  %b = xegpu.init_nbarrier %i, %i : i8, i8 -> !xegpu.nbarrier
  // CHECK: xegpu.nbarrier_arrive %[[B]] : !xegpu.nbarrier
  xegpu.nbarrier_arrive %b : !xegpu.nbarrier
  // CHECK: xegpu.nbarrier_wait %[[B]] : !xegpu.nbarrier
  xegpu.nbarrier_wait %b : !xegpu.nbarrier
  func.return
}
