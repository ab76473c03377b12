// A bias for each column, then relu.
func.func @elementwise(%X: memref<512x256xf16>, %bias: memref<256xf16>, %Y: memref<512x256xf16>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%X, %bias : memref<512x256xf16>, memref<256xf16>) outs(%Y : memref<512x256xf16>) {
  ^bb0(%x: f16, %b: f16, %y: f16):
    %zero = arith.constant 0.0 : f16
    %sum = arith.addf %x, %b : f16
    %positive = arith.maximumf %sum, %zero : f16
    linalg.yield %positive : f16
  }
  return
}
