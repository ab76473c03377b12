"""Transposes, broadcasts and changes of the map."""

from collections.abc import Sequence

from xdsl.ir import Operation

from xetile.dialects.xetile import TileBroadcastOp, TileConvLayoutOp, TileTransposeOp
from xetile.passes.tiles.xetile_wg_to_sg.exchanged_units import (
    redistributed,
    transposed_through_memory,
)
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import SubgroupView, unit_vector
from xetile.passes.tiles.xetile_wg_to_sg.units import in_registers
from xetile.rewriting.rewriter import Handlers, on


def conv_layout(view: SubgroupView, op: TileConvLayoutOp) -> None:
    """Change a distribution: no op if every subgroup already holds its new units, else an exchange."""
    target = view.distribution_of(op.result)
    view.bind(op.result, redistributed(view, view.units(op.source), target))


def transpose(view: SubgroupView, op: TileTransposeOp) -> None:
    """Transpose each unit if subgroups hold what they need, else exchange and transpose."""
    transposed_units(view, op, op.permutation.get_values())


def transposed_units(view: SubgroupView, op: Operation, permutation: Sequence[int]) -> None:
    """Rewrite `tile_transpose` or `vector.transpose`."""
    (value,), (result,) = op.operands, op.results
    source, target = view.units(value), view.distribution_of(result)
    if tuple(permutation) == (0, 1):
        view.bind(result, redistributed(view, source, target))
        return
    kept = in_registers(view, source, target.transposed())
    if kept is None:
        view.bind(result, transposed_through_memory(view, source, target))
        return
    view.note_kept(source.distribution, target)
    turned = {unit[::-1]: kept.unit(*unit) for unit in kept.distribution.round_coordinates}
    parts = [turned[unit] for unit in target.round_coordinates]
    view.each_unit(result, target, lambda unit: TileTransposeOp(parts[unit]))


def broadcast(view: SubgroupView, op: TileBroadcastOp) -> None:
    """Broadcast each unit from the units that the RFC derives for the source."""
    broadcast_units(view, op, op.broadcast_dims.get_values())


def broadcast_units(view: SubgroupView, op: Operation, dims: Sequence[int]) -> None:
    """Rewrite `tile_broadcast` or `vector.broadcast` along `dims`."""
    (value,), (result,) = op.operands, op.results
    target, given = view.distribution_of(result), view.units(value)
    unit = [1 if d in dims else extent for d, extent in enumerate(target.unit)]
    needed = target.with_units(given.distribution.shape, unit)
    source = redistributed(view, given, needed)
    parts = [
        source.unit(*(0 if d in dims else n for d, n in enumerate(rounds)))
        for rounds in target.round_coordinates
    ]
    type = unit_vector(result.type, target)
    view.each_unit(result, target, lambda unit: TileBroadcastOp(parts[unit], dims, type))


HANDLERS: Handlers[SubgroupView] = {
    **on(TileTransposeOp, transpose),
    **on(TileBroadcastOp, broadcast),
    **on(TileConvLayoutOp, conv_layout),
}
