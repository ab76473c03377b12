// Races on shared memory are found at the level that the user writes, with the same words as below.
// RUN: xetile-opt --xetile-wg-to-sg %s -o %t.subgroup.mlir
// RUN: xetile-opt --xetile-wg-to-sg --xetile-init-duplicate --xetile-blocking %s -o %t.blocked.mlir
// RUN: not xetile-run %s --sanitize --arg zeros --kernel scatter_gather 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not xetile-run %t.subgroup.mlir --sanitize --arg zeros --kernel scatter_gather 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not xetile-run %t.blocked.mlir --sanitize --arg zeros --kernel scatter_gather 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not xetile-run %s --sanitize --arg zeros --kernel tile_element 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not xetile-run %t.subgroup.mlir --sanitize --arg zeros --kernel tile_element 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not xetile-run %t.blocked.mlir --sanitize --arg zeros --kernel tile_element 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not xetile-run %s --sanitize --arg zeros --kernel atomic_load 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not xetile-run %t.subgroup.mlir --sanitize --arg zeros --kernel atomic_load 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not xetile-run %t.blocked.mlir --sanitize --arg zeros --kernel atomic_load 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not xetile-run %s --sanitize --arg zeros --kernel sixty_five 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not xetile-run %t.blocked.mlir --sanitize --arg zeros --kernel sixty_five 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: xetile-run %s --sanitize --arg zeros --kernel ordered | FileCheck %s --check-prefix=ORDERED

#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [4, 16]>
#squares = #xetile.wg_map<sg_layout = [2, 2], sg_data = [8, 8]>
#lines = #xetile.wg_map<sg_layout = [4, 1], sg_data = [1, 4]>
!shared = memref<16x16xf32, #gpu.address_space<workgroup>>
!by_rows = !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows, memory_space = 3>>
!by_squares = !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #squares, memory_space = 3>>
!out_rows = !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows>>
!out_squares = !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #squares>>
!scattered = !xetile.tile<4x4xf32, #xetile.tile_attr<wg_map = #lines, memory_space = 3, scattered = true>>
!lines = !xetile.tile<4x4xf32, #xetile.tile_attr<wg_map = #lines>>

