// RUN: xetile-opt --split-input-file --verify-diagnostics --xetile-blocking="device=bmg" %s

gpu.module @m {
  // expected-error @+1 {{the kernel is at workgroup level; run xetile-wg-to-sg first}}
  gpu.func @workgroup(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 32]>>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @marked(%v: vector<64x64xf32>) kernel attributes {xetile.level = "subgroup"} {
    // expected-error @+1 {{'xetile.tile_conv_layout' has a wg_map, but the kernel is marked xetile.level = "subgroup"; take the map away, or the mark and run xetile-wg-to-sg}}
    %w = xetile.tile_conv_layout %v {wg_map_result = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>} : vector<64x64xf32>
    gpu.return
  }
}

// -----

func.func @blocks(%A: memref<64x64xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  // expected-error @+1 {{a region of 'scf.execute_region' has 2 blocks; expected one block with structured control flow (scf)}}
  scf.execute_region {
    cf.br ^bb1
  ^bb1:
    scf.yield
  }
  func.return
}

// -----

// expected-error @+1 {{the body has 3 blocks; expected one block with structured control flow (scf)}}
func.func @branch(%A: memref<64x64xf32>, %p: i1) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  func.return
}

// -----

// expected-error @+1 {{the function is given a tile, !xetile.tile<8x16xf32>, which gets no blocks; expected memory, and an init_tile inside}}
func.func @callee(%t: !xetile.tile<8x16xf32>) {
  xetile.prefetch_tile %t : !xetile.tile<8x16xf32>
  func.return
}

// -----

func.func private @callee(!xetile.tile<8x16xf32>)
func.func @caller(%A: memref<64x64xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  // expected-error @+1 {{'func.call' takes a tile, whose blocks are chosen here and would change its type; hand it the memref and the offsets, and make the tile where it is used}}
  func.call @callee(%t) : (!xetile.tile<8x16xf32>) -> ()
  func.return
}
