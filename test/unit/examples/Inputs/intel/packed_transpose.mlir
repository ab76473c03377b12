// Older spellings: dictionaries with inner spaces, inner_blocks in brackets, two spaces in store_tile.
gpu.module @pack {
  gpu.func @transpose(%A: memref<64x64xf16>, %B: memref<64x64xf16>) kernel attributes {VectorComputeFunctionINTEL, gpu.known_block_size = array<i32: 1, 1, 1>, gpu.known_grid_size = array<i32: 2, 2, 1>, spirv.entry_point_abi = #spirv.entry_point_abi<>} {
    %c32 = arith.constant 32 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %i = arith.muli %bx, %c32 : index
    %j = arith.muli %by, %c32 : index
    %t = xetile.init_tile %A[%i, %j] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
    %v = xetile.load_tile %t { padding = 0.000000e+00 : f32 }  : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %p = xetile.tile_pack %v { inner_blocks = [16, 16] }  : vector<32x32xf16> -> vector<2x2x16x16xf16>
    %u = xetile.tile_unpack %p { inner_blocks = [16, 16] }  : vector<2x2x16x16xf16> -> vector<32x32xf16>
    %tr = xetile.transpose %u, [1, 0] : vector<32x32xf16> -> vector<32x32xf16>
    %o = xetile.init_tile %B[%j, %i] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
    xetile.store_tile %tr,  %o : vector<32x32xf16>, !xetile.tile<32x32xf16>
    gpu.return
  }
}
