"""Ops that take parts of several units: the vectors are brought together, and the result is dealt out again."""

from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import is_tile_vector, vector_shape
from xetile.errors import fail
from xetile.layout.algebra.distribution import Distribution
from xetile.layout.algebra.own_pieces import own_pieces
from xetile.passes.xetile_wg_to_sg.exchange import bytes_exchanged, redistributed
from xetile.passes.xetile_wg_to_sg.view import SubgroupView, Units, retyped, unit_vector


def of_whole_vectors(view: SubgroupView, op: Operation) -> None:
    """The op on vectors that every subgroup holds whole, whoever held parts of them before."""
    operands = [_whole(view, operand) for operand in op.operands]
    made = view.emit(retyped(op, operands, op.result_types))
    for result, value in zip(op.results, made.results, strict=True):
        if is_tile_vector(result.type):
            target = view.distribution_of(result)
            whole = target.with_units(target.shape, target.shape)
            view.bind(result, redistributed(view, Units([value], whole), target))
        else:
            view.bind(result, value)


def _whole(view: SubgroupView, value: SSAValue) -> SSAValue:
    if not is_tile_vector(value.type):
        return view.single(value)
    units = view.units(value)
    shape = units.distribution.shape
    whole = units.distribution.with_units(shape, shape)
    kept = own_pieces(units.distribution, whole) is not None
    if not kept and (size := bytes_exchanged(view, value)) > view.exchange_bytes:
        fail(
            view.current,
            f"'{view.current.name}' takes parts of several units of a {value.type}, whose {size} bytes are more than "
            f"the {view.exchange_bytes} of an exchange; take parts that lie in one unit",
        )
    return redistributed(view, units, whole).values[0]


def rows_cast(view: SubgroupView, op: Operation) -> None:
    """Of whole rows unit by unit, where a unit's rows have the elements of whole rows before; else of whole vectors."""
    (source,), (result,) = op.operands, op.results
    if not (is_tile_vector(source.type) and is_tile_vector(result.type)):
        of_whole_vectors(view, op)
        return
    target, (height, width) = view.distribution_of(result), vector_shape(source)
    rows, rest = divmod(target.unit[0] * target.shape[1], width)
    if rest:
        of_whole_vectors(view, op)
        return
    taken = target.with_units((height, width), (rows, width))
    made = target.with_units(target.shape, (target.unit[0], target.shape[1]))
    _of_each_unit(view, op, taken, made)


def bitcast(view: SubgroupView, op: Operation) -> None:
    """Unit by unit, where the result has whole elements in each."""
    (source,), (result,) = op.operands, op.results
    taken, shape = view.units(source).distribution, vector_shape(result)
    columns, rest = divmod(taken.unit[1] * shape[1], taken.shape[1])
    if rest:
        of_whole_vectors(view, op)
        return
    _of_each_unit(view, op, taken, taken.with_units(shape, (taken.unit[0], columns)))


def _of_each_unit(
    view: SubgroupView, op: Operation, taken: Distribution, made: Distribution
) -> None:
    (source,), (result,) = op.operands, op.results
    units = redistributed(view, view.units(source), taken)
    type = unit_vector(result.type, made)
    parts = [view.new(retyped(op, [unit], [type])) for unit in units.values]
    view.bind(result, redistributed(view, Units(parts, made), view.distribution_of(result)))
