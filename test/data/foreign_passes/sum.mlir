func.func @sum(%m: memref<64xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %lower = arith.constant 0 : index
  %upper = arith.constant 64 : index
  %step = arith.constant 1 : index
  %total = scf.for %i = %lower to %upper step %step iter_args(%so_far = %zero) -> (f32) {
    %twice = arith.addf %zero, %zero : f32
    %x = memref.load %m[%i] : memref<64xf32>
    %y = arith.addf %so_far, %x : f32
    %z = arith.addf %y, %twice : f32
    scf.yield %z : f32
  }
  func.return %total : f32
}
