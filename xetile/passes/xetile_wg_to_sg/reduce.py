"""Reductions: inside of units, over a subgroup's units, and across subgroups through shared memory.

Every subgroup reduces its own units first. Where the reduced dimension is spread over several subgroups, one element
per subgroup and row goes through shared memory, and the subgroups that hold the result reduce those.

Sums and products of floats are formed in this order: elements ascending inside of a unit, then a subgroup's units
ascending, then subgroups ascending. One unit along the reduced dimension keeps the order of `tile_reduce`; with more,
the result differs from the ascending one by at most 2 g(n) * sum(|x|), and products by the relative error 2 g(n), with
g(n) = n u / (1 - n u) for n reduced elements and the unit roundoff u of the element type (N. Higham, Accuracy and
Stability of Numerical Algorithms, 4.2). All other kinds, and integers, give the same bits in any order; only
minnumf and maxnumf may give the other zero where zeros of both signs meet.
"""

from collections.abc import Sequence
from itertools import product

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xetile import TileReduceOp
from xetile.errors import fail
from xetile.layout.algebra.distribution import Distribution
from xetile.passes.xetile_wg_to_sg.exchange import redistributed
from xetile.passes.xetile_wg_to_sg.view import (
    SubgroupView,
    Units,
    is_signless,
    retyped,
)
from xetile.rewriting.combining import combined
from xetile.rewriting.rewriter import Handlers, on


def reduce(view: SubgroupView, op: TileReduceOp) -> None:
    """A reduction of each unit, of a subgroup's units, and of what several subgroups found."""
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
    """What each subgroup finds in its own units: one element per subgroup along the reduced dimensions."""
    whole = source.distribution
    found = Distribution(
        [
            whole.units(d) // whole.rounds(d) if d in dims else n
            for d, n in enumerate(whole.shape)
        ],
        [1 if d in dims else n for d, n in enumerate(whole.unit)],
        whole.grid,
    )
    type = VectorType(vector_type(source.values[0]).element_type, found.unit)
    results: list[SSAValue] = []
    for row, column in found.round_coordinates:
        rows = range(whole.rounds(0)) if 0 in dims else [row]
        columns = range(whole.rounds(1)) if 1 in dims else [column]
        units = [source.unit(*rounds) for rounds in product(rows, columns)]
        partial = [view.new(retyped(op, [unit], [type])) for unit in units]
        results.append(_combined(view, op, partial))
    return Units(results, found)


def _combined(view: SubgroupView, op: TileReduceOp, values: Sequence[SSAValue]) -> SSAValue:
    """Values of one type combined by the reduction's kind, in their order."""
    result, *rest = values
    element = vector_type(result).element_type
    if rest and not is_signless(element):
        fail(
            op,
            f"elements of {element} cannot be reduced over several units of a subgroup; "
            "expected signless integers, or one unit along the reduced dimension",
        )
    for value in rest:
        result = view.new(combined(op.kind.data.value, result, value, element))
    return result


HANDLERS: Handlers[SubgroupView] = on(TileReduceOp, reduce)
