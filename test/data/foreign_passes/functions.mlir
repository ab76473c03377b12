func.func @outer(%x: f32) -> f32 {
  %e = math.exp %x : f32
  %r = math.sqrt %e : f32
  %f = math.fma %e, %r, %x : f32
  %y = func.call @inner(%f) : (f32) -> f32
  %l = math.log %y : f32
  func.return %l : f32
}
func.func @inner(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  func.return %y : f32
}
