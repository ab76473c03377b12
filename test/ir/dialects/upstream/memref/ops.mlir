// The ops of the memref dialect that are ours, and those of xDSL that kernels use.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt --allow-unregistered-dialect | xetile-opt | FileCheck %s %}

// CHECK: func.func @f(%{{[a-zA-Z0-9_#]+}}: memref<16x32xf32>, %{{[a-zA-Z0-9_#]+}}: memref<?x?xf32>, %{{[a-zA-Z0-9_#]+}}: index, %{{[a-zA-Z0-9_#]+}}: memref<*xf32>, %{{[a-zA-Z0-9_#]+}}: memref<16x32xf32, strided<[32, 1], offset: 4>>, %{{[a-zA-Z0-9_#]+}}: memref<2048xi8>, %{{[a-zA-Z0-9_#]+}}: memref<?xf32>) {
func.func @f(%arg0: memref<16x32xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: memref<*xf32>, %arg4: memref<16x32xf32, strided<[32, 1], offset: 4>>, %arg5: memref<2048xi8>, %arg6: memref<?xf32>) {
  // CHECK: memref.cast %{{[a-zA-Z0-9_#]+}} : memref<16x32xf32> to memref<?x?xf32>
  %cast = memref.cast %arg0 : memref<16x32xf32> to memref<?x?xf32>
  // CHECK: memref.cast %{{[a-zA-Z0-9_#]+}} : memref<*xf32> to memref<?xf32>
  %cast_0 = memref.cast %arg3 : memref<*xf32> to memref<?xf32>
  // CHECK: memref.copy %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<16x32xf32> to memref<16x32xf32>
  memref.copy %arg0, %arg0 : memref<16x32xf32> to memref<16x32xf32>
  // CHECK: memref.transpose %{{[a-zA-Z0-9_#]+}} (d0, d1) -> (d1, d0) : memref<16x32xf32> to memref<32x16xf32, strided<[1, 32]>>
  %transpose = memref.transpose %arg0 (d0, d1) -> (d1, d0) : memref<16x32xf32> to memref<32x16xf32, strided<[1, 32]>>
  // CHECK: memref.extract_aligned_pointer_as_index %{{[a-zA-Z0-9_#]+}} : memref<16x32xf32> -> index
  %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<16x32xf32> -> index
  // CHECK: memref.reinterpret_cast %{{[a-zA-Z0-9_#]+}} to offset: [0], sizes: [8, 8], strides: [32, 1] : memref<16x32xf32> to memref<8x8xf32, strided<[32, 1]>>
  %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [8, 8], strides: [32, 1] : memref<16x32xf32> to memref<8x8xf32, strided<[32, 1]>>
  // CHECK: memref.view %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}][] : memref<2048xi8> to memref<64x4xf32>
  %view = memref.view %arg5[%arg2][] : memref<2048xi8> to memref<64x4xf32>
  // CHECK: memref.view %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}][%{{[a-zA-Z0-9_#]+}}] : memref<2048xi8> to memref<?x4xf32>
  %view_1 = memref.view %arg5[%arg2][%arg2] : memref<2048xi8> to memref<?x4xf32>
  // CHECK: memref.subview %{{[a-zA-Z0-9_#]+}}[4, 0] [8, 16] [1, 1] : memref<16x32xf32> to memref<8x16xf32, strided<[32, 1], offset: 128>>
  %subview = memref.subview %arg0[4, 0] [8, 16] [1, 1] : memref<16x32xf32> to memref<8x16xf32, strided<[32, 1], offset: 128>>
  // CHECK: memref.subview %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 0] [%{{[a-zA-Z0-9_#]+}}, 16] [1, 1] : memref<?x?xf32> to memref<?x16xf32, strided<[?, 1], offset: ?>>
  %subview_2 = memref.subview %arg1[%arg2, 0] [%arg2, 16] [1, 1] : memref<?x?xf32> to memref<?x16xf32, strided<[?, 1], offset: ?>>
  // CHECK: memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
  %alloc = memref.alloc() : memref<16xf32, #gpu.address_space<workgroup>>
  // CHECK: memref.alloc(%{{[a-zA-Z0-9_#]+}}) {alignment = 64 : i64} : memref<?xf32>
  %alloc_3 = memref.alloc(%arg2) {alignment = 64 : i64} : memref<?xf32>
  // CHECK: memref.alloca() : memref<16xf32, #gpu.address_space<workgroup>>
  %alloca = memref.alloca() : memref<16xf32, #gpu.address_space<workgroup>>
  // CHECK: memref.dealloc %{{[a-zA-Z0-9_#]+}} : memref<16xf32, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<16xf32, #gpu.address_space<workgroup>>
  // CHECK: memref.load %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] : memref<16x32xf32>
  %0 = memref.load %arg0[%arg2, %arg2] : memref<16x32xf32>
  // CHECK: memref.store %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] : memref<16x32xf32>
  memref.store %0, %arg0[%arg2, %arg2] : memref<16x32xf32>
  // CHECK: arith.constant 0 : index
  %c0 = arith.constant 0 : index
  // CHECK: memref.dim %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?x?xf32>
  %dim = memref.dim %arg1, %c0 : memref<?x?xf32>
  // CHECK: memref.rank %{{[a-zA-Z0-9_#]+}} : memref<?x?xf32>
  %1 = memref.rank %arg1 : memref<?x?xf32>
  // CHECK: memref.memory_space_cast %{{[a-zA-Z0-9_#]+}} : memref<16x32xf32> to memref<16x32xf32, #gpu.address_space<workgroup>>
  %memspacecast = memref.memory_space_cast %arg0 : memref<16x32xf32> to memref<16x32xf32, #gpu.address_space<workgroup>>
  // CHECK: memref.atomic_rmw addf %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] : (f32, memref<16x32xf32>) -> f32
  %2 = memref.atomic_rmw addf %0, %arg0[%arg2, %arg2] : (f32, memref<16x32xf32>) -> f32
  return
}
// CHECK: memref.global "private" constant @g : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
memref.global "private" constant @g : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
// CHECK: memref.global @h : memref<2xf32, #gpu.address_space<workgroup>>
memref.global @h : memref<2xf32, #gpu.address_space<workgroup>>
// CHECK: memref.global @h2 : memref<2xf32> = uninitialized
memref.global @h2 : memref<2xf32> = uninitialized
// CHECK: func.func @g2() {
func.func @g2() {
  // CHECK: memref.get_global @g : memref<2xf32>
  %0 = memref.get_global @g : memref<2xf32>
  return
}
