// What --on, and the flags that go with it, are refused with; nothing here needs a device.

// Where to run and what to compile for are two things; neither is silently left out.
// RUN: not xetile-run %s --arg ones --device bmg 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: {{^}}xetile-run: error: --device goes with --on: on numpy a kernel is executed at its own level, for no device{{$}}
// RUN: not xetile-run %s --arg ones --on bmg 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: {{^}}xetile-run: error: argument --on: 'bmg' is what to compile for, which device says; expected where to run: opencl:cpu, opencl:gpu or opencl:gpu:N{{$}}
// RUN: not xetile-run %s --arg ones --on opencl:cpu --device opencl:cpu 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: {{^}}xetile-run: error: --device is opencl:cpu, where to run, which is --on; --device says what to compile for: pvc, bmg, lnl, ptl, cri{{$}}
// RUN: not xetile-run %s --arg ones --on cpu 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: {{^}}xetile-run: error: argument --on: unknown device 'cpu'; expected opencl:cpu, opencl:gpu or opencl:gpu:N; did you mean 'opencl:cpu'?{{$}}

// RUN: not xetile-run %s --arg ones --time 3 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: {{^}}xetile-run: error: --time goes with --on: the time of an execution on numpy says nothing{{$}}
// RUN: not xetile-run %s --arg ones --on opencl:cpu --sanitize 2>&1 | FileCheck %s --check-prefix=SANITIZE
// SANITIZE: {{^}}xetile-run: error: --sanitize watches what is executed on numpy; leave out --on, or --sanitize{{$}}
// RUN: not xetile-run %s --entry main --on opencl:cpu --time 3 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: {{^}}xetile-run: error: --time goes with a kernel, not with --entry{{$}}

// The last level is executed on devices only.
// RUN: xetile-compile --device bmg --emit llvm %s -o %t.l.mlir
// RUN: not xetile-run %t.l.mlir --arg ones 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: {{^}}{{.*}}.l.mlir:{{[0-9]+:[0-9]+}}: error: this kernel is at the last level, which --on executes on a device;

// Arguments and the grid are asked for before any device is.
// RUN: not xetile-run %s --on opencl:cpu --device bmg 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}xetile-run: error: the kernel takes 1 arguments (memref<16x64xf32>), --arg gives 0; give one --arg for each{{$}}
// RUN: sed 's/, known_grid_size = array<i32: 1, 1, 1>//' %s > %t.free.mlir
// RUN: not xetile-run %t.free.mlir --arg ones --on opencl:cpu --device bmg 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: {{^}}{{.*}}:3: error: the grid is not known; give --grid X,Y,Z, or write known_grid_size on the kernel{{$}}
// RUN: xetile-compile --device bmg --emit llvm %t.free.mlir -o %t.free.l.mlir
// RUN: not xetile-run %t.free.l.mlir --arg ones --on opencl:cpu --device bmg 2>&1 | FileCheck %s --check-prefix=GRID-LAST
// GRID-LAST: {{^}}{{.*}}:5: error: the grid is not known; give --grid X,Y,Z, or write known_grid_size on the kernel{{$}}

gpu.module @m {
  gpu.func @k(%a: memref<16x64xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.0> : vector<8x16xf32>
    %tile = xetile.init_tile %a[%c0, %c0] : memref<16x64xf32> -> !xetile.tile<8x16xf32>
    xetile.store_tile %one, %tile : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
