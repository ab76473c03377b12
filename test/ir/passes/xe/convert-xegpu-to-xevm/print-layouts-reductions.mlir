// RUN: xetile-opt %s --convert-xegpu-to-xevm="device=bmg print-layouts" 2>&1 >%t | FileCheck %s

// With what a reduction begins is printed, too; where any order gives the same bits each lane has a part of a row.

// CHECK: @turned: {{.*}}, 1 conversion of 12 instructions
// CHECK: 'vector.multi_reduction' takes %x vector<8x16xf32> otherwise: 12 instructions by subgroup shared memory, in 0 loops; 'vector.multi_reduction' reduces registers rather than lanes
// CHECK-NEXT: from registers (1, 0) (2, 0) (4, 0), lanes (0, 1) (0, 2) (0, 4) (0, 8)
// CHECK-NEXT: to registers (0, 1) (0, 2) (0, 4), lanes (0, 8) (1, 0) (2, 0) (4, 0)
gpu.module @m {
  gpu.func @turned(%A: memref<8x16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<8x16xf32> -> !xegpu.tensor_desc<8x16xf32>
    %x = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %z = arith.constant dense<0xFF800000> : vector<8xf32>
    %s = vector.multi_reduction <maxnumf>, %x, %z [1] : vector<8x16xf32> to vector<8xf32>
    %c = vector.shape_cast %s : vector<8xf32> to vector<8x1xf32>
    %b = vector.broadcast %c : vector<8x1xf32> to vector<8x16xf32>
    xegpu.store_nd %b, %t[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
    gpu.return
  }
}
