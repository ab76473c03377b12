"""Products, and ops that work on each element alone."""

from xdsl.ir import Operation, SSAValue

from xetile.dialects.xetile import TileMMAOp
from xetile.passes.wg_to_sg.view import SubgroupView, Units, retyped, unit_vector


def elementwise(view: SubgroupView, op: Operation) -> None:
    """The op on each unit; scalars are the same for all."""
    distribution = view.distribution_of(op.results[0])
    types = [unit_vector(result.type, distribution) for result in op.results]
    made = [
        view.emit(retyped(op, [_of_unit(view, v, unit) for v in op.operands], types))
        for unit in range(distribution.local_units)
    ]
    for number, result in enumerate(op.results):
        view.bind(result, Units([copy.results[number] for copy in made], distribution))


def _of_unit(view: SubgroupView, value: SSAValue, unit: int) -> SSAValue:
    became = view.get(value)
    return became.values[unit] if isinstance(became, Units) else view.single(value)


def tile_mma(view: SubgroupView, op: Operation) -> None:
    """One product per unit of the result and unit along K, K ascending."""
    assert isinstance(op, TileMMAOp)
    distribution = view.distribution_of(op.results[0])
    a, b = view.units(op.operands[0]), view.units(op.operands[1])
    type = unit_vector(op.results[0].type, distribution)
    depth = a.distribution.rounds(1)
    results: list[SSAValue] = []
    for position, (row, column) in enumerate(distribution.round_coordinates):
        sums = [view.units(value).values[position] for value in op.operands[2:]]
        for k in range(depth):
            operands = [a.unit(row, k), b.unit(k, column), *sums]
            sums = [view.emit_value(retyped(op, operands, [type]))]
        results.append(sums[0])
    view.bind(op.results[0], Units(results, distribution))
