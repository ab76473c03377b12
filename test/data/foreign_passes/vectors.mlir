func.func @vectors(%a: memref<16xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<16xf32>, vector<8xf32>
  %w = vector.broadcast %x : f32 to vector<8xf32>
  %f = vector.fma %v, %w, %v : vector<8xf32>
  %s = arith.addf %f, %w : vector<8xf32>
  vector.store %s, %a[%c0] : memref<16xf32>, vector<8xf32>
  func.return
}
