"""Which subgroup holds which part of a tile: maps made of the kernel's layout of subgroups."""

from typing import TYPE_CHECKING

from xetile.language.builder import Pair

if TYPE_CHECKING:
    from xetile.dialects.xetile import WorkgroupMapAttr


def map_of(shape: Pair, sg_layout: Pair) -> "WorkgroupMapAttr":
    """A tile dealt out evenly: as many units along a dimension as divide both its extent and the subgroups there."""
    from xetile.dialects.xetile import WorkgroupMapAttr

    return WorkgroupMapAttr(sg_layout, tuple(map(_unit, shape, sg_layout)))


def _unit(extent: int, subgroups: int) -> int:
    units = max(n for n in range(1, subgroups + 1) if extent % n == 0 and subgroups % n == 0)
    return extent // units
