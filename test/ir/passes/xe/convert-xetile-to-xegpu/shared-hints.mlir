// RUN: xetile-opt --convert-xetile-to-xegpu=device=bmg %s --verify-diagnostics

// What is asked of caches has no effect on shared memory, and is not dropped without a word.

!tile = !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16], memory_space = 3>>
gpu.module @m {
  gpu.func @k() workgroup(%memory: memref<8x16xf32, 3>) kernel {
    %t = xetile.init_tile %memory[0, 0] : memref<8x16xf32, 3> -> !tile
    // expected-warning @below {{'l1_hint' has no effect on shared memory, which no cache stands in front of}}
    %v = xetile.load_tile %t {l1_hint = #xetile.cache_hint<cached>} : !tile -> vector<1x1x8x16xf32>
    // expected-warning @below {{'l2_hint' has no effect on shared memory}}
    xetile.store_tile %v, %t {l2_hint = #xetile.cache_hint<uncached>} : vector<1x1x8x16xf32>, !tile
    gpu.return
  }
}
