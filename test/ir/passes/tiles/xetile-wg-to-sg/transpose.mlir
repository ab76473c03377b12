// RUN: xetile-opt --xetile-wg-to-sg=loads=mapped --split-input-file %s | FileCheck %s

// The RFC's 2.3: subgroup s loads the transpose of the unit that it needs, so that nothing moves.

#bt = #xetile.wg_map<sg_layout = [32, 1], sg_data = [64, 32]>
#b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>

// CHECK-LABEL: gpu.func @registers
// CHECK-NOT: memref.alloc
// CHECK: %[[V:.*]] = xetile.load_tile
// CHECK-NEXT: xetile.tile_transpose %[[V]], [1, 0] : vector<64x32xf16> -> vector<32x64xf16>
// CHECK-NOT: gpu.barrier
gpu.module @m {
  gpu.func @registers(%src: memref<256x32xf16>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<256x32xf16> -> !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #bt>>
    %v = xetile.load_tile %t : !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = #bt>> -> vector<256x32xf16>
    %r = xetile.tile_transpose %v, [1, 0] {wg_map_result = #b, wg_map_source = #bt} : vector<256x32xf16> -> vector<32x256xf16>
    gpu.return
  }
}

// -----

// The map that the RFC derives exchanges rows and columns of subgroups, whose ids stay row-major: data moves. Columns
// have gaps behind them, so that no two lanes ask one bank for different words.

#bt = #xetile.wg_map<sg_layout = [4, 2], sg_data = [16, 16]>
#b = #xetile.wg_map<sg_layout = [2, 4], sg_data = [16, 16]>

// CHECK-LABEL: gpu.func @memory
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<72x32xf16, strided<[1, 72]>, 3 : i64>
// CHECK: %[[V:.*]] = xetile.load_tile
// CHECK: %[[TURNED:.*]] = memref.transpose %[[BUFFER]] (d0, d1) -> (d1, d0) : memref<72x32xf16, strided<[1, 72]>, 3 : i64> to memref<32x72xf16, strided<[72, 1]>, 3 : i64>
// CHECK-NEXT: xetile.init_tile %[[BUFFER]][%{{.*}}, %{{.*}}] : memref<72x32xf16, strided<[1, 72]>, 3 : i64> -> !xetile.tile<16x16xf16, #xetile.tile_attr<order = [0, 1], memory_space = 3>>
// CHECK-NEXT: xetile.store_tile %[[V]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[T:.*]] = xetile.init_tile %[[TURNED]][%{{.*}}, %{{.*}}] : memref<32x72xf16, strided<[72, 1]>, 3 : i64> -> !xetile.tile<16x16xf16, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: xetile.load_tile %[[T]]
// CHECK-NOT: gpu.barrier
gpu.module @m {
  gpu.func @memory(%src: memref<64x32xf16>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<64x32xf16> -> !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #bt>>
    %v = xetile.load_tile %t : !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = #bt>> -> vector<64x32xf16>
    %r = xetile.tile_transpose %v, [1, 0] {wg_map_result = #b} : vector<64x32xf16> -> vector<32x64xf16>
    gpu.return
  }
}
