// Every op, type and attribute of XeGPU in its spellings; mlir-opt prints the same text.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}
// RUN: %if mlir-opt %{ %mlir-opt %s --mlir-print-op-generic | xetile-opt | FileCheck %s %}

// CHECK-LABEL: func @descriptors(
func.func @descriptors(%A: memref<64x64xf16>, %D: memref<?x?xf16>, %s: memref<64xf32, 3>, %t3: memref<4x8x16xf16>, %p: i64, %q: ui64, %h: index, %w: index) {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}} : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %0 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 16] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  %1 = xegpu.create_nd_tdesc %A[%h, 16] : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}} : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
  %2 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}} : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64, boundary_check = false>, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>>
  %3 = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64, boundary_check = false>, #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}}, shape : [%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}], strides : [%{{[a-zA-Z0-9_#]+}}, 1] : memref<?x?xf16> -> !xegpu.tensor_desc<8x16xf16>
  %4 = xegpu.create_nd_tdesc %D, shape : [%h, %w], strides : [%w, 1] : memref<?x?xf16> -> !xegpu.tensor_desc<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}}[0, %{{[a-zA-Z0-9_#]+}}], shape : [%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}], strides : [%{{[a-zA-Z0-9_#]+}}, 1] {note} : memref<?x?xf16> -> !xegpu.tensor_desc<8x16xf16>
  %5 = xegpu.create_nd_tdesc %D[0, %w], shape : [%h, %w], strides : [%w, 1] {note} : memref<?x?xf16> -> !xegpu.tensor_desc<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}}, shape : [64, %{{[a-zA-Z0-9_#]+}}], strides : [64, 1] : i64 -> !xegpu.tensor_desc<8x16xf16>
  %6 = xegpu.create_nd_tdesc %p, shape : [64, %w], strides : [64, 1] : i64 -> !xegpu.tensor_desc<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], shape : [64], strides : [1] : ui64 -> !xegpu.tensor_desc<16xf16>
  %7 = xegpu.create_nd_tdesc %q[%h], shape : [64], strides : [1] : ui64 -> !xegpu.tensor_desc<16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}} : memref<64xf32, 3{{( : i64)?}}> -> !xegpu.tensor_desc<16xf32, #xegpu.block_tdesc_attr<memory_space = slm>>
  %8 = xegpu.create_nd_tdesc %s : memref<64xf32, 3> -> !xegpu.tensor_desc<16xf32, #xegpu.block_tdesc_attr<memory_space =  slm>>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_nd_tdesc %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 0, 0] : memref<4x8x16xf16> -> !xegpu.tensor_desc<8x16xf16>
  %9 = xegpu.create_nd_tdesc %t3[%h, 0, 0] : memref<4x8x16xf16> -> !xegpu.tensor_desc<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.update_nd_offset %{{[a-zA-Z0-9_#]+}}, [%{{[a-zA-Z0-9_#]+}}, 16] : !xegpu.tensor_desc<8x16xf16>
  %10 = xegpu.update_nd_offset %1, [%h, 16] : !xegpu.tensor_desc<8x16xf16>
  func.return
}

// CHECK-LABEL: func @block_access(
func.func @block_access(%t: !xegpu.tensor_desc<8x16xf16>, %u: !xegpu.tensor_desc<16x16xf16>, %a: !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>, %r: !xegpu.tensor_desc<16xf32>, %f: !xegpu.tensor_desc<16x8xf32>, %l: !xegpu.tensor_desc<256x128xf16, #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32], inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1], order = [1, 0]>>, %v: vector<8x16xf16>, %lane: vector<8xf16>, %i: index) {
  // CHECK: xegpu.prefetch_nd %{{[a-zA-Z0-9_#]+}}  : !xegpu.tensor_desc<8x16xf16>
  xegpu.prefetch_nd %t  : !xegpu.tensor_desc<8x16xf16>
  // CHECK: xegpu.prefetch_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 16] <{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<uncached>, l3_hint = #xegpu.cache_hint<streaming>}> : !xegpu.tensor_desc<8x16xf16>
  xegpu.prefetch_nd %t[%i, 16] <{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<uncached>, l3_hint = #xegpu.cache_hint<streaming>}> : !xegpu.tensor_desc<8x16xf16>
  // CHECK: xegpu.prefetch_nd %{{[a-zA-Z0-9_#]+}}[0, 0] <{layout = #xegpu.layout<inst_data = [8, 16]>}> {note = 1 : i32} : !xegpu.tensor_desc<8x16xf16>
  xegpu.prefetch_nd %t[0, 0] <{layout = #xegpu.layout<inst_data = [8, 16]>}> {note = 1 : i32} : !xegpu.tensor_desc<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}  : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %0 = xegpu.load_nd %t  : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 16] <{l1_hint = #xegpu.cache_hint<read_invalidate>}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  %1 = xegpu.load_nd %t[%i, 16] <{l1_hint = #xegpu.cache_hint<read_invalidate>}> : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[0, %{{[a-zA-Z0-9_#]+}}] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<8x16x2xf16>
  %2 = xegpu.load_nd %u[0, %i] <{packed}> : !xegpu.tensor_desc<16x16xf16> -> vector<8x16x2xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}]  : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x8x16xf16>
  %3 = xegpu.load_nd %a[%i, %i]  : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] <{packed}> : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x4x16x2xf16>
  %4 = xegpu.load_nd %a[%i, %i] <{packed}> : !xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>> -> vector<2x4x16x2xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8x16xf32>
  %5 = xegpu.load_nd %f[%i, %i] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x8xf32> -> vector<8x16xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}]  : !xegpu.tensor_desc<16xf32> -> vector<16xf32>
  %6 = xegpu.load_nd %r[%i]  : !xegpu.tensor_desc<16xf32> -> vector<16xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}]  : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
  %7 = xegpu.load_nd %t[%i, %i]  : !xegpu.tensor_desc<8x16xf16> -> vector<8xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_nd %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] <{layout = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32]>}> : !xegpu.tensor_desc<256x128xf16, #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32], inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1], order = [1, 0]>> -> vector<256x128xf16>
  %8 = xegpu.load_nd %l[%i, %i] <{layout = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32]>}> : !xegpu.tensor_desc<256x128xf16, #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32], inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1], order = [1, 0]>> -> vector<256x128xf16>
  // CHECK: xegpu.store_nd %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}  : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %v, %t  : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  // CHECK: xegpu.store_nd %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 0] <{l1_hint = #xegpu.cache_hint<write_back>, l2_hint = #xegpu.cache_hint<write_through>}> : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %v, %t[%i, 0] <{l1_hint = #xegpu.cache_hint<write_back>, l2_hint = #xegpu.cache_hint<write_through>}> : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  // CHECK: xegpu.store_nd %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 0]  : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
  xegpu.store_nd %lane, %t[%i, 0]  : vector<8xf16>, !xegpu.tensor_desc<8x16xf16>
  func.return
}

