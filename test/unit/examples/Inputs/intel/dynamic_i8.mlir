// I8 product with run-time extents.
gpu.module @test {
  gpu.func @test(%A: memref<?x?xi8>, %B: memref<?x?xi8>, %C: memref<?x?xi32>) kernel attributes {VectorComputeFunctionINTEL, known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = arith.muli %bx, %c32 : index
    %n = arith.muli %by, %c32 : index
    %M = memref.dim %A, %c0 : memref<?x?xi8>
    %K = memref.dim %A, %c1 : memref<?x?xi8>
    %N = memref.dim %B, %c1 : memref<?x?xi8>
    %a0 = xetile.init_tile %A[%m, %c0], [%M, %K], [%K, %c1] : memref<?x?xi8> -> !xetile.tile<32x32xi8>
    %b0 = xetile.init_tile %B[%c0, %n], [%K, %N], [%N, %c1] : memref<?x?xi8> -> !xetile.tile<32x32xi8>
    %cst = arith.constant dense<0> : vector<32x32xi32>
    %r:3 = scf.for %k = %c0 to %K step %c32 iter_args(%at = %a0, %bt = %b0, %acc = %cst) -> (!xetile.tile<32x32xi8>, !xetile.tile<32x32xi8>, vector<32x32xi32>) {
      %a = xetile.load_tile %at : !xetile.tile<32x32xi8> -> vector<32x32xi8>
      %b = xetile.load_tile %bt : !xetile.tile<32x32xi8> -> vector<32x32xi8>
      %d = xetile.tile_mma %a, %b, %acc : vector<32x32xi8>, vector<32x32xi8>, vector<32x32xi32> -> vector<32x32xi32>
      %an = xetile.update_tile_offset %at, [%c0, %c32] : !xetile.tile<32x32xi8>
      %bn = xetile.update_tile_offset %bt, [%c32, %c0] : !xetile.tile<32x32xi8>
      scf.yield %an, %bn, %d : !xetile.tile<32x32xi8>, !xetile.tile<32x32xi8>, vector<32x32xi32>
    }
    %tc = xetile.init_tile %C[%m, %n], [%M, %N], [%N, %c1] : memref<?x?xi32> -> !xetile.tile<32x32xi32>
    xetile.store_tile %r#2, %tc : vector<32x32xi32>, !xetile.tile<32x32xi32>
    gpu.return
  }
}
