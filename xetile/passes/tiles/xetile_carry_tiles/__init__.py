"""Rewrite tiles that a loop makes in each round as tiles that it carries and moves, the RFC's form; and the reverse.

Before (`xetile-uncarry-tiles` makes this from the code after):

    scf.for %k = %c0 to %c4096 step %c32 {
      %ahead = arith.addi %k, %c96 : index
      %t = xetile.init_tile %A[%m, %ahead] : memref<4096x4096xf16> -> !xetile.tile<256x32xf16>
      xetile.prefetch_tile %t : !xetile.tile<256x32xf16>
    }

After (`xetile-carry-tiles`):

    %t_start = xetile.init_tile %A[%m, 96] : memref<4096x4096xf16> -> !xetile.tile<256x32xf16>
    %0 = scf.for %k = %c0 to %c4096 step %c32 iter_args(%t = %t_start) -> (!xetile.tile<256x32xf16>) {
      xetile.prefetch_tile %t : !xetile.tile<256x32xf16>
      %t_next = xetile.update_tile_offset %t, [0, 32] : !xetile.tile<256x32xf16>
      scf.yield %t_next : !xetile.tile<256x32xf16>
    }

A tile is carried if its offsets are sums of multiples of the loop's counter and of values that do not change in the
loop, and the loop's step is a number. It is made in each round if each round moves it by numbers that are multiples of
that step, and nothing uses it after the loop. Other tiles stay as they are, and so do all bits.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xetile.passes.tiles.xetile_carry_tiles.carrying import carry
from xetile.passes.tiles.xetile_carry_tiles.uncarrying import uncarry
from xetile.rewriting.dead_code import remove_dead_code


@dataclass(frozen=True)
class XeTileCarryTiles(ModulePass):
    """Carry and move the tiles that loops make at each round, innermost loops first."""

    name = "xetile-carry-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [o for o in op.walk(region_first=True) if isinstance(o, scf.ForOp)]:
            carry(loop)
        remove_dead_code(op.body)


@dataclass(frozen=True)
class XeTileUncarryTiles(ModulePass):
    """Make the tiles that loops carry and move at each round, outermost loops first."""

    name = "xetile-uncarry-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [o for o in op.walk() if isinstance(o, scf.ForOp)]:
            uncarry(loop)
        remove_dead_code(op.body)
