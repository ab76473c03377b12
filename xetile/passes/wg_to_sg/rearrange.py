"""Transposes, broadcasts and changes of the map."""

from xdsl.ir import Operation

from xetile.dialects.xetile import TileBroadcastOp, TileConvLayoutOp, TileTransposeOp
from xetile.layout.grid import Distribution
from xetile.passes.wg_to_sg.exchange import (
    local_sources,
    redistributed,
    transposed_through_memory,
)
from xetile.passes.wg_to_sg.view import SubgroupView, retyped, unit_vector


def conv_layout(view: SubgroupView, op: Operation) -> None:
    """Nothing where every subgroup holds its new units already, else an exchange."""
    assert isinstance(op, TileConvLayoutOp)
    target = view.value_distribution(op.result)
    view.bind(op.result, redistributed(view, view.units(op.source), target))


def transpose(view: SubgroupView, op: Operation) -> None:
    """A transpose of each unit where subgroups hold what they need, else an exchange that transposes."""
    assert isinstance(op, TileTransposeOp)
    source, target = view.units(op.source), view.value_distribution(op.result)
    if op.permutation.get_values() == (0, 1):
        view.bind(op.result, redistributed(view, source, target))
        return
    kept = None
    if source.distribution.unit == target.unit[::-1]:
        kept = local_sources(source.distribution, target, lambda unit: unit[::-1])
    if kept is None:
        view.bind(op.result, transposed_through_memory(view, source, target))
        return
    type = unit_vector(op.result.type, target)
    view.each_unit(op.result, target, lambda unit: retyped(op, [source.values[kept[unit]]], [type]))


def broadcast(view: SubgroupView, op: Operation) -> None:
    """A broadcast of each unit, from the units that the RFC derives for the source."""
    assert isinstance(op, TileBroadcastOp)
    dims = op.broadcast_dims.get_values()
    target = view.value_distribution(op.result)
    given = view.units(op.source)
    needed = Distribution(
        given.distribution.shape,
        [1 if d in dims else extent for d, extent in enumerate(target.unit)],
        target.grid,
    )
    source = redistributed(view, given, needed)
    kept = local_sources(
        needed, target, lambda unit: tuple(0 if d in dims else u for d, u in enumerate(unit))
    )
    assert kept is not None, "the derived map gives every subgroup what it needs"
    type = unit_vector(op.result.type, target)

    def make(unit: int) -> Operation:
        return retyped(op, [source.values[kept[unit]]], [type])

    view.each_unit(op.result, target, make)
