"""Constants that each subgroup has a part of."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, is_splat, splat_of_type, taken
from xetile.analysis.same_value import is_tile_vector
from xetile.dialects import arith
from xetile.errors import fail
from xetile.layout.grid import Distribution
from xetile.passes.expansion import Expansion, Offset
from xetile.passes.wg_to_sg.view import SubgroupView, Units, retyped, unit_vector


def constant(view: SubgroupView, op: Operation) -> None:
    """A constant per unit: the splat, or the subgroup's slice."""
    if not is_tile_vector(op.results[0].type):
        Expansion.other(view, op)
        return
    distribution = view.value_distribution(op.results[0])
    values = dense_value(op)
    if values is None:
        fail(op, f"a constant of {op.results[0].type} needs dense elements")
    unit = unit_vector(op.results[0].type, distribution)
    if is_splat(values):
        splat = splat_of_type(values, unit)
        view.each_unit(op.results[0], distribution, lambda _: _retyped_constant(op, splat))
        return
    parts = [
        _select_slice(view, op, values, distribution, rounds)
        for rounds in distribution.round_coordinates
    ]
    view.bind(op.results[0], Units(parts, distribution))


def _retyped_constant(op: Operation, value: Dense) -> Operation:
    copy = retyped(op, [], [value.type])
    copy.properties["value"] = value
    return copy


def _select_slice(
    view: SubgroupView,
    op: Operation,
    values: Dense,
    distribution: Distribution,
    rounds: tuple[int, ...],
) -> SSAValue:
    """This subgroup's slice of a dense constant: selected by where its unit starts."""
    terms = distribution.offset_terms(rounds)
    starts = [[unit * term.scale + term.shift for unit in range(term.modulus)] for term in terms]
    here = [view.unit_offset(term) for term in terms]
    rows = [
        _choose(
            view,
            here[1],
            starts[1],
            [_slice(view, op, values, distribution, (r, c)) for c in starts[1]],
        )
        for r in starts[0]
    ]
    return _choose(view, here[0], starts[0], rows)


def _slice(
    view: SubgroupView,
    op: Operation,
    values: Dense,
    distribution: Distribution,
    start: tuple[int, int],
) -> SSAValue:
    width, (height, columns) = distribution.shape[1], distribution.unit
    elements = (
        (start[0] + row) * width + start[1] + column
        for row in range(height)
        for column in range(columns)
    )
    value = taken(values, elements, unit_vector(op.results[0].type, distribution))
    return view.emit_value(_retyped_constant(op, value))


def _choose(
    view: SubgroupView, here: Offset, starts: Sequence[int], choices: Sequence[SSAValue]
) -> SSAValue:
    chosen = choices[0]
    for start, choice in zip(starts[1:], choices[1:], strict=True):
        matches = view.emit_value(arith.CmpiOp(view.index(here), view.constant(start), "eq"))
        chosen = view.emit_value(arith.SelectOp(matches, choice, chosen))
    return chosen
