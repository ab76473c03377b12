// What executing in lockstep hides is refused at the op where --sanitize asks for it.
// RUN: not xetile-run %s --sanitize --arg zeros --no-snippets 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not env XETILE_SANITIZE=1 xetile-run %s --arg zeros --no-snippets 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: xetile-run %s --no-sanitize --arg zeros | FileCheck %s --check-prefix=ALLOWED
// RUN: env XETILE_SANITIZE=0 xetile-run %s --arg zeros | FileCheck %s --check-prefix=ALLOWED

// RACE: {{^}}{{.*}}run-sanitize.mlir:[[#@LINE+15]]:5: error: subgroup 0 reads element [1] of the shared buffer allocated at line [[#@LINE+13]], which subgroup 1 wrote at line [[#@LINE+14]] with no barrier between{{$}}
// RACE-NEXT: {{^}}{{.*}}run-sanitize.mlir:[[#@LINE+13]]:5: note: subgroup 1 wrote it here{{$}}
// RACE-NOT: {{.}}
// ALLOWED: argument 0: memref<4xindex>: smallest 0, largest 3

gpu.module @m {
  gpu.func @k(%out: memref<4xindex>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sg = gpu.subgroup_id : index
    %up = arith.addi %sg, %c1 : index
    %next = arith.remui %up, %c4 : index
    %s = memref.alloc() : memref<4xindex, 3>
    memref.store %sg, %s[%sg] : memref<4xindex, 3>
    %x = memref.load %s[%next] : memref<4xindex, 3>
    memref.store %x, %out[%sg] : memref<4xindex>
    gpu.return
  }
}
