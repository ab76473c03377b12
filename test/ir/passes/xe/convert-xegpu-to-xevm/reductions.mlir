// RUN: xetile-opt --convert-xegpu-to-xevm="device=bmg" --split-input-file %s | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt --convert-xegpu-to-xevm="device=bmg" --split-input-file %s | %mlir-opt --split-input-file -o /dev/null %}

// Columns lie in lanes, and the workgroup has all of shared memory for itself: a row that all lanes want is exchanged with
// the lanes 8, 4, 2 and 1 apart, before the next one.
// An accumulator that changes nothing leaves nothing behind.

// CHECK-LABEL: gpu.func @rows
// CHECK: %[[V:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
// CHECK: %[[X:.*]] = vector.extract %[[V]][0]
// CHECK-NEXT: %[[X8:.*]], %{{.*}} = gpu.shuffle  xor %[[X]], %c8_i32, %c16_i32 : f32
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X8]] : f32
// CHECK-NEXT: %[[Y4:.*]], %{{.*}} = gpu.shuffle  xor %[[Y]], %c4_i32, %c16_i32 : f32
// CHECK-NEXT: %[[Z:.*]] = arith.addf %[[Y]], %[[Y4]] : f32
// CHECK-NEXT: %[[Z2:.*]], %{{.*}} = gpu.shuffle  xor %[[Z]], %c2_i32, %c16_i32 : f32
// CHECK-NEXT: %[[W:.*]] = arith.addf %[[Z]], %[[Z2]] : f32
// CHECK-NEXT: %[[W1:.*]], %{{.*}} = gpu.shuffle  xor %[[W]], %c1_i32, %c16_i32 : f32
// CHECK-NEXT: %[[S0:.*]] = arith.addf %[[W]], %[[W1]] : f32
// CHECK-NEXT: vector.extract %[[V]][1]
// CHECK-COUNT-28: gpu.shuffle  xor
// CHECK-NEXT: %[[S7:.*]] = arith.addf
// CHECK-NEXT: %[[S:.*]] = vector.from_elements %[[S0]], {{.*}}, %[[S7]] : vector<8xf32>
// CHECK: arith.addf %{{.*}}, %[[S]] : vector<8xf32>
gpu.module @m {
  gpu.func @rows(%A: memref<8x16xf32>) workgroup(%all : memref<131072xi8, 3>) kernel {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %z = arith.constant dense<-0.0> : vector<8xf32>
    %s = vector.multi_reduction <add>, %v, %z [1] : vector<8x16xf32> to vector<8xf32>
    %c = vector.shape_cast %s : vector<8xf32> to vector<8x1xf32>
    %b = vector.broadcast %c : vector<8x1xf32> to vector<8x16xf32>
    %r = arith.addf %v, %b : vector<8x16xf32>
    xegpu.store_nd %r, %t[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// -----

// Rows that are stored from lanes are merged: lanes from 8 on keep the upper eight rows. The accumulator comes last.

// CHECK-LABEL: gpu.func @lanes
// CHECK: %[[V:.*]] = vector.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: %[[LOW:.*]] = vector.shuffle %[[V]], %[[V]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: %[[HIGH:.*]] = vector.shuffle %[[V]], %[[V]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: %[[MINE:.*]] = arith.select %[[UPPER:.*]], %[[HIGH]], %[[LOW]] : vector<8xf32>
// CHECK: %[[GIVEN:.*]] = arith.select %[[UPPER]], %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK: %[[THEIRS:.*]], %{{.*}} = gpu.shuffle  xor %[[GIVEN]], %c8_i32, %c16_i32 : vector<8xf32>
// CHECK: arith.maxnumf %[[MINE]], %[[THEIRS]] : vector<8xf32>
// CHECK: gpu.shuffle  xor %{{.*}}, %c4_i32, %c16_i32 : vector<4xf32>
// CHECK: gpu.shuffle  xor %{{.*}}, %c2_i32, %c16_i32 : vector<2xf32>
// CHECK: gpu.shuffle  xor %{{.*}}, %c1_i32, %c16_i32 : vector<1xf32>
// CHECK: %[[S:.*]] = arith.maxnumf %{{.*}} : vector<1xf32>
// CHECK: %[[START:.*]] = arith.constant dense<2.000000e+00> : vector<1xf32>
// CHECK: arith.maxnumf %[[S]], %[[START]] : vector<1xf32>
gpu.module @m {
  gpu.func @lanes(%A: memref<16x16xf32>) workgroup(%all : memref<131072xi8, 3>) kernel {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<16x16xf32> -> !xegpu.tensor_desc<16x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
    %z = arith.constant dense<2.0> : vector<16xf32>
    %s = vector.multi_reduction <maxnumf>, %v, %z [1] : vector<16x16xf32> to vector<16xf32>
    %c = vector.shape_cast %s : vector<16xf32> to vector<1x16xf32>
    %u = xegpu.create_nd_tdesc %A : memref<16x16xf32> -> !xegpu.tensor_desc<1x16xf32>
    xegpu.store_nd %c, %u[%c0, %c0] : vector<1x16xf32>, !xegpu.tensor_desc<1x16xf32>
    gpu.return
  }
}

// -----

// Columns of registers, those far apart first. Integers over lanes by the function of all lanes.

// CHECK-LABEL: gpu.func @columns
// CHECK: %[[LOW:.*]] = vector.shuffle %[[V:.*]], %[[V]] [0, 1]
// CHECK: %[[HIGH:.*]] = vector.shuffle %[[V]], %[[V]] [2, 3]
// CHECK: %[[PAIRS:.*]] = arith.addi %[[LOW]], %[[HIGH]] : vector<2xi32>
// CHECK: vector.shuffle %[[PAIRS]], %[[PAIRS]] [0]
// CHECK: vector.shuffle %[[PAIRS]], %[[PAIRS]] [1]
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}} : vector<1xi32>
// CHECK: %[[X:.*]] = vector.extract %[[ROW]][0]
// CHECK: gpu.subgroup_reduce add %[[X]] uniform : (i32) -> i32
gpu.module @m {
  gpu.func @columns(%A: memref<4x16xi32>) kernel {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<4x16xi32> -> !xegpu.tensor_desc<4x16xi32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<4x16xi32> -> vector<4x16xi32>
    %z = arith.constant dense<0> : vector<16xi32>
    %s = vector.multi_reduction <add>, %v, %z [0] : vector<4x16xi32> to vector<16xi32>
    %n = vector.reduction <add>, %s : vector<16xi32> into i32
    %b = vector.broadcast %n : i32 to vector<4x16xi32>
    xegpu.store_nd %b, %t[%c0, %c0] : vector<4x16xi32>, !xegpu.tensor_desc<4x16xi32>
    gpu.return
  }
}

// -----

// maximumf, which keeps NaN and tells zeros apart, as integers: NaN is the largest, and negative numbers are inverted.

// CHECK-LABEL: gpu.func @maxima
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %{{.*}} : vector<8xf32>
// CHECK: %[[WORDS:.*]] = arith.select %[[NAN]]
// CHECK: %[[SIGNS:.*]] = arith.shrsi %[[WORDS]]
// CHECK: %[[FLIPS:.*]] = arith.andi %[[SIGNS]]
// CHECK: arith.xori %[[WORDS]], %[[FLIPS]]
// CHECK-COUNT-8: gpu.subgroup_reduce maxsi
// CHECK: arith.xori
gpu.module @m {
  gpu.func @maxima(%A: memref<8x16xf32>) workgroup(%all : memref<131072xi8, 3>) kernel {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %z = arith.constant dense<0xFF800000> : vector<8xf32>
    %s = vector.multi_reduction <maximumf>, %v, %z [1] : vector<8x16xf32> to vector<8xf32>
    %c = vector.shape_cast %s : vector<8xf32> to vector<8x1xf32>
    %b = vector.broadcast %c : vector<8x1xf32> to vector<8x16xf32>
    xegpu.store_nd %b, %t[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}

// -----

// Where the subgroup has shared memory, each lane takes its part of a row from there: two lanes have the halves of a row,
// as the order of maxima is free, or both a whole one, as that of sums is not. Rows stay in lanes until they are broadcast.

// CHECK-LABEL: gpu.func @turned
// CHECK: xevm.blockstore %{{.*}} : (!llvm.ptr<3>, vector<8xi32>)
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xi32>
// CHECK: arith.maxnumf %{{.*}} : vector<4xf32>
// CHECK: arith.maxnumf %{{.*}} : vector<2xf32>
// CHECK: arith.maxnumf %{{.*}} : vector<1xf32>
// CHECK: gpu.shuffle  xor %{{.*}}, %c1_i32, %c16_i32
// CHECK: arith.maxnumf %{{.*}} : f32
// CHECK: xevm.blockstore %{{.*}} : (!llvm.ptr<3>, vector<8xi32>)
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xi32>
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}} : vector<2xf32>
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<1xf32>
// CHECK: arith.mulf %{{.*}}, %[[SUM]] : vector<1xf32>
// CHECK-COUNT-8: gpu.shuffle  idx
gpu.module @m {
  gpu.func @turned(%A: memref<8x16xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %none = arith.constant dense<0xFF800000> : vector<8xf32>
    %z = arith.constant dense<-0.0> : vector<8xf32>
    %m = vector.multi_reduction <maxnumf>, %v, %none [1] : vector<8x16xf32> to vector<8xf32>
    %s = vector.multi_reduction <add>, %v, %z [1] : vector<8x16xf32> to vector<8xf32>
    %p = arith.mulf %m, %s : vector<8xf32>
    %c = vector.shape_cast %p : vector<8xf32> to vector<8x1xf32>
    %b = vector.broadcast %c : vector<8x1xf32> to vector<8x16xf32>
    xegpu.store_nd %b, %t[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
