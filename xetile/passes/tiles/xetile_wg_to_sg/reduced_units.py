"""Lower `tile_reduce` of a workgroup's value to reductions that subgroups do on their own units.

A unit is the part of a value that a subgroup holds at a time. If a value has more units than there are subgroups, each
subgroup holds several: its *rounds* along each dimension. The lowering has up to three steps:

1. A subgroup combines its units along the reduced dimension element by element (`_joined`).
2. It reduces the combined unit to one element along that dimension (`_reduced`).
3. If the reduced dimension is spread over several subgroups, each writes its elements to shared memory, and the
   subgroups that hold the result reduce those.

This is the order of `tile_reduce` (`reduction_order`) if all units are in one subgroup and their number is a power of
two. Otherwise sums and products of floats are formed in another order: after the units of a subgroup, subgroups are
halved by their numbers. With d and d' the depths of the two trees the result differs by at most (g(d) + g(d'))
sum(|x|), products of n by the relative error 2 g(n), with g(n) = n u / (1 - n u) and the unit roundoff u of the element
type (N. Higham, Accuracy and Stability of Numerical Algorithms, 4.2). All other kinds, and integers, give the same bits
in any order, except that minnumf and maxnumf may give the other zero if zeros of both signs meet.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import SSAValue

from xetile.dialects.fast_math import fast_math, halved
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import TileReduceOp
from xetile.errors import fail
from xetile.layout.algebra.block_grids import Coordinates, Distribution
from xetile.passes.tiles.xetile_wg_to_sg.exchanged_units import redistributed
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import (
    SubgroupView,
    Units,
    is_signless,
    retyped,
)
from xetile.rewriting.combining import combined
from xetile.rewriting.rewriter import Handlers, on


def reduce(view: SubgroupView, op: TileReduceOp) -> None:
    """Reduce each unit, then a subgroup's units, then the results of several subgroups."""
    dims = op.reduction_dims.get_values()
    target = view.distribution_of(op.result)
    partial = _of_own_units(view, op, view.units(op.source), dims)
    counts = partial.distribution.shape
    if all(counts[d] == 1 for d in dims):
        view.bind(op.result, redistributed(view, partial, target))
        return
    unit = [counts[d] if d in dims else extent for d, extent in enumerate(target.unit)]
    gathered = redistributed(view, partial, Distribution(counts, unit, target.grid))
    type = VectorType(vector_type(gathered.values[0]).element_type, target.unit)
    view.each_unit(
        op.result, target, lambda unit: retyped(op, [gathered.values[unit]], [type])
    )


def _of_own_units(
    view: SubgroupView, op: TileReduceOp, source: Units, dims: Sequence[int]
) -> Units:
    """Reduce each subgroup's own units to one element per subgroup along the reduced dimensions."""
    whole = source.distribution
    found = Distribution(
        [
            whole.units(d) // whole.rounds(d) if d in dims else n
            for d, n in enumerate(whole.shape)
        ],
        [1 if d in dims else n for d, n in enumerate(whole.unit)],
        whole.grid,
    )
    values = {place: source.unit(*place) for place in whole.round_coordinates}
    at_once = len(dims) == 2 and whole.rounds(1) == 1
    for step in [dims] if at_once else [[d] for d in dims]:
        values = {
            place: _reduced(view, op, value, step)
            for place, value in _joined(view, op, values, step[0]).items()
        }
    return Units([values[place] for place in found.round_coordinates], found)


def _joined(
    view: SubgroupView,
    op: TileReduceOp,
    values: Mapping[Coordinates, SSAValue],
    dimension: int,
) -> Mapping[Coordinates, SSAValue]:
    """Combine a subgroup's units (`values`, by round) along a dimension element by element.

    Return the combined units by round, which is 0 along that dimension.
    """
    lines: dict[Coordinates, list[SSAValue]] = {}
    for (row, column), value in values.items():
        lines.setdefault((0, column) if dimension == 0 else (row, 0), []).append(value)
    return {place: _combined(view, op, line) for place, line in lines.items()}


def _reduced(
    view: SubgroupView, op: TileReduceOp, value: SSAValue, dims: Sequence[int]
) -> SSAValue:
    type = vector_type(value)
    shape = [1 if d in dims else n for d, n in enumerate(type.get_shape())]
    made = retyped(op, [value], [VectorType(type.element_type, shape)])
    made.properties["reduction_dims"] = DenseArrayBase.from_list(i64, dims)
    return view.new(made)


def _combined(view: SubgroupView, op: TileReduceOp, values: Sequence[SSAValue]) -> SSAValue:
    """Combine values of one type by the reduction's kind, by halving."""
    element = vector_type(values[0]).element_type
    if len(values) > 1 and not is_signless(element):
        fail(
            op,
            f"elements of {element} cannot be reduced over several units of a subgroup; "
            "expected signless integers, or one unit along the reduced dimension",
        )
    kind, flags = op.kind.data.value, fast_math(op)
    return halved(values, lambda x, y: view.new(combined(kind, x, y, element, flags)))


HANDLERS: Handlers[SubgroupView] = on(TileReduceOp, reduce)
