// A program with its host code runs at every level; a launch that counts subgroups counts work-items below.
// RUN: xetile-run %s --entry main | FileCheck %s --check-prefix=RAN
// RUN: xetile-opt --xetile-to-xegpu=device=bmg %s -o %t.x.mlir
// RUN: FileCheck %s --check-prefix=IR --input-file %t.x.mlir
// RUN: xetile-run %t.x.mlir --entry main | FileCheck %s --check-prefix=RAN
// RUN: xetile-opt --xetile-to-xevm=device=bmg %s | xetile-run - --entry main | FileCheck %s --check-prefix=RAN

// RAN: rank = 2 offset = 0 sizes = [2, 4] strides = [32, 1] data =
// RAN-NEXT: {{\[\[}}2,   2,   2,   2],
// RAN-NEXT: [2,   2,   2,   2]]

// IR-LABEL: gpu.func @add
// IR-NOT: VectorComputeFunctionINTEL
// IR-LABEL: func.func @main
// IR: %[[ITEMS:.*]] = arith.constant 32 : index
// IR: gpu.launch_func  @kernels::@add blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%[[ITEMS]], %{{.*}}, %{{.*}})
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%m: memref<32x32xf32>) kernel attributes {VectorComputeFunctionINTEL} {
      %c16 = arith.constant 16 : index
      %bx = gpu.block_id x
      %ty = gpu.thread_id x
      %i = arith.muli %bx, %c16 : index
      %j = arith.muli %ty, %c16 : index
      %tile = xetile.init_tile %m[%i, %j] : memref<32x32xf32> -> !xetile.tile<16x16xf32>
      %v = xetile.load_tile %tile : !xetile.tile<16x16xf32> -> vector<16x16xf32>
      %w = arith.addf %v, %v : vector<16x16xf32>
      xetile.store_tile %w, %tile : vector<16x16xf32>, !xetile.tile<16x16xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %m = gpu.alloc host_shared () : memref<32x32xf32>
    gpu.memset %m, %one : memref<32x32xf32>, f32
    gpu.launch_func @kernels::@add blocks in (%c2, %c1, %c1) threads in (%c2, %c1, %c1) args(%m : memref<32x32xf32>)
    %part = memref.subview %m[0, 0] [2, 4] [1, 1] : memref<32x32xf32> to memref<2x4xf32, strided<[32, 1]>>
    %part_cast = memref.cast %part : memref<2x4xf32, strided<[32, 1]>> to memref<*xf32>
    call @printMemrefF32(%part_cast) : (memref<*xf32>) -> ()
    gpu.dealloc %m : memref<32x32xf32>
    return
  }
  func.func private @printMemrefF32(memref<*xf32>)
}
