// RUN: xetile-opt --split-input-file --verify-diagnostics --convert-xegpu-to-xevm="device=bmg" %s | FileCheck %s

// Layouts for instructions and lanes are advice, and so are those that upstream's passes write on other ops.
// CHECK-LABEL: @advice
// CHECK: xevm.blockload2d
// CHECK-NOT: xegpu
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NOT: xegpu
// CHECK: xevm.blockstore2d
func.func @advice(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32, #xegpu.layout<inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1]>>
  %v = xegpu.load_nd %c[%c0, %c0] : !xegpu.tensor_desc<8x16xf32, #xegpu.layout<inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1]>> -> vector<8x16xf32>
  %w = xegpu.convert_layout %v <{input_layout = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, target_layout = #xegpu.layout<lane_layout = [8, 2], lane_data = [1, 1]>}> : vector<8x16xf32>
  %x = arith.addf %w, %w {layout_result_0 = #xegpu.layout<lane_layout = [8, 2], lane_data = [1, 1]>} : vector<8x16xf32>
  xegpu.store_nd %x, %c[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32, #xegpu.layout<inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1]>>
  return
}

// -----

func.func @of_a_workgroup(%A: memref<64x64xf32>) {
  // expected-error @below {{'xegpu.create_nd_tdesc' shares out what a workgroup holds (sg_layout = [4, 2]); expected XeGPU of one subgroup, as mlir-opt --xegpu-wg-to-sg-distribute makes it}}
  %c = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<32x32xf32, #xegpu.layout<sg_layout = [4, 2], sg_data = [8, 16]>>
  return
}

// -----

func.func @of_a_lane(%A: memref<64x64xf16>) {
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  // expected-error @below {{'xegpu.load_nd' has vector<8xf16>, what one lane holds; expected XeGPU of one subgroup, as it is before mlir-opt --xegpu-subgroup-distribute}}
  %v = xegpu.load_nd %a[0, 0] : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
  return
}

// -----

func.func @product_of_a_lane(%a: vector<8xf16>, %b: vector<16xf16>) {
  // expected-error @below {{'xegpu.dpas' has vector<8xf16>, what one lane holds; expected XeGPU of one subgroup, as it is before mlir-opt --xegpu-subgroup-distribute}}
  %d = xegpu.dpas %a, %b : vector<8xf16>, vector<16xf16> -> vector<8xf32>
  return
}

// -----

func.func @scattered(%A: memref<64xf32>) {
  %o = arith.constant dense<0> : vector<16xindex>
  %m = arith.constant dense<true> : vector<16xi1>
  %v = arith.constant dense<1.0> : vector<16xf32>
  %a = xegpu.create_tdesc %A, %o : memref<64xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  // expected-error @below {{'andi' of f32 is not lowered to XeVM yet}}
  %r = xegpu.atomic_rmw andi %a, %m, %v : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
  return
}
