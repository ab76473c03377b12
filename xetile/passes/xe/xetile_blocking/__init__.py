"""Cut subgroup-level tiles and vectors into the blocks that the hardware moves and multiplies.

Before:

    %a = xetile.load_tile %ta : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %b = xetile.load_tile %tb : !xetile.tile<32x64xf16> -> vector<32x64xf16>
    %d = xetile.tile_mma %a, %b, %c : vector<32x32xf16>, vector<32x64xf16>, vector<32x64xf32> -> ...

After (%c stays in blocks of 8x16 throughout, including loops):

    %a = xetile.load_tile %ta {message = #xetile.message<32x16x2>}
        : !xetile.tile<32x32xf16, #xetile.tile_attr<inner_blocks = [32, 16]>> -> vector<1x2x32x16xf16>
    %b = xetile.load_tile %tb {message = #xetile.message<32x16x2, packed>} : ... -> vector<1x4x32x16xf16>
    %a2 = xetile.tile_unpack %a {inner_blocks = array<i64: 32, 16>} : ... -> vector<32x32xf16>
    %a4 = xetile.tile_pack %a2 {inner_blocks = array<i64: 8, 16>} : ... -> vector<4x2x8x16xf16>
    (the same for %b, in blocks of 16x16)
    %d = xetile.tile_mma %a4, %b4, %c
        : vector<4x2x8x16xf16>, vector<2x4x16x16xf16>, vector<4x4x8x16xf32> -> vector<4x4x8x16xf32>

The blocks come from `xetile.planning.xe.blocks`. If a value is needed in the block in which it is held, nothing is
repacked, so no canceling pair of tile_pack and tile_unpack is made. Values without a blocked form (vectors of indices,
ops of other dialects that are not elementwise) stay whole vectors, and are packed where blocks are needed.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xetile.analysis.kernel_targets import check_option, device_of
from xetile.analysis.module_kernels import functions, has_workgroup_map, holds_dialect, level
from xetile.dialects.xetile import TileType
from xetile.errors import fail
from xetile.passes.xe.xetile_blocking import blocked_vectors, tile_blocks
from xetile.passes.xe.xetile_blocking.blocked_view import BlockedView
from xetile.planning.decided import decided
from xetile.planning.xe.message_plans import plan_messages
from xetile.rewriting.grouped_reductions import expand_grouped_reductions
from xetile.rewriting.straight_blocks import merge_straight_blocks
from xetile.targets.xe.device import XeDevice


@dataclass(frozen=True)
class XeTileBlocking(ModulePass):
    """Cut subgroup-level tiles and vectors into the device's blocks."""

    name = "xetile-blocking"

    device: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_option(op, self.device)
        for function in list(functions(op)):
            if not holds_dialect(function, "xetile"):
                continue
            if level(function) == "workgroup":
                fail(function, "the kernel is at workgroup level; run xetile-wg-to-sg first")
            merge_straight_blocks(function)
            expand_grouped_reductions(function)
            _refuse_maps(function)
            _refuse_given_tiles(function)
            target = device_of(function, XeDevice, self.device)
            view = BlockedView(
                function, {**tile_blocks.HANDLERS, **blocked_vectors.HANDLERS}, target
            )
            view.run()
            decided(function, view)
            for access, message in plan_messages(function, target):
                access.properties["message"] = message


def _refuse_maps(function: Operation) -> None:
    """Refuse maps in a kernel that is marked as subgroup level, since they describe a workgroup's data."""
    for op in function.walk():
        if has_workgroup_map(op):
            fail(
                op,
                f"'{op.name}' has a wg_map, but the kernel is marked xetile.level = \"subgroup\"; "
                "take the map away, or the mark and run xetile-wg-to-sg",
            )


def _refuse_given_tiles(function: Operation) -> None:
    """Refuse tile arguments without blocks: init_tile sets a tile's blocks, and such tiles have none."""
    for argument in function.regions[0].blocks[0].args if function.regions[0].blocks else ():
        if isinstance(argument.type, TileType) and argument.type.inner_blocks is None:
            fail(
                function,
                f"the function is given a tile, {argument.type}, which gets no blocks; "
                "expected memory, and an init_tile inside",
            )
