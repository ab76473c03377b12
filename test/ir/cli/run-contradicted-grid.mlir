// A launch whose grid is not the one that the kernel's attribute says: the launch counts, and there is one warning.
// RUN: xetile-run %s --entry main 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: xetile-run %s --entry main 2>/dev/null | FileCheck %s --check-prefix=RESULT

// CHECK: run-contradicted-grid.mlir:[[@LINE+26]]:5: warning: the launch has a grid of [3, 2, 1], which counts; the kernel 'k' in line [[@LINE+8]] has known_grid_size [1, 1, 1]
// CHECK: {{^}}3{{$}}
// CHECK-NEXT: {{^}}2{{$}}
// RESULT: {{^}}3{{$}}
// RESULT-NEXT: {{^}}2{{$}}
module attributes {gpu.container_module} {
gpu.module @m {
  // How many workgroups there are, in x and y.
  gpu.func @k(%m: memref<2xindex>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = gpu.grid_dim x
    %y = gpu.grid_dim y
    memref.store %x, %m[%c0] : memref<2xindex>
    memref.store %y, %m[%c1] : memref<2xindex>
    gpu.return
  }
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %m = memref.alloc() : memref<2xindex>
  scf.for %i = %c0 to %c2 step %c1 {
    gpu.launch_func @m::@k blocks in (%c3, %c2, %c1) threads in (%c16, %c1, %c1) args(%m : memref<2xindex>)
  }
  %x = memref.load %m[%c0] : memref<2xindex>
  vector.print %x : index
  %y = memref.load %m[%c1] : memref<2xindex>
  vector.print %y : index
  return
}
}
