gpu.module @m {
  gpu.func @control(%a: memref<32x32xi32>, %n: index, %c: memref<32x32xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %ta = xetile.init_tile %a[0, 0] : memref<32x32xi32> -> !xetile.tile<32x32xi32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 16]>>>
    %tc = xetile.init_tile %c[0, 0] : memref<32x32xi32> -> !xetile.tile<32x32xi32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 16]>>>
    %one = arith.constant {wg_map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 16]>} dense<1> : vector<32x32xi32>
    %v = xetile.load_tile %ta : !xetile.tile<32x32xi32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 16]>>> -> vector<32x32xi32>
    %many = arith.cmpi sgt, %n, %c1 : index
    %w = scf.if %many -> (vector<32x32xi32>) {
      %x = arith.addi %v, %one {wg_map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 16]>} : vector<32x32xi32>
      scf.yield %x : vector<32x32xi32>
    } else {
      scf.yield %v : vector<32x32xi32>
    }
    %r:2 = scf.while (%i = %c0, %u = %w) : (index, vector<32x32xi32>) -> (index, vector<32x32xi32>) {
      %go = arith.cmpi slt, %i, %c3 : index
      scf.condition(%go) %i, %u : index, vector<32x32xi32>
    } do {
    ^bb0(%i: index, %u: vector<32x32xi32>):
      %next = arith.addi %i, %c1 : index
      %twice = arith.addi %u, %u : vector<32x32xi32>
      scf.yield %next, %twice : index, vector<32x32xi32>
    }
    %old = xetile.atomic_rmw_tile <addi> %r#1, %tc : vector<32x32xi32>, !xetile.tile<32x32xi32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [8, 16]>>> -> vector<32x32xi32>
    gpu.return
  }
}
