gpu.module @m {
  gpu.func @two_blocks(%a: memref<32x32xf16>) kernel {
    cf.br ^body
  ^body:
    %t = xetile.init_tile %a[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    xetile.store_tile %v, %t : vector<32x32xf16>, !xetile.tile<32x32xf16>
    gpu.return
  }
}
