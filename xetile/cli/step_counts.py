"""What one K step of a kernel does: ops of the innermost loop that multiplies, by kind."""

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Operation

PRODUCTS = ("xetile.tile_mma", "xegpu.dpas", "xevm.mma")

KINDS = {
    **dict.fromkeys(PRODUCTS, "dpas"),
    "xetile.load_tile": "loads",
    "xegpu.load_nd": "loads",
    "xevm.blockload2d": "loads",
    "xetile.prefetch_tile": "prefetches",
    "xegpu.prefetch_nd": "prefetches",
    "xevm.blockprefetch2d": "prefetches",
    "xetile.store_tile": "stores",
    "xegpu.store_nd": "stores",
    "xevm.blockstore2d": "stores",
}


def step_counts(kernel: "Operation") -> Counter[str]:
    """Loads, prefetches, stores and products (`dpas`) of one K step.

    The K step is one round of the loop with the most products in its own body; of the whole kernel where none is in a
    loop.
    """
    loops = [op for op in kernel.walk() if op.name == "scf.for"]
    counts = [_count(loop) for loop in loops] or [_count(kernel)]
    return max(counts, key=lambda count: count["dpas"])


def _count(op: "Operation") -> Counter[str]:
    inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
    return Counter(KINDS[inner.name] for inner in inside if inner.name in KINDS)
