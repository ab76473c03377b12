// A bias for each column, then relu, of sizes that no tile divides.
func.func @elementwise(%X: memref<100x72xf16>, %bias: memref<72xf16>, %Y: memref<100x72xf16>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%X, %bias : memref<100x72xf16>, memref<72xf16>) outs(%Y : memref<100x72xf16>) {
  ^bb0(%x: f16, %b: f16, %y: f16):
    %zero = arith.constant 0.0 : f16
    %sum = arith.addf %x, %b : f16
    %positive = arith.maximumf %sum, %zero : f16
    linalg.yield %positive : f16
  }
  return
}