gpu.module @m {
  // GATHER: error: subgroup 0 reads element [12] of the shared buffer allocated at line {{[0-9]+}}, which subgroup 3 wrote at line {{[0-9]+}} with no barrier between
  gpu.func @scatter_gather(%o: memref<4x4xf32>) workgroup(%s: memref<16xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %own = arith.constant {wg_map = #lines} dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]> : vector<4x4xindex>
    %upside_down = arith.constant {wg_map = #lines} dense<[[12, 13, 14, 15], [8, 9, 10, 11], [4, 5, 6, 7], [0, 1, 2, 3]]> : vector<4x4xindex>
    %all = arith.constant {wg_map = #lines} dense<true> : vector<4x4xi1>
    %to = xetile.init_tile %o[0, 0] : memref<4x4xf32> -> !lines
    %v = xetile.load_tile %to : !lines -> vector<4x4xf32>
    %t = xetile.init_tile %s, %own : memref<16xf32, #gpu.address_space<workgroup>>, vector<4x4xindex> -> !scattered
    %u = xetile.init_tile %s, %upside_down : memref<16xf32, #gpu.address_space<workgroup>>, vector<4x4xindex> -> !scattered
    xetile.store_scatter %v, %t, %all : vector<4x4xf32>, !scattered, vector<4x4xi1>
    %w = xetile.load_gather %u, %all : !scattered, vector<4x4xi1> -> vector<4x4xf32>
    xetile.store_tile %w, %to : vector<4x4xf32>, !lines
    gpu.return
  }

  // GATHER: note: subgroup 3 wrote it here

  // A single element is read by every subgroup.
  // ELEMENT: error: subgroup 0 reads element [4, 5] of the shared buffer allocated at line {{[0-9]+}}, which subgroup 1 wrote at line {{[0-9]+}} with no barrier between
  gpu.func @tile_element(%o: memref<16x16xf32>) workgroup(%s: !shared) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant {wg_map = #rows} dense<0.0> : vector<16x16xf32>
    %t = xetile.init_tile %s[0, 0] : !shared -> !by_rows
    xetile.store_tile %zero, %t : vector<16x16xf32>, !by_rows
    %e = memref.load %s[%c4, %c5] : !shared
    memref.store %e, %o[%c4, %c5] : memref<16x16xf32>
    gpu.return
  }

  // ATOMIC: error: subgroup {{0 reads element \[4, 0\]|1 reads element \[0, 8\]}} of the shared buffer allocated at line {{[0-9]+}}, which subgroup {{[01]}} wrote at line {{[0-9]+}} with no barrier between
  gpu.func @atomic_load(%o: memref<16x16xf32>) workgroup(%s: !shared) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %one = arith.constant {wg_map = #rows} dense<1.0> : vector<16x16xf32>
    %t = xetile.init_tile %s[0, 0] : !shared -> !by_rows
    %u = xetile.init_tile %s[0, 0] : !shared -> !by_squares
    %to = xetile.init_tile %o[0, 0] : memref<16x16xf32> -> !out_squares
    xetile.store_tile %one, %t : vector<16x16xf32>, !by_rows
    gpu.barrier
    %old = xetile.atomic_rmw_tile <addf> %one, %t : vector<16x16xf32>, !by_rows -> vector<16x16xf32>
    %w = xetile.load_tile %u : !by_squares -> vector<16x16xf32>
    xetile.store_tile %w, %to : vector<16x16xf32>, !out_squares
    gpu.return
  }

  // Subgroup 64 is not subgroup 0.
  // MANY: error: subgroup 0 reads element [0] of the shared buffer allocated at line {{[0-9]+}}, which subgroup 64 wrote at line {{[0-9]+}} with no barrier between
  gpu.func @sixty_five(%o: memref<1xf32>) workgroup(%s: memref<1xf32, #gpu.address_space<workgroup>>) kernel
      attributes {xetile.level = "subgroup", known_block_size = array<i32: 1040, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %sg = gpu.subgroup_id : index
    %last = arith.cmpi eq, %sg, %c64 : index
    scf.if %last {
      memref.store %one, %s[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
    }
    %first = arith.cmpi eq, %sg, %c0 : index
    scf.if %first {
      %x = memref.load %s[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
      memref.store %x, %o[%c0] : memref<1xf32>
    }
    gpu.return
  }

  // With barriers, and where a subgroup has what it reads, nothing is found.
  // ORDERED: argument 0: memref<16x16xf32>: smallest 1, largest 2
  gpu.func @ordered(%o: memref<16x16xf32>) workgroup(%s: !shared) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c4 = arith.constant 4 : index
    %one = arith.constant {wg_map = #rows} dense<1.0> : vector<16x16xf32>
    %t = xetile.init_tile %s[0, 0] : !shared -> !by_rows
    %u = xetile.init_tile %s[0, 0] : !shared -> !by_squares
    %to = xetile.init_tile %o[0, 0] : memref<16x16xf32> -> !out_squares
    xetile.store_tile %one, %t : vector<16x16xf32>, !by_rows
    %old = xetile.atomic_rmw_tile <addf> %one, %t : vector<16x16xf32>, !by_rows -> vector<16x16xf32>
    %own = xetile.load_tile %t : !by_rows -> vector<16x16xf32>
    gpu.barrier
    %w = xetile.load_tile %u : !by_squares -> vector<16x16xf32>
    %e = memref.load %s[%c4, %c4] : !shared
    xetile.store_tile %w, %to : vector<16x16xf32>, !out_squares
    gpu.barrier
    %half = arith.constant 0.5 : f32
    %f = arith.mulf %e, %half : f32
    memref.store %f, %o[%c4, %c4] : memref<16x16xf32>
    gpu.return
  }
}
