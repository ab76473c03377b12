"""What rearranges and what is computed, executed at level X and as one lane's registers: the same bits."""

from support.forms import different
from support.on_device import Place

V = "vector<8x16xf32>"

KERNELS = {
    "transposed_twice": f"""
  %t = vector.transpose %v, [1, 0] : {V} to vector<16x8xf32>
  %u = math.absf %t : vector<16x8xf32>
  %r = vector.transpose %u, [1, 0] : vector<16x8xf32> to {V}""",
    "reshaped": f"""
  %t = vector.shape_cast %v : {V} to vector<128xf32>
  %u = arith.addf %t, %t : vector<128xf32>
  %r = vector.shape_cast %u : vector<128xf32> to {V}""",
    "rank_0": f"""
  %t = vector.extract %v[3, 5] : f32 from {V}
  %u = vector.broadcast %t : f32 to vector<f32>
  %w = vector.broadcast %u : vector<f32> to {V}
  %e = vector.extract %u[] : f32 from vector<f32>
  %x = vector.broadcast %e : f32 to vector<16xf32>
  %z = vector.shape_cast %u : vector<f32> to vector<1xf32>
  %y = vector.broadcast %z : vector<1xf32> to {V}
  %q = vector.broadcast %x : vector<16xf32> to {V}
  %r = arith.addf %q, %y : {V}""",
    "row": f"""
  %t = vector.extract %v[3] : vector<16xf32> from {V}
  %u = vector.broadcast %t : vector<16xf32> to {V}
  %w = vector.insert %t, %u[6] : vector<16xf32> into {V}
  %r = arith.addf %w, %v : {V}""",
    "askew": f"""
  %t = vector.extract_strided_slice %v {{offsets = [1, 0], sizes = [4, 16], strides = [1, 1]}} : {V} to vector<4x16xf32>
  %r = vector.insert_strided_slice %t, %v {{offsets = [3, 0], strides = [1, 1]}} : vector<4x16xf32> into {V}""",
    "entries": f"""
  %r = vector.shuffle %v, %v [1, 0, 2, 3, 15, 14, 8, 7] : {V}, {V}""",
    "row_at_run_time": f"""
  %row = vector.extract %v[%n] : vector<16xf32> from {V}
  %z = vector.insert %row, %v[%c5] : vector<16xf32> into {V}
  %y = vector.insert %s, %z[2, %n] : f32 into {V}
  %r = arith.addf %y, %z : {V}""",
    "words": f"""
  %b = vector.bitcast %v : {V} to vector<8x32xi16>
  %x = arith.addi %b, %b : vector<8x32xi16>
  %r = vector.bitcast %x : vector<8x32xi16> to {V}""",
    "masks": f"""
  %m = vector.create_mask %n, %c5 : vector<8x16xi1>
  %k = vector.constant_mask [6, 9] : vector<8x16xi1>
  %k2 = vector.constant_mask [6, 16] : vector<8x16xi1>
  %k3 = vector.create_mask %c8, %n : vector<8x16xi1>
  %x = arith.xori %m, %k : vector<8x16xi1>
  %y = arith.xori %x, %k2 : vector<8x16xi1>
  %z = arith.xori %y, %k3 : vector<8x16xi1>
  %other = arith.constant dense<0xFF800000> : {V}
  %r = arith.select %z, %v, %other : vector<8x16xi1>, {V}""",
    "constants": f"""
  %a = arith.constant dense<{[1.0 + i for i in range(16)]}> : vector<16xf32>
  %u = vector.broadcast %a : vector<16xf32> to {V}
  %b = arith.constant dense<{[[1.0 + i] for i in range(8)]}> : vector<8x1xf32>
  %w = vector.broadcast %b : vector<8x1xf32> to {V}
  %i = arith.constant dense<[true, false, true, false, true, false, true, true]> : vector<8xi1>
  %i1 = vector.shape_cast %i : vector<8xi1> to vector<8x1xi1>
  %i2 = vector.broadcast %i1 : vector<8x1xi1> to vector<8x16xi1>
  %q = arith.select %i2, %u, %w : vector<8x16xi1>, {V}
  %r = arith.addf %q, %v : {V}""",
    "scalars": f"""
  %a = vector.from_elements %s, %s, %twice, %s, %twice, %s, %twice, %twice, %s, %s, %twice, %s, %twice, %twice, %twice, %twice : vector<16xf32>
  %u = vector.broadcast %a : vector<16xf32> to {V}
  %b = vector.broadcast %twice : f32 to {V}
  %c = arith.addf %b, %u : {V}
  %r = arith.addf %c, %v : {V}""",
    "loop": f"""
  %t0 = vector.extract %v[3] : vector<16xf32> from {V}
  %z = arith.constant dense<0.0> : vector<16xf32>
  %k = vector.step : vector<16xindex>
  %o:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z, %b = %v, %kk = %k) -> (vector<16xf32>, {V}, vector<16xindex>) {{
    %p = arith.addf %a, %t0 : vector<16xf32>
    %u = vector.broadcast %p : vector<16xf32> to {V}
    %q = arith.addf %u, %b : {V}
    %k2 = arith.addi %kk, %k : vector<16xindex>
    scf.yield %p, %q, %k2 : vector<16xf32>, {V}, vector<16xindex>
  }}
  %ki = arith.index_cast %o#2 : vector<16xindex> to vector<16xi32>
  %kf = arith.sitofp %ki : vector<16xi32> to vector<16xf32>
  %kb = vector.broadcast %kf : vector<16xf32> to {V}
  %r = arith.addf %o#1, %kb : {V}""",
    "branch": f"""
  %ones = arith.constant dense<1.0> : vector<1x16xf32>
  %few = arith.cmpi ult, %n, %c5 : index
  %o = scf.if %few -> (vector<1x16xf32>) {{
    %t = vector.extract_strided_slice %v {{offsets = [5, 0], sizes = [1, 16], strides = [1, 1]}} : {V} to vector<1x16xf32>
    scf.yield %t : vector<1x16xf32>
  }} else {{
    scf.yield %ones : vector<1x16xf32>
  }}
  %u = vector.broadcast %o : vector<1x16xf32> to {V}
  %r = arith.addf %u, %v : {V}""",
}

