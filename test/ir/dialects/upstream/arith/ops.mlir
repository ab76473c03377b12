// The ops of the arith dialect that xDSL lacks or restricts, on scalars and vectors.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt --allow-unregistered-dialect | xetile-opt | FileCheck %s %}

// CHECK: func.func @f(%{{[a-zA-Z0-9_#]+}}: vector<16xi32>, %{{[a-zA-Z0-9_#]+}}: vector<16xf16>, %{{[a-zA-Z0-9_#]+}}: i32, %{{[a-zA-Z0-9_#]+}}: f32, %{{[a-zA-Z0-9_#]+}}: index, %{{[a-zA-Z0-9_#]+}}: vector<4xindex>, %{{[a-zA-Z0-9_#]+}}: vector<16xi1>, %{{[a-zA-Z0-9_#]+}}: i1, %{{[a-zA-Z0-9_#]+}}: f16, %{{[a-zA-Z0-9_#]+}}: tensor<4x?xi32>, %{{[a-zA-Z0-9_#]+}}: tensor<4x?xi1>) {
func.func @f(%arg0: vector<16xi32>, %arg1: vector<16xf16>, %arg2: i32, %arg3: f32, %arg4: index, %arg5: vector<4xindex>, %arg6: vector<16xi1>, %arg7: i1, %arg8: f16, %arg9: tensor<4x?xi32>, %arg10: tensor<4x?xi1>) {
  // CHECK: arith.cmpi slt, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<16xi32>
  %0 = arith.cmpi slt, %arg0, %arg0 : vector<16xi32>
  // CHECK: arith.cmpi ult, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : index
  %1 = arith.cmpi ult, %arg4, %arg4 : index
  // CHECK: arith.cmpf ogt, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<16xf16>
  %2 = arith.cmpf ogt, %arg1, %arg1 : vector<16xf16>
  // CHECK: arith.cmpf ogt, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} fastmath<fast> : f32
  %3 = arith.cmpf ogt, %arg3, %arg3 fastmath<fast> : f32
  // CHECK: arith.select %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<16xi1>, vector<16xf16>
  %4 = arith.select %arg6, %arg1, %arg1 : vector<16xi1>, vector<16xf16>
  // CHECK: arith.select %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<16xf16>
  %5 = arith.select %arg7, %arg1, %arg1 : vector<16xf16>
  // CHECK: arith.select %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} {foo} : f32
  %6 = arith.select %arg7, %arg3, %arg3 {foo} : f32
  // CHECK: arith.extsi %{{[a-zA-Z0-9_#]+}} : vector<16xi32> to vector<16xi64>
  %7 = arith.extsi %arg0 : vector<16xi32> to vector<16xi64>
  // CHECK: arith.extui %{{[a-zA-Z0-9_#]+}} {foo} : i32 to i64
  %8 = arith.extui %arg2 {foo} : i32 to i64
  // CHECK: arith.trunci %{{[a-zA-Z0-9_#]+}} : vector<16xi32> to vector<16xi8>
  %9 = arith.trunci %arg0 : vector<16xi32> to vector<16xi8>
  // CHECK: arith.index_cast %{{[a-zA-Z0-9_#]+}} : vector<4xindex> to vector<4xi32>
  %11 = arith.index_cast %arg5 : vector<4xindex> to vector<4xi32>
  // CHECK: arith.index_cast %{{[a-zA-Z0-9_#]+}} : i32 to index
  %12 = arith.index_cast %arg2 : i32 to index
  // CHECK: arith.index_castui %{{[a-zA-Z0-9_#]+}} : i32 to index
  %13 = arith.index_castui %arg2 : i32 to index
  // CHECK: arith.index_castui %{{[a-zA-Z0-9_#]+}} : vector<4xindex> to vector<4xi64>
  %14 = arith.index_castui %arg5 : vector<4xindex> to vector<4xi64>
  // CHECK: arith.fptosi %{{[a-zA-Z0-9_#]+}} : vector<16xf16> to vector<16xi16>
  %15 = arith.fptosi %arg1 : vector<16xf16> to vector<16xi16>
  // CHECK: arith.fptoui %{{[a-zA-Z0-9_#]+}} : f32 to i32
  %16 = arith.fptoui %arg3 : f32 to i32
  // CHECK: arith.sitofp %{{[a-zA-Z0-9_#]+}} : vector<16xi32> to vector<16xf32>
  %17 = arith.sitofp %arg0 : vector<16xi32> to vector<16xf32>
  // CHECK: arith.uitofp %{{[a-zA-Z0-9_#]+}} : i32 to f32
  %18 = arith.uitofp %arg2 : i32 to f32
  // CHECK: arith.extf %{{[a-zA-Z0-9_#]+}} : vector<16xf16> to vector<16xf32>
  %19 = arith.extf %arg1 : vector<16xf16> to vector<16xf32>
  // CHECK: arith.extf %{{[a-zA-Z0-9_#]+}} fastmath<contract> : f16 to f32
  %20 = arith.extf %arg8 fastmath<contract> : f16 to f32
  // CHECK: arith.truncf %{{[a-zA-Z0-9_#]+}} : f32 to f16
  %21 = arith.truncf %arg3 : f32 to f16
  // CHECK: arith.truncf %{{[a-zA-Z0-9_#]+}} to_nearest_even : f32 to f16
  %22 = arith.truncf %arg3 to_nearest_even : f32 to f16
  // CHECK: arith.truncf %{{[a-zA-Z0-9_#]+}} toward_zero fastmath<contract> : f32 to f16
  %23 = arith.truncf %arg3 toward_zero fastmath<contract> : f32 to f16
  // CHECK: arith.remf %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32
  %24 = arith.remf %arg3, %arg3 : f32
  // CHECK: arith.remf %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} fastmath<fast> : vector<16xf16>
  %25 = arith.remf %arg1, %arg1 fastmath<fast> : vector<16xf16>
  // CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : vector<2xf32>
  %cst = arith.constant dense<[1.000000e+00, 2.000000e+00]> : vector<2xf32>
  // CHECK: arith.constant dense<true> : vector<2xi1>
  %cst_1 = arith.constant dense<true> : vector<2xi1>
  // CHECK: arith.constant true
  %true = arith.constant true
  // CHECK: arith.addi %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} overflow<nsw> : vector<16xi32>
  %26 = arith.addi %arg0, %arg0 overflow<nsw> : vector<16xi32>
  // CHECK: arith.negf %{{[a-zA-Z0-9_#]+}} : vector<16xf16>
  %27 = arith.negf %arg1 : vector<16xf16>
  // CHECK: arith.bitcast %{{[a-zA-Z0-9_#]+}} : vector<16xf16> to vector<16xi16>
  %28 = arith.bitcast %arg1 : vector<16xf16> to vector<16xi16>
  // CHECK: arith.select %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : tensor<4x?xi1>, tensor<4x?xi32>
  %29 = arith.select %arg10, %arg9, %arg9 : tensor<4x?xi1>, tensor<4x?xi32>
  // CHECK: arith.cmpi eq, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : tensor<4x?xi32>
  %30 = arith.cmpi eq, %arg9, %arg9 : tensor<4x?xi32>
  // CHECK: arith.maximumf %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : vector<16xf16>
  %31 = arith.maximumf %arg1, %arg1 : vector<16xf16>
  // CHECK: arith.divui %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : index
  %32 = arith.divui %arg4, %arg4 : index
  // CHECK: arith.constant dense<[-1, 3]> : vector<2xi8>
  %cst_2 = arith.constant dense<[-1, 3]> : vector<2xi8>
  // CHECK: arith.constant -1 : i8
  %c-1_i8 = arith.constant -1 : i8
  // CHECK: arith.constant 1.099610e+00 : f16
  %cst_3 = arith.constant 1.099610e+00 : f16
  // CHECK: arith.constant 3.296880e+00 : bf16
  %cst_4 = arith.constant 3.296880e+00 : bf16
  // CHECK: arith.constant dense<[3.300000e+00, 1.100000e-10]> : vector<2xf32>
  %cst_5 = arith.constant dense<[3.300000e+00, 1.100000e-10]> : vector<2xf32>
  // CHECK: arith.divf %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : f32
  %33 = arith.divf %arg3, %arg3 : f32
  // CHECK: arith.shli %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : i32
  %34 = arith.shli %arg2, %arg2 : i32
  // CHECK: arith.shrui %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} exact : i32
  %35 = arith.shrui %arg2, %arg2 exact : i32
  // CHECK: arith.divsi %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} exact : i32
  %36 = arith.divsi %arg2, %arg2 exact : i32
  return
}
