// A kernel that does nothing, which is explored at once.
gpu.module @kernels {
  gpu.func @nothing(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    gpu.return
  }
}
