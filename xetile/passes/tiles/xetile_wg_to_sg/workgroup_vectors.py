"""Ops that make vectors of a workgroup: constants, masks, broadcasts, transposes.

Ops that need parts of several units get whole vectors, and their results are distributed again.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import (
    Dense,
    dense_value,
    integers_of,
    is_splat,
    splat_of_type,
    taken,
)
from xetile.analysis.maps.rules import slice_ends, sliced_dims
from xetile.analysis.same_value import is_tile_vector, vector_shape
from xetile.dialects.upstream import arith, vector
from xetile.dialects.upstream.vector.vector_support import integers
from xetile.errors import fail
from xetile.layout.algebra.block_grids import Distribution, Term
from xetile.layout.algebra.own_pieces import own_pieces
from xetile.passes.tiles.xetile_wg_to_sg.exchanged_units import bytes_exchanged, redistributed
from xetile.passes.tiles.xetile_wg_to_sg.rearranged_units import (
    broadcast_units,
    transposed_units,
)
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import (
    SubgroupView,
    Units,
    retyped,
    unit_vector,
)
from xetile.rewriting.one_to_many import Offset
from xetile.rewriting.rewriter import Handler, Handlers


def of_whole_vectors(view: SubgroupView, op: Operation) -> None:
    """Emit the op on vectors that every subgroup holds whole; gather vectors of which it holds parts."""
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
    """Cast unit by unit if a unit's rows have the elements of whole rows of the source; else cast whole vectors."""
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
    """Cast unit by unit if each unit has whole elements of the result; else cast whole vectors."""
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


def constant(view: SubgroupView, op: Operation) -> None:
    """Emit a constant per unit: the splat, or the subgroup's slice."""
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
    down, across = distribution.offset_terms(rounds)
    width, (height, columns) = distribution.shape[1], distribution.unit
    type = unit_vector(op.results[0].type, distribution)

    def slice_at(top: int, left: int) -> SSAValue:
        places = ((top + y) * width + left + x for y in range(height) for x in range(columns))
        return view.new(_retyped_constant(op, taken(values, places, type)))

    return _at_own_offset(
        view, down, lambda top: _at_own_offset(view, across, lambda left: slice_at(top, left))
    )


def _at_own_offset(
    view: SubgroupView, term: Term, make: Callable[[int], SSAValue]
) -> SSAValue:
    """Return the result of `make` for this subgroup's offset, selected from the results for all possible offsets."""
    choices = [(offset, make(offset)) for offset in term.offsets]
    own = view.unit_offset(term)
    chosen = choices[0][1]
    for offset, choice in choices[1:]:
        matches = view.new(arith.CmpiOp(view.index(own), view.constant(offset), "eq"))
        chosen = view.new(arith.SelectOp(matches, choice, chosen))
    return chosen


def create_mask(view: SubgroupView, op: Operation) -> None:
    """Emit the mask of each unit, with bounds relative to the unit's beginning."""
    _mask(view, op, [view.single(bound) for bound in op.operands])


def constant_mask(view: SubgroupView, op: Operation) -> None:
    """Emit a mask with constant bounds, which depend on the subgroup here."""
    _mask(view, op, integers_of(op, "mask_dim_sizes"))


def _mask(view: SubgroupView, op: Operation, bounds: Sequence[Offset]) -> None:
    (result,) = op.results
    distribution = view.distribution_of(result)
    type = unit_vector(result.type, distribution)
    masks: list[SSAValue] = []
    for starts in view.unit_offsets(distribution):
        rebased = [
            view.index(_rebased(view, bound, start, size))
            for bound, start, size in zip(bounds, starts, distribution.unit, strict=True)
        ]
        masks.append(view.new(vector.CreateMaskOp(rebased, type)))
    view.bind(result, Units(masks, distribution))


def _rebased(view: SubgroupView, bound: Offset, start: Offset, size: int) -> Offset:
    """Return a bound relative to `start`, clamped to [0, size] (elements)."""
    if isinstance(bound, int) and isinstance(start, int):
        return min(max(bound - start, 0), size)
    left = view.index(bound)
    if start != 0:
        left = view.new(arith.SubiOp(left, view.index(start)))
    positive = view.new(arith.MaxSIOp(left, view.constant(0)))
    return view.new(arith.MinSIOp(positive, view.constant(size)))


def broadcast(view: SubgroupView, op: Operation) -> None:
    """Broadcast scalars, the unit's part of a rank 1 vector, or a rank 2 vector like `tile_broadcast`."""
    (source,), (result,) = op.operands, op.results
    if is_tile_vector(source.type):
        shapes = zip(vector_shape(source), vector_shape(result), strict=True)
        dims = [d for d, (small, large) in enumerate(shapes) if small == 1 and large != 1]
        broadcast_units(view, op, dims)
    elif isinstance(source.type, VectorType) and vector_shape(source) not in ((), (1,)):
        _of_lines(view, op, 1)
    else:
        distribution, whole = view.distribution_of(result), view.single(source)
        type = unit_vector(result.type, distribution)
        view.each_unit(result, distribution, lambda _: retyped(op, [whole], [type]))


