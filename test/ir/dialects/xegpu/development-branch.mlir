// What LLVM's development branch prints: properties stand in a dictionary of their own on all ops. It is read as what
// MLIR 22 prints, and printed as MLIR 22 reads it.
// RUN: xetile-opt %s | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s --check-prefix=UPSTREAM %}

#a = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>
#b = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @products
  // UPSTREAM-LABEL: gpu.func @products
  gpu.func @products(%a: vector<8x16xf16>, %b: vector<16x16xf16>) {
    // CHECK: %[[D:.+]] = xegpu.dpas %a, %b {layout_a = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, layout_b = #xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>, layout_cd = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>} : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    // UPSTREAM: xegpu.dpas {{.*}} {layout_a = {{.*}}, layout_b = {{.*}}, layout_cd = {{.*}}} : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    %d = xegpu.dpas %a, %b <{layout_a = #a, layout_b = #b, layout_cd = #a}> : vector<8x16xf16>, vector<16x16xf16> -> vector<8x16xf32>
    // CHECK: xegpu.dpas %a, %b, %[[D]] {layout_a = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>, mine} :
    %e = xegpu.dpas %a, %b, %d <{layout_a = #a}> {mine} : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @atomics
  gpu.func @atomics(%p: memref<64xf32>, %o: vector<16xindex>, %mask: vector<16xi1>, %v: vector<16xf32>) {
    %d = xegpu.create_tdesc %p, %o : memref<64xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>
    // CHECK: xegpu.atomic_rmw addf %{{.+}}, %mask, %v {layout = #xegpu.layout<lane_layout = [16], lane_data = [1]>} :
    %w = xegpu.atomic_rmw addf %d, %mask, %v <{layout = #xegpu.layout<lane_layout = [16], lane_data = [1]>}> : !xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @blocks
  gpu.func @blocks(%A: memref<64x64xf16>, %x: index) {
    %t = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16, #a>
    // CHECK: xegpu.prefetch_nd %{{.+}}[%x, 0] <{l1_hint = #xegpu.cache_hint<cached>, layout = {{.*}}}> :
    xegpu.prefetch_nd %t[%x, 0] <{l1_hint = #xegpu.cache_hint<cached>, layout = #a}> : !xegpu.tensor_desc<8x16xf16, #a>
    // CHECK: xegpu.load_nd %{{.+}}[%x, 0] <{l1_hint = #xegpu.cache_hint<cached>, layout = {{.*}}}> {mine} :
    %v = xegpu.load_nd %t[%x, 0] <{l1_hint = #xegpu.cache_hint<cached>, layout = #a}> {mine} : !xegpu.tensor_desc<8x16xf16, #a> -> vector<8x16xf16>
    // CHECK: xegpu.store_nd %{{.+}}, %{{.+}}[%x, 0] <{layout = {{.*}}}>{{ ?}}:
    xegpu.store_nd %v, %t[%x, 0] <{layout = #a}> : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16, #a>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @matrices
  gpu.func @matrices(%buffer: memref<4096xi8, 3>) {
    %m = xegpu.create_mem_desc %buffer : memref<4096xi8, 3> -> !xegpu.mem_desc<32x32xf32>
    // CHECK: xegpu.load_matrix %{{.+}}[8, 8] <{layout = {{.*}}}>{{ ?}}:
    %v = xegpu.load_matrix %m[8, 8] <{layout = #a}> : !xegpu.mem_desc<32x32xf32> -> vector<8x16xf32>
    // CHECK: xegpu.store_matrix %{{.+}}, %{{.+}}[8, 8] <{layout = {{.*}}}>{{ ?}}:
    xegpu.store_matrix %v, %m[8, 8] <{layout = #a}> : vector<8x16xf32>, !xegpu.mem_desc<32x32xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @scattered
  gpu.func @scattered(%p: memref<64xf32>, %o: vector<16xindex>, %mask: vector<16xi1>) {
    // CHECK: xegpu.load %p[%o], %mask <{chunk_size = 1 : i64, layout = {{.*}}}> :
    %v = xegpu.load %p[%o], %mask <{chunk_size = 1 : i64, layout = #xegpu.layout<lane_layout = [16], lane_data = [1]>}> : memref<64xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
    // CHECK: xegpu.store %{{.+}}, %p[%o], %mask <{layout = {{.*}}}>{{ ?}}:
    xegpu.store %v, %p[%o], %mask <{layout = #xegpu.layout<lane_layout = [16], lane_data = [1]>}> : vector<16xf32>, memref<64xf32>, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}
