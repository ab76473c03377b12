"""Products of a subgroup's units."""

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from xetile.analysis.same_value import vector_shape
from xetile.dialects.upstream import vector
from xetile.dialects.xetile import TileMMAOp
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import (
    SubgroupView,
    Units,
    retyped,
    unit_vector,
)
from xetile.rewriting.rewriter import Handlers, on


def tile_mma(view: SubgroupView, op: TileMMAOp) -> None:
    """Emit one product per unit of the result and smaller unit of A and B along K, K ascending."""
    distribution = view.distribution_of(op.results[0])
    units_a, units_b = view.units(op.operands[0]), view.units(op.operands[1])
    type = unit_vector(op.results[0].type, distribution)
    depth = max(units_a.distribution.rounds(1), units_b.distribution.rounds(0))
    a, b = _cut(view, units_a, 1, depth), _cut(view, units_b, 0, depth)
    results: list[SSAValue] = []
    for position, (row, column) in enumerate(distribution.round_coordinates):
        sums = [view.units(value).values[position] for value in op.operands[2:]]
        for k in range(depth):
            operands = [a[row, k], b[k, column], *sums]
            sums = [view.new(retyped(op, operands, [type]))]
        results.append(sums[0])
    view.bind(op.results[0], Units(results, distribution))


def _cut(
    view: SubgroupView, units: Units, dimension: int, count: int
) -> Mapping[tuple[int, ...], SSAValue]:
    distribution = units.distribution
    parts = count // distribution.rounds(dimension)
    sizes = list(distribution.unit)
    sizes[dimension] //= parts
    pieces: dict[tuple[int, ...], SSAValue] = {}
    for rounds, unit in zip(distribution.round_coordinates, units.values, strict=True):
        for part in range(parts):
            position, offsets = list(rounds), [0, 0]
            position[dimension] = rounds[dimension] * parts + part
            offsets[dimension] = part * sizes[dimension]
            pieces[tuple(position)] = _slice(view, unit, offsets, sizes)
    return pieces


def _slice(
    view: SubgroupView, unit: SSAValue, offsets: Sequence[int], sizes: Sequence[int]
) -> SSAValue:
    if vector_shape(unit) == tuple(sizes):
        return unit
    piece = view.new(vector.ExtractStridedSliceOp(unit, offsets, sizes))
    piece.name_hint = unit.name_hint
    return piece


HANDLERS: Handlers[SubgroupView] = on(TileMMAOp, tile_mma)
