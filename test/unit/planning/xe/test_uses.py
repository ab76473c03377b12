"""How the tiles of a function are used, through loops and moves."""

from xetile.dialects.modules import parse
from xetile.planning.xe.uses import Tiles

KERNEL = """
func.func @f(%A: memref<64x64xf32>, %n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (!xetile.tile<8x16xf32>) {
    xetile.prefetch_tile %u : !xetile.tile<8x16xf32>
    %v = xetile.load_tile %u : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %next = xetile.update_tile_offset %u, [%c0, 16] : !xetile.tile<8x16xf32>
    scf.yield %next : !xetile.tile<8x16xf32>
  }
  %other = xetile.init_tile %A[8, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %w = arith.constant dense<0.0> : vector<8x16xf32>
  xetile.store_tile %w, %other : vector<8x16xf32>, !xetile.tile<8x16xf32>
  %lone = xetile.init_tile %A[16, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
  %either = scf.if %flag -> (!xetile.tile<8x16xf32>) {
    scf.yield %other : !xetile.tile<8x16xf32>
  } else {
    scf.yield %lone : !xetile.tile<8x16xf32>
  }
  func.return
}
"""


def test_a_loop_and_its_moves_are_one_tile() -> None:
    operations = list(parse(KERNEL).walk())
    tiles = Tiles(operations)
    named = {value.name_hint: value for op in operations for value in op.results}
    assert tiles.uses(named["t"]) == tiles.uses(named["next"]) == ["prefetch", "load"]
    assert [op.name for op in tiles.accesses(named["r"], "load")] == ["xetile.load_tile"]
    # a constant step of nothing moves nothing
    assert tiles.moving_dimensions(named["t"]) == (1,)


def test_tiles_that_meet_carry_both_offsets() -> None:
    operations = list(parse(KERNEL).walk())
    tiles = Tiles(operations)
    named = {value.name_hint: value for op in operations for value in op.results}
    assert tiles.find(named["other"]) == tiles.find(named["lone"])
    assert tiles.uses(named["lone"]) == ["store"]
    assert tiles.moving_dimensions(named["either"]) == (0, 1)