// CHECK-LABEL: func @products(
func.func @products(%a: vector<8x16xf16>, %b: vector<16x16xf16>, %bp: vector<8x16x2xf16>, %c: vector<8x16xf32>, %la: vector<8xf16>, %lb: vector<16xf16>, %lc: vector<8xf32>, %v: vector<32x64xf16>, %ta: vector<8xtf32>, %tb: vector<16xtf32>) {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.dpas %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
  %0 = xegpu.dpas %a, %b : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.dpas %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
  %1 = xegpu.dpas %a, %bp, %c : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.dpas %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {layout_a = #xegpu.layout<inst_data = [8, 16]>, layout_b = #xegpu.layout<inst_data = [16, 16]>, layout_cd = #xegpu.layout<inst_data = [8, 16]>} : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
  %2 = xegpu.dpas %a, %b, %c {layout_a = #xegpu.layout<inst_data = [8, 16]>, layout_b = #xegpu.layout<inst_data = [16, 16]>, layout_cd = #xegpu.layout<inst_data = [8, 16]>} : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.dpas %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
  %3 = xegpu.dpas %la, %lb, %lc : vector<8xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.convert_layout %{{[a-zA-Z0-9_#]+}} <{input_layout = #xegpu.layout<inst_data = [8, 16]>, target_layout = #xegpu.layout<inst_data = [16, 16]>}> : vector<32x64xf16>
  %4 = xegpu.convert_layout %v <{input_layout = #xegpu.layout<inst_data = [8, 16]>, target_layout = #xegpu.layout<inst_data = [16, 16]>}> : vector<32x64xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.convert_layout %{{[a-zA-Z0-9_#]+}} <{input_layout = #xegpu.slice<#xegpu.layout<sg_layout = [2, 4], sg_data = [4, 8]>, dims = [1]>, target_layout = #xegpu.slice<#xegpu.layout<sg_layout = [4, 2], sg_data = [2, 16]>, dims = [1]>}> : vector<8xf32>
  %5 = xegpu.convert_layout %lc <{input_layout = #xegpu.slice<#xegpu.layout<sg_layout = [2, 4], sg_data = [4, 8]>, dims = [1]>, target_layout = #xegpu.slice<#xegpu.layout<sg_layout = [4, 2], sg_data = [2, 16]>, dims = [1]>}> : vector<8xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.convert_layout %{{[a-zA-Z0-9_#]+}} <{input_layout = #xegpu.layout<sg_layout = [8], sg_data = [1]>, target_layout = #xegpu.layout<sg_layout = [16], sg_data = [2]>}> : vector<8xf32>
  %6 = xegpu.convert_layout %lc <{input_layout = #xegpu.layout<sg_layout = [8], sg_data = [1]>, target_layout = #xegpu.layout<sg_layout = [16], sg_data = [2]>}> : vector<8xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.dpas %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<8xtf32>, vector<16xtf32>, vector<8xf32> -> vector<8xf32>
  %7 = xegpu.dpas %ta, %tb, %lc : vector<8xtf32>, vector<16xtf32>, vector<8xf32> -> vector<8xf32>
  func.return
}

// CHECK-LABEL: func @scattered(
func.func @scattered(%m: memref<1024xf32>, %p: i64, %q: ui32, %o: vector<16xindex>, %mask: vector<16xi1>, %v: vector<16xf32>, %w: vector<16x8xf32>, %t: !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, %t8: !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>, %i: index, %one: i1, %x: f32, %lane: vector<8xf32>) {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_tdesc %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<1024xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  %0 = xegpu.create_tdesc %m, %o : memref<1024xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_tdesc %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : i64, vector<16xindex> -> !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>
  %1 = xegpu.create_tdesc %p, %o : i64, vector<16xindex> -> !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.update_offset %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xindex>
  %2 = xegpu.update_offset %0, %o : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xindex>
  // CHECK: xegpu.prefetch %{{[a-zA-Z0-9_#]+}}  : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  xegpu.prefetch %0  : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
  // CHECK: xegpu.prefetch %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}] <{l1_hint = #xegpu.cache_hint<cached>, offset_align_byte = 4 : i64}> : i64, vector<16xindex>
  xegpu.prefetch %p[%o] <{l1_hint = #xegpu.cache_hint<cached>, offset_align_byte = 4 : i64}> : i64, vector<16xindex>
  // CHECK: xegpu.prefetch %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}]  : memref<1024xf32>, vector<16xindex>
  xegpu.prefetch %m[%o]  : memref<1024xf32>, vector<16xindex>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}  : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1> -> vector<16xf32>
  %3 = xegpu.load %t, %mask  : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1> -> vector<16xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} <{l1_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>, vector<16xi1> -> vector<16x8xf32>
  %4 = xegpu.load %t8, %mask <{l1_hint = #xegpu.cache_hint<cached>}> : !xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>, vector<16xi1> -> vector<16x8xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}  : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
  %5 = xegpu.load %m[%o], %mask  : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}} <{chunk_size = 8 : i64, layout = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 2]>}> : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16x8xf32>
  %6 = xegpu.load %m[%o], %mask <{chunk_size = 8 : i64, layout = #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 2]>}> : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16x8xf32>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}  : i64, index, i1 -> f32
  %7 = xegpu.load %p[%i], %one  : i64, index, i1 -> f32
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}} <{chunk_size = 8 : i64}> : ui32, index, i1 -> vector<8xf32>
  %8 = xegpu.load %q[%i], %one <{chunk_size = 8 : i64}> : ui32, index, i1 -> vector<8xf32>
  // CHECK: xegpu.store %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}  : vector<16xf32>, !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>
  xegpu.store %v, %t, %mask  : vector<16xf32>, !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>
  // CHECK: xegpu.store %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}} <{chunk_size = 8 : i64, l1_hint = #xegpu.cache_hint<write_back>}> : vector<16x8xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
  xegpu.store %w, %m[%o], %mask <{chunk_size = 8 : i64, l1_hint = #xegpu.cache_hint<write_back>}> : vector<16x8xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
  // CHECK: xegpu.store %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}  : f32, i64, index, i1
  xegpu.store %x, %p[%i], %one  : f32, i64, index, i1
  // CHECK: xegpu.store %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}} <{chunk_size = 8 : i64}> : vector<8xf32>, i64, index, i1
  xegpu.store %lane, %p[%i], %one <{chunk_size = 8 : i64}> : vector<8xf32>, i64, index, i1
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.atomic_rmw addf %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
  %9 = xegpu.atomic_rmw addf %t, %mask, %v : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
  func.return
}

// CHECK-LABEL: func @shared_matrices(
func.func @shared_matrices(%m: memref<4096xi8, 3>, %n: memref<32x64xf16, #gpu.address_space<workgroup>>, %d: !xegpu.mem_desc<32x64xf16>, %e: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16, 16], stride = [1, 32]>>, %v: vector<8x16xf16>, %x: f16, %lane: vector<8xf16>, %i: index) {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_mem_desc %{{[a-zA-Z0-9_#]+}} : memref<4096xi8, 3{{( : i64)?}}> -> !xegpu.mem_desc<32x64xf16>
  %0 = xegpu.create_mem_desc %m : memref<4096xi8, 3> -> !xegpu.mem_desc<32x64xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.create_mem_desc %{{[a-zA-Z0-9_#]+}} : memref<32x64xf16, #gpu.address_space<workgroup>> -> !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16{{( : i64)?}}, 16{{( : i64)?}}], stride = [1{{( : i64)?}}, 32{{( : i64)?}}]>>
  %1 = xegpu.create_mem_desc %n : memref<32x64xf16, #gpu.address_space<workgroup>> -> !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16, 16], stride = [1, 32]>>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_matrix %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<8x16xf16>
  %2 = xegpu.load_matrix %d[%i, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_matrix %{{[a-zA-Z0-9_#]+}}[0, 0] <{layout = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>}>: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16{{( : i64)?}}, 16{{( : i64)?}}], stride = [1{{( : i64)?}}, 32{{( : i64)?}}]>> -> vector<8x16xf16>
  %3 = xegpu.load_matrix %e[0, 0] <{layout = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>}>: !xegpu.mem_desc<32x64xf16, #xegpu.mem_layout<block = [16, 16], stride = [1, 32]>> -> vector<8x16xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_matrix %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] <{subgroup_block_io}>: !xegpu.mem_desc<32x64xf16>, index, index -> vector<8xf16>
  %4 = xegpu.load_matrix %d[%i, %i] <{subgroup_block_io}>: !xegpu.mem_desc<32x64xf16>, index, index -> vector<8xf16>
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.load_matrix %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] : !xegpu.mem_desc<32x64xf16>, index, index -> f16
  %5 = xegpu.load_matrix %d[%i, %i] : !xegpu.mem_desc<32x64xf16>, index, index -> f16
  // CHECK: xegpu.store_matrix %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 16] : vector<8x16xf16>, !xegpu.mem_desc<32x64xf16>, index
  xegpu.store_matrix %v, %d[%i, 16] : vector<8x16xf16>, !xegpu.mem_desc<32x64xf16>, index
  // CHECK: xegpu.store_matrix %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[0, 16] <{subgroup_block_io}>: vector<8xf16>, !xegpu.mem_desc<32x64xf16>
  xegpu.store_matrix %lane, %d[0, 16] <{subgroup_block_io}>: vector<8xf16>, !xegpu.mem_desc<32x64xf16>
  // CHECK: xegpu.store_matrix %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[0, 16] : f16, !xegpu.mem_desc<32x64xf16>
  xegpu.store_matrix %x, %d[0, 16] : f16, !xegpu.mem_desc<32x64xf16>
  func.return
}

// CHECK-LABEL: func @barriers(
func.func @barriers(%id: i8, %count: i8) {
  // CHECK: xegpu.alloc_nbarrier 8
  xegpu.alloc_nbarrier 8
  // CHECK: %{{[a-zA-Z0-9_#]+}} = xegpu.init_nbarrier %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : i8, i8 -> !xegpu.nbarrier
  %0 = xegpu.init_nbarrier %id, %count : i8, i8 -> !xegpu.nbarrier
  // CHECK: xegpu.nbarrier_arrive %{{[a-zA-Z0-9_#]+}} : !xegpu.nbarrier
  xegpu.nbarrier_arrive %0 : !xegpu.nbarrier
  // CHECK: xegpu.nbarrier_wait %{{[a-zA-Z0-9_#]+}} : !xegpu.nbarrier
  xegpu.nbarrier_wait %0 : !xegpu.nbarrier
  // CHECK: xegpu.fence memory_kind = global, fence_scope = workgroup
  xegpu.fence memory_kind = global, fence_scope = workgroup
  // CHECK: xegpu.fence memory_kind = slm, fence_scope = gpu
  xegpu.fence memory_kind = slm, fence_scope = gpu
  func.return
}

// CHECK-LABEL: func @attributes(
func.func @attributes() {
  // CHECK: %{{[a-zA-Z0-9_#]+}} = arith.constant {a = #xegpu.range<[2{{( : i64)?}}, 4{{( : i64)?}}]>, b = #xegpu.layout<sg_layout = [2, 2]>, c = #xegpu.slice<#xegpu.slice<#xegpu.layout<lane_layout = [4, 4, 4], order = [2, 1, 0]>, dims = [0]>, dims = [1]>} 0 : index
  %0 = arith.constant {a = #xegpu.range<[2, 4]>, b = #xegpu.layout<sg_layout = [2, 2]>, c = #xegpu.slice<#xegpu.slice<#xegpu.layout<lane_layout = [4, 4, 4], order = [2, 1, 0]>, dims = [0]>, dims = [1]>} 0 : index
  func.return
}
