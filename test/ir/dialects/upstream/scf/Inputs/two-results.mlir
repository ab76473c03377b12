func.func @f(%a: f32, %n: index) {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %a) -> f32, f32 {
    scf.yield %x, %y : f32, f32
  }
  return
}
