"""Turn blocked XeTile into XeGPU: descriptors, block messages and matrix instructions.

Before:

    %t = xetile.init_tile %A[%m, 0] : memref<4096x4096xf16>
        -> !xetile.tile<32x32xf16, #xetile.tile_attr<inner_blocks = [32, 16]>>
    %v = xetile.load_tile %t : ... -> vector<1x2x32x16xf16>
    %w = (tile_unpack, tile_pack to blocks of 8x16) : vector<4x2x8x16xf16>

After (one message for both blocks):

    %d = xegpu.create_nd_tdesc %A : memref<4096x4096xf16>
        -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %v = xegpu.load_nd %d[%m, %c0] : ... -> vector<2x32x16xf16>
    %v0 = vector.extract %v[0] : vector<32x16xf16> from vector<2x32x16xf16>
    %w00 = vector.extract_strided_slice %v0 {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : ...

A tile becomes its descriptors (invariant in loops) and its offsets; loops carry only the offsets that change. A 4D
value becomes one 2D vector per block. `xetile.planning.xe.message_plans` plans the messages with linear layouts. The
pass checks the requirements of 2D access on a surface (`xetile.targets.xe.surface`). Transposes, reductions and
broadcasts become ops of the vector dialect on each block. A padding other than zero becomes a selection by masks.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xetile.analysis.kernel_targets import check_option, device_of
from xetile.analysis.module_kernels import (
    functions,
    holds_dialect,
    is_of_subgroup,
    level,
    set_level,
)
from xetile.analysis.promises import without_promises
from xetile.dialects.xetile import TileMMAOp
from xetile.errors import fail
from xetile.passes.xe.convert_xetile_to_xegpu import (
    block_combinations,
    byte_buffers,
    descriptors,
    vector_blocks,
)
from xetile.passes.xe.convert_xetile_to_xegpu.checks import (
    check_blocks,
    check_instruction,
    tell_of_checks,
)
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import XeGPUView
from xetile.planning.decided import decided
from xetile.rewriting.rewriter import Handlers, check_lowered
from xetile.rewriting.straight_blocks import merge_straight_blocks
from xetile.rewriting.work_item_launches import (
    check_shared_by_lanes,
    set_work_item_convention,
)
from xetile.targets.xe.device import XeDevice

HANDLERS: Handlers[XeGPUView] = {
    **descriptors.HANDLERS,
    **vector_blocks.HANDLERS,
    **block_combinations.HANDLERS,
    **byte_buffers.HANDLERS,
}


@dataclass(frozen=True)
class ConvertXeTileToXeGPU(ModulePass):
    """Turn blocked XeTile into XeGPU.

    Parameters:
        upstream_plan: whether messages are the smaller ones that upstream MLIR's own lowering takes; false by default.
    """

    name = "convert-xetile-to-xegpu"

    device: str | None = None
    upstream_plan: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_option(op, self.device)
        for function in list(functions(op)):
            if not holds_dialect(function, "xetile") and (
                not is_of_subgroup(function) or holds_dialect(function, "xegpu")
            ):
                continue
            if level(function) == "workgroup":
                fail(function, "the kernel is at workgroup level; run xetile-wg-to-sg first")
            merge_straight_blocks(function)
            target = device_of(function, XeDevice, self.device)
            for inner in function.walk():
                check_blocks(inner)
                if isinstance(inner, TileMMAOp):
                    check_instruction(target, inner)
            set_work_item_convention(function, target.threads)
            check_shared_by_lanes(function, target.threads, _together)
            tell_of_checks(function)
            view = XeGPUView(function, HANDLERS, target, upstream=self.upstream_plan)
            view.run()
            decided(function, view)
            check_lowered(function, "xetile", "XeGPU")
            without_promises(function)
            function.attributes["intel_reqd_sub_group_size"] = IntegerAttr(target.threads, i32)
            set_level(function, "subgroup")


def _together(op: Operation) -> str:
    return "access a tile" if op.name.startswith("xetile.") else ""
