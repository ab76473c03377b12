"""Turn XeGPU into XeVM: from the view of a subgroup to that of one lane.

Before:

    %d = xegpu.create_nd_tdesc %A : memref<4096x4096xf16>
        -> !xegpu.tensor_desc<32x16xf16, #xegpu.block_tdesc_attr<array_length = 2 : i64>>
    %v = xegpu.load_nd %d[%m, %k] : ... -> vector<2x32x16xf16>
    %v0 = vector.extract %v[0] : vector<32x16xf16> from vector<2x32x16xf16>
    %a = vector.extract_strided_slice %v0 {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : ...
    %c1 = xegpu.dpas %a, %b, %c : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>

After:

    %i = memref.extract_aligned_pointer_as_index %A : memref<4096x4096xf16> -> index
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %v = xevm.blockload2d %p, %w, %h, %pitch, %x, %y <{...}> : (...) -> vector<64xi16>
    %a = vector.shuffle %v, %v [8, 9, 10, 11, 12, 13, 14, 15] : vector<64xi16>, vector<64xi16>
    %c1 = xevm.mma %a, %b, %c {...} : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>

Every vector has a planned linear layout (register, lane) -> element (`planning/xe/register_layouts`). Messages and
matrix instructions fix some layouts; `planning/xe/register_layouts/layout_rules` relates the layouts of an op's
operands and result. Most ops that rearrange elements only rename registers. If a use needs another layout, the vector
is converted. Constants, steps and masks are computed in the layout of each use. A selection of registers stays pending,
so that slices and permutations become one shuffle at the use.
"""

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xetile.analysis.kernel_targets import check_option, device_of
from xetile.analysis.module_kernels import functions, holds_dialect, is_of_subgroup, set_level
from xetile.errors import fail
from xetile.passes.xe.convert_xegpu_to_xevm import (
    changed_elements,
    computed,
    lane_shared_memory,
    matrix_products,
    message_ops,
    reductions,
    renamed_registers,
    scattered_messages,
)
from xetile.passes.xe.convert_xegpu_to_xevm.intake import (
    check_extents,
    check_taken,
    drop_layouts,
    together_in,
    widen_products,
)
from xetile.passes.xe.convert_xegpu_to_xevm.lane_shared_memory import check_shared_memory
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.shared_slice import settle
from xetile.planning.decided import decided
from xetile.planning.xe.register_layouts import plan_registers
from xetile.planning.xe.register_layouts.layout_report import describe
from xetile.rewriting.rewriter import Handlers, check_lowered
from xetile.rewriting.straight_blocks import merge_straight_blocks
from xetile.rewriting.work_item_launches import (
    check_shared_by_lanes,
    set_work_item_convention,
)
from xetile.targets.xe.device import XeDevice

_HANDLERS: Handlers[LaneView] = {
    **message_ops.HANDLERS,
    **changed_elements.HANDLERS,
    **renamed_registers.HANDLERS,
    **reductions.HANDLERS,
    **matrix_products.HANDLERS,
    **computed.HANDLERS,
    **lane_shared_memory.HANDLERS,
    **scattered_messages.HANDLERS,
}


@dataclass(frozen=True)
class ConvertXeGPUToXeVM(ModulePass):
    """Turn XeGPU into XeVM, one lane's view.

    Parameters:
        print_layouts: whether layouts of vectors and prices of conversions go to standard error; false by default.
    """

    name = "convert-xegpu-to-xevm"

    device: str | None = None
    print_layouts: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_option(op, self.device)
        for function in list(functions(op)):
            if holds_dialect(function, "xetile"):
                fail(
                    function,
                    "the kernel still holds xetile ops; run convert-xetile-to-xegpu first",
                )
            if not holds_dialect(function, "xegpu") and not is_of_subgroup(function):
                continue
            merge_straight_blocks(function)
            target = device_of(function, XeDevice, self.device)
            set_work_item_convention(function, target.threads)
            check_shared_by_lanes(function, target.threads, together_in(function))
            check_taken(function, _HANDLERS)
            check_extents(function)
            drop_layouts(function)
            widen_products(function, target.lanes)
            layouts = plan_registers(function, target)
            decided(function, layouts)
            if self.print_layouts:
                print(describe(function, layouts), file=sys.stderr)
            view = LaneView(function, _HANDLERS, target, layouts)
            check_shared_memory(view)
            view.run()
            settle(view)
            decided(function, view)
            check_lowered(function, "xegpu", "XeVM")
            set_level(function, "lane")
