"""Who has which elements of a workgroup's tile: subgroups, as `xetile-wg-to-sg` dealt it out."""

from collections.abc import Iterator
from itertools import product

from xdsl.ir import SSAValue

from xetile.explorer.model import Bases
from xetile.layout.algebra.distribution import Distribution
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.show.bases import form_of
from xetile.passes.xetile_wg_to_sg.units import Copies, Units
from xetile.passes.xetile_wg_to_sg.view import SubgroupView

Block = tuple[list[int], list[int]]
"""Where a block begins, and its extents (elements)."""


def units_of(view: SubgroupView) -> Iterator[tuple[SSAValue, Units]]:
    """What each value of the workgroup became; of one that is held in several ways, the way of its map."""
    for value, form in view.environment.items():
        if isinstance(form, Units):
            yield value, form
        elif isinstance(form, Copies):
            yield value, form.each[0]


def owner_bases(distribution: Distribution, dims: list[str]) -> Bases | None:
    """The layout (register, subgroup) -> dims; registers count the elements of a subgroup's units, unit after unit.

    None where extents or subgroups are no powers of two.
    """
    try:
        layout = distribution.to_linear_layout()
    except LayoutError:
        return None
    return Bases(*form_of(layout, dims=dims))


def owner_blocks(distribution: Distribution) -> list[Block]:
    """The units in the tile, those of subgroup 0 first, as many for each subgroup."""
    units = product(range(distribution.subgroups), [list(distribution.unit)])
    return [
        (list(offset), sizes)
        for subgroup, sizes in units
        for offset in distribution.offsets(subgroup)
    ]
