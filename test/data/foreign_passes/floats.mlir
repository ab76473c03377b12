func.func @floats(%a: f32, %b: f32, %m: memref<4xf32>, %i: index) -> f32 {
  %c = arith.mulf %a, %b : f32
  %d = arith.addf %c, %b : f32
  %l = memref.load %m[%i] : memref<4xf32>
  %e = arith.addf %d, %l : f32
  %n = arith.negf %e : f32
  %q = arith.divf %n, %a : f32
  %s = arith.subf %q, %b : f32
  func.return %s : f32
}
