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

A tile becomes its descriptors (invariant in loops) and its offsets; loops carry only the offsets that change. A
4D value becomes one 2D vector per block. Messages come from `xetile.planning.messages`, which plans them with linear
layouts; what 2D access needs of a surface is checked here (`xetile.targets.surface`). Transposes, reductions and
broadcasts become ops of the vector dialect on each block, a padding other than zero a selection by masks.
"""

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, VectorType, i32
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from xetile.analysis.kernels import OLDER_CONVENTION, functions, holds_dialect, level, set_level
from xetile.dialects.xetile import TileType
from xetile.errors import fail
from xetile.passes.convert_xetile_to_xegpu import rearrange, tiles, vectors
from xetile.passes.convert_xetile_to_xegpu.view import XeGPUView
from xetile.passes.convert_xetile_to_xegpu.work_item_launches import (
    set_work_item_convention,
    subgroups_along,
)
from xetile.rewriting.rewriter import Handlers
from xetile.targets.device import SUBGROUP_SIZE, Device, device

MOST_BLOCKS = 1 << 14
"""A bound on what is unrolled, hundreds of times what the registers of a subgroup hold."""


def _check_instruction(target: Device, op: Operation) -> None:
    """Refuse element types and blocks that no matrix instruction of the device takes."""
    vectors = [cast(VectorType[Attribute], v.type) for v in (*op.operands[:2], op.results[0])]
    a, b, c = (vector.element_type for vector in vectors)
    instruction = target.dpas(a, b, c)
    if instruction is None:
        fail(
            op,
            f"{target.name} has no matrix instruction for A {a}, B {b}, accumulator {c}; "
            f"it has {target.describe_dpas()}",
        )
    if vectors[0].get_num_dims() != 4:
        fail(op, f"{vectors[0]} is not in blocks, run xetile-blocking first")
    m, k = vectors[0].get_shape()[2:]
    n = vectors[1].get_shape()[3]
    if m not in instruction.m or n != instruction.n or k != instruction.k:
        fail(
            op,
            f"blocks of m = {m}, n = {n}, k = {k}; the matrix instruction of {target.name} for {a} takes "
            f"m of {', '.join(map(str, instruction.m))}, n = {instruction.n}, k = {instruction.k}: "
            f"use tiles with N a multiple of {instruction.n} and K a multiple of {instruction.k}",
        )


def _launch_index(view: XeGPUView, op: Operation) -> None:
    """Ids and sizes that count subgroups in the older convention."""
    if OLDER_CONVENTION in view.function.attributes:
        view.bind(op.results[0], subgroups_along(view.function, op, view.emit_value))
    else:
        view.copy(op)


HANDLERS: Handlers[XeGPUView] = {
    **tiles.HANDLERS,
    **vectors.HANDLERS,
    **rearrange.HANDLERS,
    "gpu.thread_id": _launch_index,
    "gpu.block_dim": _launch_index,
}


def _check_blocks(op: Operation) -> None:
    """Every block becomes a value of its own: one subgroup has no use for very many, and the compiler no time."""
    for value in (*op.operands, *op.results):
        type = value.type
        if isinstance(type, TileType):
            shape = type.value_shape
        else:
            shape = type.get_shape() if isinstance(type, VectorType) else ()
        blocks = prod(shape[:2]) if len(shape) == 4 else 1
        if blocks > MOST_BLOCKS:
            fail(
                op,
                f"{type} has {blocks} blocks, expected at most {MOST_BLOCKS} in one subgroup; "
                "make the tile smaller, or share it among more subgroups",
            )


@dataclass(frozen=True)
class ConvertXeTileToXeGPU(ModulePass):
    """Turn blocked XeTile into XeGPU.

    Parameters:
        device: the device that is lowered for: pvc, bmg, lnl, ptl, cri.
        upstream_plan: whether messages are the smaller ones that upstream MLIR's own lowering takes; false.
    """

    name = "convert-xetile-to-xegpu"

    device: str
    upstream_plan: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every function that holds blocked tiles; others stay as they are."""
        target = device(self.device)
        for function in list(functions(op)):
            if not holds_dialect(function, "xetile"):
                continue
            if level(function) == "workgroup":
                fail(function, "the kernel is at workgroup level; run xetile-wg-to-sg first")
            for inner in function.walk():
                _check_blocks(inner)
                if inner.name == "xetile.tile_mma":
                    _check_instruction(target, inner)
            XeGPUView(function, HANDLERS, target, upstream=self.upstream_plan).run()
            set_work_item_convention(function)
            function.attributes["intel_reqd_sub_group_size"] = IntegerAttr(SUBGROUP_SIZE, i32)
            set_level(function, "subgroup")
