"""Products, and ops that work on each element alone."""

from xdsl.ir import Operation, SSAValue

from xetile.dialects.xetile import TileMMAOp
from xetile.errors import fail
from xetile.layout.grid import Distribution
from xetile.passes.wg_to_sg.view import SubgroupView, Units, retyped, unit_vector


def elementwise(view: SubgroupView, op: Operation) -> None:
    """The op on each unit; scalars are the same for all."""
    distribution = view.distribution_of(op.results[0])
    types = [unit_vector(result.type, distribution) for result in op.results]

    def make(unit: int) -> Operation:
        operands = [
            became.values[unit] if isinstance(became := view.get(v), Units) else view.single(v)
            for v in op.operands
        ]
        return retyped(op, operands, types)

    view.each_unit(op.results[0], distribution, make)


def tile_mma(view: SubgroupView, op: Operation) -> None:
    """One product per unit of the result and unit along K, K ascending."""
    assert isinstance(op, TileMMAOp)
    distribution = view.distribution_of(op.results[0])
    a, b = view.units(op.operands[0]), view.units(op.operands[1])
    _check_product(view, op, distribution)
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


def _check_product(view: SubgroupView, op: TileMMAOp, c: Distribution) -> None:
    """A has C's rows and all of K, B all of K and C's columns, on the same subgroups."""
    operands = (("A", op.operands[0], 0, 1), ("B", op.operands[1], 1, 0))
    for name, value, outer, inner in operands:
        map = view.maps[value]
        held = view.units(value).distribution
        extent = held.shape[inner]
        if held.units(inner) != 1 and map.sg_layout[inner] != 1:
            whole = [extent if d == inner else map.sg_data[d] for d in range(2)]
            fail(
                op,
                f"K = {extent} is spread over {map.sg_layout[inner]} subgroups "
                f"(sg_layout {list(map.sg_layout)}); use sg_data {whole}",
            )
        if map.sg_layout != c.grid or map.sg_data[outer] != c.unit[outer]:
            wanted = [extent if d == inner else c.unit[d] for d in range(2)]
            fail(
                op,
                f"operand {name} has {map}, but the result's map asks for "
                f"sg_layout = {list(c.grid)}, sg_data = {wanted}",
            )
    depths = [
        view.units(op.operands[0]).distribution.rounds(1),
        view.units(op.operands[1]).distribution.rounds(0),
    ]
    if depths[0] != depths[1]:
        fail(
            op, f"A has K in {depths[0]} units, B in {depths[1]}; expected the same sg_data along K"
        )
