// One kernel at all levels: the same bits.
// RUN: xetile-kernel gemm --m 72 --n 80 --k 40 --a f16 --acc f32 --wg 64x64 --sg 32x32 --k-step 32 --prefetch 1 -o %t.mlir
// RUN: xetile-opt --xetile-wg-to-sg %t.mlir -o %t.s.mlir
// RUN: xetile-opt --xetile-to-xevm=device=bmg %t.mlir -o %t.v.mlir
// RUN: xetile-run %t.mlir --arg normal --arg normal --arg zeros --against %t.s.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: xetile-run %t.mlir --arg normal --arg normal --arg zeros --against %t.v.mlir --out %t.dir | FileCheck %s --check-prefix=EQUAL
// EQUAL: {{^}}equal bits{{$}}

// What was written is what may be given.
// RUN: xetile-run %t.v.mlir --arg %t.dir/arg0.npy --arg %t.dir/arg1.npy --arg zeros | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: argument 0: memref<72x40xf16>: smallest -{{[0-9.]+}}, largest {{[0-9.]+}}
// SUMMARY: argument 2: memref<72x80xf32>: smallest -{{[0-9.]+}}, largest {{[0-9.]+}}

// A kernel that does something else: status 2, the largest error, the first place.
// RUN: sed 's/dense<0.000000e+00>/dense<5.000000e-01>/' %t.mlir > %t.other.mlir
// RUN: not xetile-run %t.mlir --arg int --arg int --arg zeros --against %t.other.mlir | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: {{^}}argument 2: memref<72x80xf32>: 5760 elements differ, largest error 0.5; first at [0, 0]: {{[-0-9.]+}} and {{[-0-9.]+$}}
// RUN: xetile-run %t.mlir --arg int --arg int --arg zeros --against %t.other.mlir --tolerance 0.5 | FileCheck %s --check-prefix=WITHIN
// WITHIN: {{^}}equal within 0.5{{$}}

// Wrong calls are one line.
// RUN: not xetile-run %t.mlir --arg int 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}xetile-run: error: the kernel takes 3 arguments (memref<72x40xf16>, memref<40x80xf16>, memref<72x80xf32>), --arg gives 1; give one --arg for each{{$}}
// RUN: not xetile-run %t.mlir --kernel other --arg int 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: {{^}}xetile-run: error: there is no kernel 'other'; the module has: gemm{{$}}
// RUN: not xetile-run %t.mlir --arg int --arg foo --arg int 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: {{^}}xetile-run: error: argument 1: 'foo' is none of int, zeros, ones, normal, iota, a number, the path of a .npy file{{$}}
// RUN: not xetile-run %t.mlir --arg int --arg int --arg int --grid 3 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: {{^}}xetile-run: error: argument --grid: '3' is no grid; write X,Y,Z, such as 16,16,1{{$}}
// RUN: not xetile-run %t.mlir --arg int --arg int --arg int --tolerance -1 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: {{^}}xetile-run: error: argument --tolerance: '-1' is no tolerance;
// RUN: not xetile-run %t.mlir --arg int --arg int --arg int --against %S/Inputs/wrong.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: {{^}}{{.*}}wrong.mlir:2:3: error: {{.+$}}