EXCHANGES = {
    "column": f"""
  %t = vector.extract_strided_slice %v {{offsets = [0, 3], sizes = [8, 1], strides = [1, 1]}} : {V} to vector<8x1xf32>
  %u = vector.broadcast %t : vector<8x1xf32> to {V}
  %r = arith.addf %u, %v : {V}""",
    "columns": f"""
  %t = vector.extract_strided_slice %v {{offsets = [0, 8], sizes = [8, 8], strides = [1, 1]}} : {V} to vector<8x8xf32>
  %x = math.absf %t : vector<8x8xf32>
  %u = vector.insert_strided_slice %x, %v {{offsets = [0, 0], strides = [1, 1]}} : vector<8x8xf32> into {V}
  %w = vector.insert_strided_slice %x, %u {{offsets = [0, 8], strides = [1, 1]}} : vector<8x8xf32> into {V}
  %r = arith.addf %u, %w : {V}""",
    "elements": f"""
  %t = vector.extract %v[3, 5] : f32 from {V}
  %u = vector.broadcast %t : f32 to {V}
  %q = arith.addf %t, %s : f32
  %y = vector.insert %q, %u[2, 7] : f32 into {V}
  %i = arith.cmpf olt, %v, %y : {V}
  %j = vector.extract %i[7, 9] : i1 from vector<8x16xi1>
  %r = arith.select %j, %y, %v : {V}""",
    "element_at_run_time": f"""
  %t = vector.extract %v[%n, 5] : f32 from {V}
  %q = vector.extract %v[2, %n] : f32 from {V}
  %w = arith.addf %t, %q : f32
  %y = vector.extract %v[%n, %n] : f32 from {V}
  %z = vector.insert %w, %v[%n, %n] : f32 into {V}
  %r = vector.insert %y, %z[%n, 7] : f32 into {V}""",
    "all_elements": f"""
  %t = vector.extract_strided_slice %v {{offsets = [0, 4], sizes = [1, 4], strides = [1, 1]}} : {V} to vector<1x4xf32>
  %e:4 = vector.to_elements %t : vector<1x4xf32>
  %b = arith.addf %e#1, %e#3 : f32
  %r = vector.broadcast %b : f32 to {V}""",
}


def test_lanes_compute_what_the_subgroup_does(place: Place) -> None:
    assert different(KERNELS, place) == []


def test_lanes_give_what_others_take(place: Place) -> None:
    assert different(EXCHANGES, place) == []
