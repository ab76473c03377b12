gpu.module @m {
  gpu.func @k(%a: memref<24x48xf32>, %b: memref<24x48xi32>, %c: memref<24x48xf16>, %d: memref<24x48xf32>) kernel
      attributes {known_block_size = array<i32: 48, 1, 1>, known_grid_size = array<i32: 1, 2, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %subgroup = gpu.subgroup_id : index
    %workgroup = gpu.block_id y
    %column = arith.muli %subgroup, %c16 : index
    %row = arith.muli %workgroup, %c8 : index
    %ta = xetile.init_tile %a[%row, %column] : memref<24x48xf32> -> !xetile.tile<8x16xf32>
    %tb = xetile.init_tile %b[%c0, %column] : memref<24x48xi32> -> !xetile.tile<8x16xi32>
    %start = xetile.load_tile %ta : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %half = arith.constant dense<0.5> : vector<8x16xf32>
    %three = arith.constant dense<3> : vector<8x16xi32>
    %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %tb, %v = %start) -> (!xetile.tile<8x16xi32>, vector<8x16xf32>) {
      %x = xetile.load_tile %t : !xetile.tile<8x16xi32> -> vector<8x16xi32>
      %y = arith.shrsi %x, %three : vector<8x16xi32>
      %z = arith.maxsi %y, %x : vector<8x16xi32>
      %f = arith.sitofp %z : vector<8x16xi32> to vector<8x16xf32>
      %s = arith.mulf %v, %half : vector<8x16xf32>
      %w = arith.addf %s, %f : vector<8x16xf32>
      %n = xetile.update_tile_offset %t, [8, 0] : !xetile.tile<8x16xi32>
      scf.yield %n, %w : !xetile.tile<8x16xi32>, vector<8x16xf32>
    }
    %greater = arith.cmpf ogt, %r#1, %start : vector<8x16xf32>
    %m = arith.select %greater, %r#1, %start : vector<8x16xi1>, vector<8x16xf32>
    %n = arith.truncf %m : vector<8x16xf32> to vector<8x16xf16>
    %tc = xetile.init_tile %c[%row, %column] : memref<24x48xf16> -> !xetile.tile<8x16xf16>
    xetile.store_tile %n, %tc : vector<8x16xf16>, !xetile.tile<8x16xf16>
    %first = arith.cmpi eq, %subgroup, %c0 : index
    %o = scf.if %first -> (vector<8x16xf32>) {
      scf.yield %m : vector<8x16xf32>
    } else {
      %q = arith.divf %m, %half : vector<8x16xf32>
      scf.yield %q : vector<8x16xf32>
    }
    %td = xetile.init_tile %d[%row, %column] : memref<24x48xf32> -> !xetile.tile<8x16xf32>
    xetile.store_tile %o, %td : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
