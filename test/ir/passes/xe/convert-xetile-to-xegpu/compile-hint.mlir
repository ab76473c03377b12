// Intel's xegpu.compile_hint is kept down to level B, executes as nothing, and is dropped where upstream's XeGPU begins.
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt --mlir-print-op-generic %s | xetile-opt | FileCheck %s
// RUN: xetile-opt --xetile-wg-to-sg --xetile-init-duplicate --xetile-blocking --canonicalize %s 2>/dev/null | FileCheck %s
// RUN: xetile-opt --xetile-to-xevm %s 2>/dev/null | FileCheck %s --check-prefix=BELOW
// RUN: xetile-compile --emit xegpu %s 2>/dev/null | FileCheck %s --check-prefix=BELOW
// RUN: %if mlir-opt %{ xetile-compile --emit xegpu %s 2>/dev/null | %mlir-opt %}
// RUN: xetile-run %s --entry main | FileCheck %s --check-prefix=PRINTED

module attributes {gpu.container_module} {

// CHECK-LABEL: gpu.func @k
// CHECK: xetile.load_tile
// CHECK-NEXT: {{.*}}xegpu.compile_hint{{$}}
// CHECK: xetile.store_tile
// BELOW-LABEL: gpu.func @k
// BELOW-NOT: compile_hint
// BELOW: gpu.return
gpu.module @m {
  gpu.func @k(%a: memref<32x32xf32>, %b: memref<32x32xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %a[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32>
    %u = xetile.init_tile %b[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf32> -> vector<32x32xf32>
    xegpu.compile_hint
    xetile.store_tile %v, %u : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}

// PRINTED: 2.5
func.func @main() {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %x = arith.constant 2.5 : f32
  %a = memref.alloc() : memref<32x32xf32>
  %b = memref.alloc() : memref<32x32xf32>
  memref.store %x, %a[%c1, %c1] : memref<32x32xf32>
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c16, %c1, %c1) args(%a : memref<32x32xf32>, %b : memref<32x32xf32>)
  %y = memref.load %b[%c1, %c1] : memref<32x32xf32>
  vector.print %y : f32
  return
}
}