def shape_cast(view: SubgroupView, op: Operation) -> None:
    """Cast a vector of rank 1, which every subgroup holds whole, to a row or column; cast other vectors row by row."""
    (source,), (result,) = op.operands, op.results
    shape = vector_shape(result)
    if len(vector_shape(source)) != 1 or len(shape) != 2 or 1 not in shape:
        rows_cast(view, op)
        return
    _of_lines(view, op, 0 if shape[1] == 1 else 1)


def _of_lines(view: SubgroupView, op: Operation, dimension: int) -> None:
    """Apply the op to the part of a vector of rank 1 that lies along one dimension of each unit."""
    (source,), (result,) = op.operands, op.results
    distribution = view.distribution_of(result)
    line, size = view.single(source), distribution.unit[dimension]
    terms = [
        distribution.offset_terms(rounds)[dimension]
        for rounds in distribution.round_coordinates
    ]

    def part(offset: int) -> SSAValue:
        if size == vector_shape(line)[0]:
            return line
        return view.new(vector.ExtractStridedSliceOp(line, [offset], [size]))

    parts = {term: _at_own_offset(view, term, part) for term in dict.fromkeys(terms)}
    type = unit_vector(result.type, distribution)
    view.each_unit(
        result, distribution, lambda unit: retyped(op, [parts[terms[unit]]], [type])
    )


def _transpose(view: SubgroupView, op: Operation) -> None:
    transposed_units(view, op, integers_of(op, "permutation"))


def _slice(view: SubgroupView, op: Operation) -> None:
    """Slice each unit if it is whole in the sliced dimensions; else slice the whole vectors."""
    if not all(is_tile_vector(operand.type) for operand in op.operands):
        of_whole_vectors(view, op)
        return
    dims = sliced_dims(op)
    small, large = slice_ends(op)
    shapes = {value: vector_shape(value) for value in (small, large)}
    inner, outer = (view.distribution_of(value) for value in (small, large))
    fits = inner.grid == outer.grid and all(
        inner.unit[d] == shapes[small][d] and outer.unit[d] == shapes[large][d]
        if d in dims
        else inner.unit[d] == outer.unit[d]
        for d in range(2)
    )
    sources = [view.units(operand) for operand in op.operands]
    if not fits or any(units.distribution not in (inner, outer) for units in sources):
        of_whole_vectors(view, op)
        return
    (result,) = op.results
    type = unit_vector(result.type, view.distribution_of(result))
    made = {name: integers(values) for name, values in _box(op, inner.unit).items()}

    def of_unit(unit: int) -> Operation:
        copy = retyped(op, [units.values[unit] for units in sources], [type])
        copy.properties |= made
        return copy

    view.each_unit(result, view.distribution_of(result), of_unit)


def _box(op: Operation, unit: Sequence[int]) -> Mapping[str, Sequence[int]]:
    """Return the properties of a slice of one unit, which name all dimensions."""
    offsets = integers_of(op, "offsets")
    box = {"offsets": [*offsets, *[0] * (2 - len(offsets))], "strides": [1, 1]}
    return box | {"sizes": [*unit]} if "sizes" in op.properties else box


def _for_tile_vectors(handler: Handler[SubgroupView]) -> Handler[SubgroupView]:
    def handle(view: SubgroupView, op: Operation) -> None:
        if is_tile_vector(op.results[0].type):
            handler(view, op)
        else:
            view.copy(op)

    return handle


def _where_tile_vectors_are(handler: Handler[SubgroupView]) -> Handler[SubgroupView]:
    """Apply the handler to ops with an operand or a result of rank 2, and copy other ops."""

    def handle(view: SubgroupView, op: Operation) -> None:
        if any(is_tile_vector(value.type) for value in (*op.operands, *op.results)):
            handler(view, op)
        else:
            view.copy(op)

    return handle


_OF_TILE_VECTORS: Handlers[SubgroupView] = {
    "arith.constant": constant,
    "vector.broadcast": broadcast,
    "vector.constant_mask": constant_mask,
    "vector.create_mask": create_mask,
    "vector.extract_strided_slice": _slice,
    "vector.insert_strided_slice": _slice,
    "vector.transpose": _transpose,
}

_WHERE_TILE_VECTORS_ARE: Handlers[SubgroupView] = {
    "vector.bitcast": bitcast,
    "vector.multi_reduction": of_whole_vectors,
    "vector.shape_cast": shape_cast,
}

HANDLERS: Handlers[SubgroupView] = {
    **{name: _for_tile_vectors(handler) for name, handler in _OF_TILE_VECTORS.items()},
    **{
        name: _where_tile_vectors_are(handler)
        for name, handler in _WHERE_TILE_VECTORS_ARE.items()
    },
}
