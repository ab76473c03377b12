"""Constants that each subgroup has a part of."""

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, is_splat, splat_of_type, taken
from xetile.dialects.upstream import arith
from xetile.errors import fail
from xetile.layout.algebra.distribution import Distribution, Term
from xetile.passes.xetile_wg_to_sg.view import SubgroupView, Units, retyped, unit_vector


def constant(view: SubgroupView, op: Operation) -> None:
    """A constant per unit: the splat, or the subgroup's slice."""
    distribution = view.distribution_of(op.results[0])
    values = dense_value(op)
    if values is None:
        fail(op, f"a constant of {op.results[0].type} needs dense elements")
    unit = unit_vector(op.results[0].type, distribution)
    if is_splat(values):
        splat = splat_of_type(values, unit)
        view.each_unit(op.results[0], distribution, lambda _: _retyped_constant(op, splat))
        return
    parts = [
        _own_slice(view, op, values, distribution, rounds)
        for rounds in distribution.round_coordinates
    ]
    view.bind(op.results[0], Units(parts, distribution))


def _retyped_constant(op: Operation, value: Dense) -> Operation:
    copy = retyped(op, [], [value.type])
    copy.properties["value"] = value
    return copy


def _own_slice(
    view: SubgroupView,
    op: Operation,
    values: Dense,
    distribution: Distribution,
    rounds: tuple[int, ...],
) -> SSAValue:
    """This subgroup's slice of a dense constant."""
    down, across = distribution.offset_terms(rounds)
    width, (height, columns) = distribution.shape[1], distribution.unit
    type = unit_vector(op.results[0].type, distribution)

    def slice_at(top: int, left: int) -> SSAValue:
        places = ((top + y) * width + left + x for y in range(height) for x in range(columns))
        return view.emit_value(_retyped_constant(op, taken(values, places, type)))

    return at_own_offset(
        view, down, lambda top: at_own_offset(view, across, lambda left: slice_at(top, left))
    )


def at_own_offset(view: SubgroupView, term: Term, make: Callable[[int], SSAValue]) -> SSAValue:
    """What `make` gives for the offset of this subgroup's unit, selected among all offsets that occur."""
    choices = [(offset, make(offset)) for offset in term.offsets]
    own = view.unit_offset(term)
    chosen = choices[0][1]
    for offset, choice in choices[1:]:
        matches = view.emit_value(arith.CmpiOp(view.index(own), view.constant(offset), "eq"))
        chosen = view.emit_value(arith.SelectOp(matches, choice, chosen))
    return chosen
