"""Maps after tracing: what is only prefetched is dealt out, so that each subgroup fetches a piece of its own.

All else follows from products and from the kernel's `xetile.sg_layout` (docs/xetile-dialect.md).
"""

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from xetile.dialects.traits import PrefetchesTile, has_trait
from xetile.dialects.xetile import InitTileOp, TileType, WorkgroupMapAttr
from xetile.dialects.xetile.types import memory_bits
from xetile.language.layouts import prefetched


def map_prefetched(function: Operation, subgroups: int) -> None:
    """Tiles that are only prefetched: each subgroup fetches a piece of its own."""
    for op in list(function.walk()):
        if not isinstance(op, InitTileOp):
            continue
        uses = [use.operation for use in op.tile.uses]
        kind = op.tile.type
        if not uses or kind.scattered or kind.wg_map is not None:
            continue
        if all(has_trait(user, PrefetchesTile) for user in uses):
            map = _prefetched(kind, subgroups)
            Rewriter.replace_value_with_new_type(op.tile, kind.with_(wg_map=map))


def _prefetched(kind: TileType, subgroups: int) -> WorkgroupMapAttr:
    rows, columns = kind.shape
    bits = memory_bits(kind.element_type)
    assert bits is not None, "the language has no other elements"
    if kind.order == (0, 1):  # a row in memory is a column
        return WorkgroupMapAttr(*prefetched((columns, rows), subgroups, bits)).transposed()
    return WorkgroupMapAttr(*prefetched((rows, columns), subgroups, bits))
