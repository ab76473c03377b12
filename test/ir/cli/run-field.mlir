// A sum over subgroups is another one in bits, and the same one in a field, where what is wrong shows.
// RUN: xetile-opt %s --xetile-wg-to-sg -o %t.subgroup.mlir
// RUN: not xetile-run %s --arg normal --arg zeros --against %t.subgroup.mlir | FileCheck %s --check-prefix=BITS
// RUN: xetile-run %s --arg normal --arg zeros --values field --against %t.subgroup.mlir | FileCheck %s --check-prefix=FIELD
// RUN: sed 's/<add>/<mul>/' %s > %t.wrong.mlir
// RUN: not xetile-run %s --arg normal --arg zeros --values field --against %t.wrong.mlir | FileCheck %s --check-prefix=WRONG

// BITS: argument 1: memref<64x64xf32>: {{[0-9]+}} elements differ
// FIELD: equal elements of the field
// WRONG: argument 1: memref<64x64xf32>: 4096 elements differ

#in = #xetile.wg_map<sg_layout = [2, 4], sg_data = [32, 16]>
#column = #xetile.wg_map<sg_layout = [8, 1], sg_data = [8, 1]>
#out = #xetile.wg_map<sg_layout = [8, 1], sg_data = [8, 64]>
gpu.module @m {
  gpu.func @k(%A: memref<64x64xf32>, %B: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %a = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #in>>
    %v = xetile.load_tile %a : !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #in>> -> vector<64x64xf32>
    %r = xetile.tile_reduce <add>, %v [1] {wg_map_result = #column, wg_map_source = #in} : vector<64x64xf32> -> vector<64x1xf32>
    %w = xetile.tile_broadcast %r [1] {wg_map_result = #out} : vector<64x1xf32> -> vector<64x64xf32>
    %b = xetile.init_tile %B[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #out>>
    xetile.store_tile %w, %b : vector<64x64xf32>, !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #out>>
    gpu.return
  }
}
