"""Rewrite programs of the memref and vector dialects as programs on tiles.

Before:

    %a = memref.subview %A[%i, %k] [64, 32] [1, 1]
        : memref<512x512xf16> to memref<64x32xf16, strided<[512, 1], offset: ?>>
    %va = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]}
        : memref<64x32xf16, strided<[512, 1], offset: ?>>, vector<64x32xf16>
    %sum = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        %va, %vb, %acc : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>

After:

    %a = xetile.init_tile %A[%i, %k] : memref<512x512xf16> -> !xetile.tile<64x32xf16>
    %va = xetile.load_tile %a : !xetile.tile<64x32xf16> -> vector<64x32xf16>
    %sum = xetile.tile_mma %va, %vb, %acc
        : vector<64x32xf16>, vector<32x64xf16>, vector<64x64xf32> -> vector<64x64xf32>

A tile is made from the memref of a subview if the access provably stays inside the subview, by `in_bounds` or by
numbers. Otherwise the subview is the tile's matrix, so that its bounds apply; its base must be aligned as 2D messages
require. The tile's order is that of the memref: [1, 0] if rows are contiguous, [0, 1] if columns are. Vectors become
matrices of the same elements: dimensions of extent 1 are dropped, and n elements become a row, 1 x n. An extension of
both operands of a product is dropped if matrix instructions take the narrow operands: each product is exact either way.
A reduction combines its initial value last, as the interpreter does. All bits stay the same.

The pass is for kernels that do not use tiles yet. A kernel with `xetile.sg_layout` is at workgroup level, and
`xetile-infer-wg-map` maps it; one without is at subgroup level. `xetile-carry-tiles` then makes loops carry their
tiles.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xetile.analysis.module_kernels import functions, holds_dialect
from xetile.passes.tiles.convert_vector_to_xetile.matrices import make_matrices
from xetile.passes.tiles.convert_vector_to_xetile.patterns import (
    PATTERNS,
    check_rest,
    is_converted,
)
from xetile.rewriting.dead_code import remove_dead_code
from xetile.rewriting.kept_positions import walk

_LOWER = ("xegpu", "xevm", "llvm")


@dataclass(frozen=True)
class ConvertVectorToXeTile(ModulePass):
    """Rewrite what functions do with memrefs and vectors into operations on tiles."""

    name = "convert-vector-to-xetile"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(functions(op)):
            if any(is_converted(one) for one in function.walk()):
                _convert(function)


def _convert(function: Operation) -> None:
    if holds_dialect(function, *_LOWER):
        return
    for name, pattern in PATTERNS.items():
        if name == "vector.create_mask":
            # masks are removed together with the ops that they mask
            remove_dead_code(function.regions[0])
        walk(function, pattern, recursive=False)
    check_rest(function, casts=True)
    make_matrices(function)
    remove_dead_code(function.regions[0])
    check_rest(function, casts=False)
