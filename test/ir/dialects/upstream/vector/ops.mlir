// The ops of the vector dialect that are ours, and those of xDSL that kernels use.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt --allow-unregistered-dialect | xetile-opt | FileCheck %s %}

// CHECK: func.func @f(%{{[a-zA-Z0-9_#]+}}: vector<32x16xf16>, %{{[a-zA-Z0-9_#]+}}: vector<8x16xf16>, %{{[a-zA-Z0-9_#]+}}: vector<2x3x8x16xf16>, %{{[a-zA-Z0-9_#]+}}: f16, %{{[a-zA-Z0-9_#]+}}: vector<16xf16>, %{{[a-zA-Z0-9_#]+}}: index, %{{[a-zA-Z0-9_#]+}}: memref<?x?xf32>, %{{[a-zA-Z0-9_#]+}}: vector<16xi1>, %{{[a-zA-Z0-9_#]+}}: vector<16xindex>, %{{[a-zA-Z0-9_#]+}}: vector<16xf32>, %{{[a-zA-Z0-9_#]+}}: memref<?xf32>, %{{[a-zA-Z0-9_#]+}}: vector<16xf16>, %{{[a-zA-Z0-9_#]+}}: vector<16xi32>, %{{[a-zA-Z0-9_#]+}}: vector<f16>, %{{[a-zA-Z0-9_#]+}}: vector<[4]xf16>) {
func.func @f(%arg0: vector<32x16xf16>, %arg1: vector<8x16xf16>, %arg2: vector<2x3x8x16xf16>, %arg3: f16, %arg4: vector<16xf16>, %arg5: index, %arg6: memref<?x?xf32>, %arg7: vector<16xi1>, %arg8: vector<16xindex>, %arg9: vector<16xf32>, %arg10: memref<?xf32>, %arg11: vector<16xf16>, %arg12: vector<16xi32>, %arg13: vector<f16>, %arg14: vector<[4]xf16>) {
  // CHECK: vector.extract_strided_slice %{{[a-zA-Z0-9_#]+}} {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
  %0 = vector.extract_strided_slice %arg0 {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
  // CHECK: vector.extract_strided_slice %{{[a-zA-Z0-9_#]+}} {offsets = [4], sizes = [8], strides = [1]} : vector<32x16xf16> to vector<8x16xf16>
  %1 = vector.extract_strided_slice %arg0 {offsets = [4], sizes = [8], strides = [1]} : vector<32x16xf16> to vector<8x16xf16>
  // CHECK: vector.insert_strided_slice %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {offsets = [0, 0], strides = [1, 1]} : vector<8x16xf16> into vector<32x16xf16>
  %2 = vector.insert_strided_slice %arg1, %arg0 {offsets = [0, 0], strides = [1, 1]} : vector<8x16xf16> into vector<32x16xf16>
  // CHECK: vector.insert_strided_slice %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {offsets = [4, 0], strides = [1]} : vector<16xf16> into vector<32x16xf16>
  %3 = vector.insert_strided_slice %arg4, %arg0 {offsets = [4, 0], strides = [1]} : vector<16xf16> into vector<32x16xf16>
  // CHECK: vector.shape_cast %{{[a-zA-Z0-9_#]+}} : vector<32x16xf16> to vector<512xf16>
  %4 = vector.shape_cast %arg0 : vector<32x16xf16> to vector<512xf16>
  // CHECK: vector.transpose %{{[a-zA-Z0-9_#]+}}, [1, 0] : vector<32x16xf16> to vector<16x32xf16>
  %5 = vector.transpose %arg0, [1, 0] : vector<32x16xf16> to vector<16x32xf16>
  // CHECK: vector.multi_reduction <add>, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} [0] : vector<32x16xf16> to vector<16xf16>
  %6 = vector.multi_reduction <add>, %arg0, %arg11 [0] : vector<32x16xf16> to vector<16xf16>
  // CHECK: vector.multi_reduction <maxnumf>, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} [0, 1] : vector<32x16xf16> to f16
  %7 = vector.multi_reduction <maxnumf>, %arg0, %arg3 [0, 1] : vector<32x16xf16> to f16
  // CHECK: vector.from_elements %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<3xf16>
  %8 = vector.from_elements %arg3, %arg3, %arg3 : vector<3xf16>
  // CHECK: vector.from_elements %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<2x2xf16>
  %9 = vector.from_elements %arg3, %arg3, %arg3, %arg3 : vector<2x2xf16>
  // CHECK: vector.from_elements %{{[a-zA-Z0-9_#]+}} : vector<f16>
  %10 = vector.from_elements %arg3 : vector<f16>
  // CHECK: vector.constant_mask [4] : vector<16xi1>
  %12 = vector.constant_mask [4] : vector<16xi1>
  // CHECK: vector.constant_mask [4, 8] : vector<8x16xi1>
  %13 = vector.constant_mask [4, 8] : vector<8x16xi1>
  // CHECK: vector.step : vector<16xindex>
  %14 = vector.step : vector<16xindex>
  // CHECK: vector.gather %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}] [%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %15 = vector.gather %arg10[%arg5] [%arg8], %arg7, %arg9 : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  // CHECK: vector.gather %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] [%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {alignment = 8 : i64} : memref<?x?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %16 = vector.gather %arg6[%arg5, %arg5] [%arg12], %arg7, %arg9 {alignment = 8 : i64} : memref<?x?xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  // CHECK: vector.scatter %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}] [%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32>
  vector.scatter %arg10[%arg5] [%arg8], %arg7, %arg9 : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32>
  // CHECK: vector.scatter %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}] [%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {alignment = 8 : i64} : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32>
  vector.scatter %arg10[%arg5] [%arg8], %arg7, %arg9 {alignment = 8 : i64} : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32>
  // CHECK: vector.extract %{{[a-zA-Z0-9_#]+}}[0] : vector<16xf16> from vector<32x16xf16>
  %17 = vector.extract %arg0[0] : vector<16xf16> from vector<32x16xf16>
  // CHECK: vector.extract %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, 1] : f16 from vector<32x16xf16>
  %18 = vector.extract %arg0[%arg5, 1] : f16 from vector<32x16xf16>
  // CHECK: vector.extract %{{[a-zA-Z0-9_#]+}}[0, 1] : vector<8x16xf16> from vector<2x3x8x16xf16>
  %19 = vector.extract %arg2[0, 1] : vector<8x16xf16> from vector<2x3x8x16xf16>
  // CHECK: vector.extract %{{[a-zA-Z0-9_#]+}}[] : f16 from vector<f16>
  %20 = vector.extract %arg13[] : f16 from vector<f16>
  // CHECK: vector.insert %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} [0] : vector<16xf16> into vector<32x16xf16>
  %21 = vector.insert %arg4, %arg0 [0] : vector<16xf16> into vector<32x16xf16>
  // CHECK: vector.insert %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} [%{{[a-zA-Z0-9_#]+}}, 0] : f16 into vector<32x16xf16>
  %22 = vector.insert %arg3, %arg0 [%arg5, 0] : f16 into vector<32x16xf16>
  // CHECK: vector.shuffle %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} [0, 1, 2, 31] : vector<16xf16>, vector<16xf16>
  %23 = vector.shuffle %arg4, %arg4 [0, 1, 2, 31] : vector<16xf16>, vector<16xf16>
  // CHECK: vector.shuffle %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} [0, 1, 33] : vector<32x16xf16>, vector<8x16xf16>
  %24 = vector.shuffle %arg0, %arg1 [0, 1, 33] : vector<32x16xf16>, vector<8x16xf16>
  // CHECK: vector.bitcast %{{[a-zA-Z0-9_#]+}} : vector<16xf16> to vector<8xi32>
  %25 = vector.bitcast %arg4 : vector<16xf16> to vector<8xi32>
  // CHECK: vector.broadcast %{{[a-zA-Z0-9_#]+}} : f16 to vector<16xf16>
  %26 = vector.broadcast %arg3 : f16 to vector<16xf16>
  // CHECK: vector.broadcast %{{[a-zA-Z0-9_#]+}} : vector<16xf16> to vector<32x16xf16>
  %27 = vector.broadcast %arg4 : vector<16xf16> to vector<32x16xf16>
  // CHECK: vector.fma %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<32x16xf16>
  %28 = vector.fma %arg0, %arg0, %arg0 : vector<32x16xf16>
  // CHECK: vector.reduction <add>, %{{[a-zA-Z0-9_#]+}} : vector<16xf16> into f16
  %29 = vector.reduction <add>, %arg4 : vector<16xf16> into f16
  // CHECK: vector.reduction <maximumf>, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<16xf16> into f16
  %30 = vector.reduction <maximumf>, %arg4, %arg3 : vector<16xf16> into f16
  // CHECK: vector.reduction <add>, %{{[a-zA-Z0-9_#]+}} fastmath<reassoc> : vector<16xf16> into f16
  %31 = vector.reduction <add>, %arg4 fastmath<reassoc> : vector<16xf16> into f16
  // CHECK: vector.load %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] : memref<?x?xf32>, vector<8xf32>
  %32 = vector.load %arg6[%arg5, %arg5] : memref<?x?xf32>, vector<8xf32>
  // CHECK: vector.store %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] : memref<?x?xf32>, vector<8xf32>
  vector.store %32, %arg6[%arg5, %arg5] : memref<?x?xf32>, vector<8xf32>
  // CHECK: vector.maskedload %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %33 = vector.maskedload %arg10[%arg5], %arg7, %arg9 : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  // CHECK: vector.maskedstore %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, vector<16xi1>, vector<16xf32>
  vector.maskedstore %arg10[%arg5], %arg7, %arg9 : memref<?xf32>, vector<16xi1>, vector<16xf32>
  // CHECK: vector.create_mask %{{[a-zA-Z0-9_#]+}} : vector<16xi1>
  %34 = vector.create_mask %arg5 : vector<16xi1>
  // CHECK: vector.create_mask %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<8x16xi1>
  %35 = vector.create_mask %arg5, %arg5 : vector<8x16xi1>
  // CHECK: arith.constant 0.000000e+00 : f32
  %cst = arith.constant 0.000000e+00 : f32
  // CHECK: vector.transfer_read %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}} : memref<?x?xf32>, vector<8x16xf32>
  %36 = vector.transfer_read %arg6[%arg5, %arg5], %cst : memref<?x?xf32>, vector<8x16xf32>
  // CHECK: vector.transfer_write %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] : vector<8x16xf32>, memref<?x?xf32>
  vector.transfer_write %36, %arg6[%arg5, %arg5] : vector<8x16xf32>, memref<?x?xf32>
  // CHECK: vector.transfer_read %{{[a-zA-Z0-9_#]+}}[%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}], %{{[a-zA-Z0-9_#]+}} {in_bounds = [true, true]} : memref<?x?xf32>, vector<16x16xf32>
  %37 = vector.transfer_read %arg6[%arg5, %arg5], %cst {in_bounds = [true, true]} : memref<?x?xf32>, vector<16x16xf32>
  return
}
