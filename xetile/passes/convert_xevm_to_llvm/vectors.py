"""vector at L: selections, casts and single elements of vectors that are chunks."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xetile.dialects.upstream.llvm_values import ExtractElementOp, SelectOp
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.lowering import Chunks, Handler, Loaded, Lowering
from xetile.passes.convert_xevm_to_llvm.types import (
    CHUNK,
    chunk_type,
    chunk_widths,
    element_bits,
    vector_length,
)


class _Lane(NamedTuple):
    """One element: the part that holds it, and its place there."""

    part: SSAValue
    place: int


def _lanes(parts: Sequence[SSAValue]) -> list[_Lane]:
    """All elements of a row of parts."""
    return [_Lane(part, i) for part in parts for i in range(vector_length(part.type) or 1)]


def _scalar(lowering: Lowering, lane: _Lane) -> SSAValue:
    if vector_length(lane.part.type) is None:
        return lane.part
    index = lowering.integer_constant(lane.place, 32)
    return lowering.value(ExtractElementOp(lane.part, index))


def _gathered(lowering: Lowering, lanes: Sequence[_Lane], element: Attribute) -> SSAValue:
    """One chunk out of some elements: the part itself, one shuffle, or element by element."""
    if len(lanes) == 1:
        return _scalar(lowering, lanes[0])
    parts = list(dict.fromkeys(lane.part for lane in lanes))
    type, mask = parts[0].type, [lane.place for lane in lanes]
    width = vector_length(type)
    if len(parts) == 1 and mask == list(range(width or 0)):
        return parts[0]
    result = chunk_type(element, len(lanes))
    if len(parts) <= 2 and width is not None and all(part.type == type for part in parts):
        mask = [lane.place + (width if lane.part is not parts[0] else 0) for lane in lanes]
        shuffle = DenseArrayBase.from_list(i32, mask)
        return lowering.value(llvm.ShuffleVectorOp(parts[0], parts[-1], shuffle, result))
    made = lowering.undefined(result)
    for place, lane in enumerate(lanes):
        index = lowering.integer_constant(place, 32)
        made = lowering.value(llvm.InsertElementOp(made, _scalar(lowering, lane), index))
    return made


def rechunked(
    lowering: Lowering, lanes: Sequence[_Lane], element: Attribute
) -> tuple[SSAValue, ...]:
    """Elements as chunks."""
    parts: list[SSAValue] = []
    start = 0
    for width in chunk_widths(len(lanes)):
        parts.append(_gathered(lowering, lanes[start : start + width], element))
        start += width
    return tuple(parts)


def _run_of(lowering: Lowering, op: Operation, places: Sequence[int]) -> tuple[Loaded, int] | None:
    """The memory and the place in it, where neighbours of one loaded operand are meant."""
    operands, start = list(op.operands), places[0]
    if list(places) != list(range(start, start + len(places))):
        return None
    first = lowering.get(operands[0])
    length = vector_length(operands[0].type) or 1
    if start >= length and len(operands) > 1:
        first, start = lowering.get(operands[1]), start - length
        length = vector_length(operands[1].type) or 1
    if not isinstance(first, Loaded) or start + len(places) > length:
        return None
    return first, start


def _select(lowering: Lowering, op: Operation, places: Sequence[int]) -> None:
    """Bind the result to elements of the operands, counted through all of them; -1 is any element."""
    places = [max(place, 0) for place in places]
    element, parts, start = lowering.element(op.results[0]), list[SSAValue](), 0
    lanes: list[_Lane] | None = None
    for width in chunk_widths(len(places)):
        wanted = places[start : start + width]
        start += width
        run = _run_of(lowering, op, wanted)
        if run is not None:
            parts.append(lowering.read(*run, width))
            continue
        if lanes is None:
            lanes = [lane for value in op.operands for lane in _lanes(lowering.parts(value))]
        parts.append(_gathered(lowering, [lanes[place] for place in wanted], element))
    lowering.bind_parts(op.results[0], parts)


def _check_rank(op: Operation) -> None:
    """Refuse vectors of rank 2 and more."""
    for value in (*op.operands, *op.results):
        if isa(value.type, VectorType) and vector_length(value.type) is None:
            fail(
                op,
                f"'{op.name}' on {value.type} has no lowering to LLVM IR; expected vectors of rank 1",
            )


def _integers(op: Operation, name: str) -> list[int]:
    value = op.properties[name]
    if isinstance(value, DenseArrayBase):
        return [int(number) for number in value.get_values()]
    return [number.value.data for number in cast("ArrayAttr[IntegerAttr]", value)]


def _shuffle(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    _select(lowering, op, _integers(op, "mask"))


def _slice(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    (offset,), (size,), (stride,) = (
        _integers(op, name) for name in ("offsets", "sizes", "strides")
    )
    _select(lowering, op, [offset + stride * i for i in range(size)])


def _insert_slice(lowering: Lowering, op: Operation) -> None:
    """Operands: what is inserted, and into what."""
    _check_rank(op)
    (offset,), (stride,) = (_integers(op, name) for name in ("offsets", "strides"))
    inner, outer = (vector_length(value.type) or 1 for value in op.operands)
    places = list(range(inner, inner + outer))
    for i in range(inner):
        places[offset + stride * i] = i
    _select(lowering, op, places)


def recast(lowering: Lowering, value: SSAValue, element: Attribute) -> tuple[SSAValue, ...]:
    """The bits of a vector as chunks of another element type at L."""
    length, before = vector_length(value.type) or 1, lowering.element(value)
    if before == element:
        return lowering.parts(value)
    count, rest = divmod(length * element_bits(before), element_bits(element))
    became = lowering.get(value)
    if isinstance(became, Loaded) and not rest:
        return lowering.read_all(Loaded(became.memory, element, count))
    made: list[SSAValue] = []
    for part in lowering.parts(value):
        size = (vector_length(part.type) or 1) * element_bits(before)
        width, rest = divmod(size, element_bits(element))
        if rest:
            fail(
                lowering.current,
                f"'{lowering.current.name}' takes {value.type} as elements of {element}, which has no lowering to "
                "LLVM IR",
            )
        type = chunk_type(element, width)
        made.append(part if part.type == type else lowering.value(llvm.BitcastOp(part, type)))
    # a chunk may have become wider or narrower than chunks are
    return rechunked(lowering, _lanes(made), element)


def _bitcast(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    source, result = op.operands[0], op.results[0]
    element, became = lowering.element(result), lowering.get(source)
    if isinstance(became, Loaded):
        lowering.bind(result, Loaded(became.memory, element, vector_length(result.type) or 1))
    else:
        lowering.bind_parts(result, recast(lowering, source, element))


def _from_elements(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    lanes = [_Lane(lowering.parts(value)[0], 0) for value in op.operands]
    parts = rechunked(lowering, lanes, lowering.element(op.results[0]))
    lowering.bind_parts(op.results[0], parts)


def _to_elements(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    lanes = _lanes(lowering.parts(op.operands[0]))
    for result, lane in zip(op.results, lanes, strict=True):
        lowering.bind_parts(result, [_scalar(lowering, lane)])


def _broadcast(lowering: Lowering, op: Operation) -> None:
    """A scalar, or a vector of one element, to every element."""
    _check_rank(op)
    source, result = op.operands[0], op.results[0]
    length = vector_length(result.type) or 1
    if vector_length(source.type) == length:
        lowering.bind(result, lowering.get(source))
        return
    scalar, element = lowering.parts(source)[0], lowering.element(result)
    made: dict[int, SSAValue] = {}
    for width in set(chunk_widths(length)):
        made[width] = _splat(lowering, scalar, element, width)
    lowering.bind_parts(result, [made[width] for width in chunk_widths(length)])


def _splat(lowering: Lowering, scalar: SSAValue, element: Attribute, width: int) -> SSAValue:
    if width == 1:
        return scalar
    type = chunk_type(element, width)
    zero = lowering.integer_constant(0, 32)
    first = lowering.value(llvm.InsertElementOp(lowering.undefined(type), scalar, zero))
    mask = DenseArrayBase.from_list(i32, [0] * width)
    return lowering.value(llvm.ShuffleVectorOp(first, first, mask, type))


def _position(
    lowering: Lowering, op: Operation, dynamic: Sequence[SSAValue]
) -> int | SSAValue | None:
    """Where vector.extract or insert points, None for the only element of a vector of rank 0."""
    static = _integers(op, "static_position")
    if not static:
        return None
    if not dynamic:
        return static[0]
    became = lowering.get(dynamic[0])
    return became if isinstance(became, int) else lowering.integer(dynamic[0], 32)


def _extract(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    source, *dynamic = op.operands
    place = _position(lowering, op, dynamic)
    parts = lowering.parts(source)
    if not isinstance(place, SSAValue):
        lane = _lanes(parts)[place or 0]
        lowering.bind_parts(op.results[0], [_scalar(lowering, lane)])
        return
    lowering.bind_parts(op.results[0], [_dynamic_element(lowering, parts, place)])


def _dynamic_element(lowering: Lowering, parts: Sequence[SSAValue], place: SSAValue) -> SSAValue:
    """The element at a place that is known at run time only: one of each chunk, then the right one."""
    found: SSAValue | None = None
    start = 0
    for part in parts:
        width = vector_length(part.type) or 1
        element = part
        if width > 1:
            # widths are powers of two and starts their multiples
            mask = lowering.integer_constant(width - 1, 32)
            element = lowering.value(
                ExtractElementOp(part, lowering.value(llvm.AndOp(place, mask)))
            )
        if found is None:
            found = element
        else:
            flag = IntegerAttr(llvm.ICmpPredicateFlag("uge").to_int(), 64)
            behind = llvm.ICmpOp(place, lowering.integer_constant(start, 32), flag)
            found = lowering.value(SelectOp(lowering.value(behind), element, found))
        start += width
    assert found is not None
    return found


def _insert(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    value, destination, *dynamic = op.operands
    place = _position(lowering, op, dynamic)
    if isinstance(place, SSAValue):
        fail(op, "'vector.insert' at a dynamic position has no lowering to LLVM IR")
    parts = list(lowering.parts(destination))
    index, inside = divmod(place or 0, CHUNK)
    # behind the chunks of 8 come those of 4, 2, 1
    while inside >= (vector_length(parts[index].type) or 1):
        inside -= vector_length(parts[index].type) or 1
        index += 1
    scalar = lowering.parts(value)[0]
    if vector_length(parts[index].type) is None:
        parts[index] = scalar
    else:
        at = lowering.integer_constant(inside, 32)
        parts[index] = lowering.value(llvm.InsertElementOp(parts[index], scalar, at))
    lowering.bind_parts(op.results[0], parts)


def _shape_cast(lowering: Lowering, op: Operation) -> None:
    _check_rank(op)
    became = lowering.get(op.operands[0])
    if isinstance(became, (Chunks, Loaded)):
        lowering.bind(op.results[0], became)
    else:
        lowering.bind_parts(op.results[0], lowering.parts(op.operands[0]))


def _undefined(lowering: Lowering, op: Operation) -> None:
    """ub.poison and llvm.mlir.undef: any value."""
    result = op.results[0]
    element = lowering.element(result)
    widths = chunk_widths(vector_length(result.type) or 1)
    lowering.bind_parts(result, [lowering.undefined(chunk_type(element, w)) for w in widths])


HANDLERS: Mapping[str, Handler] = {
    "llvm.mlir.poison": _undefined,
    "llvm.mlir.undef": _undefined,
    "ub.poison": _undefined,
    "vector.bitcast": _bitcast,
    "vector.broadcast": _broadcast,
    "vector.extract": _extract,
    "vector.extract_strided_slice": _slice,
    "vector.from_elements": _from_elements,
    "vector.insert": _insert,
    "vector.insert_strided_slice": _insert_slice,
    "vector.shape_cast": _shape_cast,
    "vector.shuffle": _shuffle,
    "vector.splat": _broadcast,
    "vector.to_elements": _to_elements,
}
