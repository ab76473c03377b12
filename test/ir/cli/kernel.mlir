// RUN: xetile-kernel gemm --m 300 --n 208 --k 72 --a f16 --acc f32 --wg 128x128 --sg 32x32 --k-step 32 | FileCheck %s
// RUN: xetile-kernel gemm --m 300 --n 208 --k 72 --a f16 --acc f32 --wg 128x128 --sg 32x32 --k-step 32 | xetile-opt | FileCheck %s

// CHECK: gpu.func @gemm(%[[A:.+]]: memref<300x72xf16>, %[[B:.+]]: memref<72x208xf16>, %[[C:.+]]: memref<300x208xf32>) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3, 2, 1>
// CHECK-SAME: xetile.sg_layout = array<i64: 4, 4>
// CHECK-DAG: %[[X:.+]] = gpu.block_id {{ *}}x
// CHECK-DAG: %[[Y:.+]] = gpu.block_id {{ *}}y
// CHECK: scf.for %[[K:.+]] = %c0 to %c72 step %c32 iter_args(
// CHECK-NOT: prefetch
// CHECK: %[[M:.+]] = arith.muli %[[X]], %{{.+}} : index
// CHECK: xetile.init_tile %[[A]][%[[M]], %[[K]]] : memref<300x72xf16> -> !xetile.tile<128x32xf16>
// CHECK: %[[N:.+]] = arith.muli %[[Y]], %{{.+}} : index
// CHECK: xetile.init_tile %[[B]][%[[K]], %[[N]]]
// CHECK: xetile.tile_mma
// CHECK: xetile.store_tile

// Prefetches start so many K steps ahead.
// RUN: xetile-kernel gemm --m 256 --n 256 --k 256 --a i8 --acc i32 --c f16 --wg 256x256 --sg 32x64 --k-step 32 --prefetch 3 -o %t
// RUN: FileCheck %s --check-prefix=AHEAD --input-file=%t
// AHEAD: %[[AHEAD:.+]] = arith.addi %k, %c96 : index
// AHEAD: %[[A:.+]] = xetile.init_tile %A[%{{.+}}, %[[AHEAD]]] : memref<256x256xi8>
// AHEAD: xetile.prefetch_tile %[[A]]
// AHEAD: %[[B:.+]] = xetile.init_tile %B[%[[AHEAD]], %{{.+}}] : memref<256x256xi8>
// AHEAD: xetile.prefetch_tile %[[B]]
// AHEAD: arith.sitofp %{{.+}} : vector<256x256xi32> to vector<256x256xf16>

// Wrong requests are one line.
// RUN: not xetile-kernel gemm --m 256 --n 256 --k 256 --a f16 --acc i32 --wg 256x256 --sg 32x64 --k-step 32 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: {{^}}xetile-kernel: error: accumulator is 'i32', for f16 operands it has to be f32 or f16{{$}}
// RUN: not xetile-kernel gemm --m 256 --n 256 --k 256 --a f16 --acc f32 --wg 256 --sg 32x64 --k-step 32 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: {{^}}xetile-kernel: error: argument --wg: '256' is no tile; write ROWSxCOLUMNS, such as 256x256{{$}}
// RUN: not xetile-kernel gemm --m 256 --n 256 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: {{^}}xetile-kernel: error: the following arguments are required: --k{{$}}
// RUN: not xetile-kernel conv 2>&1 | FileCheck %s --check-prefix=FAMILY
// FAMILY: {{^}}xetile-kernel: error: {{.*}}invalid choice: 'conv'
