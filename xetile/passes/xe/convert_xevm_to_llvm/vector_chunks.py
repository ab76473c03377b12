"""Ops of vector at L: selections, casts and single elements of vectors that are chunks.

The module also makes and recognizes chunks of one scalar.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IndexType, VectorType, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream.llvm import ExtractElementOp, SelectOp
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import (
    CHUNK,
    NIBBLE_BITS,
    chunk_bits,
    chunk_places,
    chunk_type,
    chunk_widths,
    element_bits,
    is_nibble,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import Chunks, LLVMView, Loaded
from xetile.rewriting.rewriter import Handler, Handlers


def splat(view: LLVMView, scalar: SSAValue, element: Attribute, count: int) -> SSAValue:
    """Return a chunk of one scalar."""
    if count == 1:
        return scalar
    type = chunk_type(element, count)
    zero = view.i32(0)
    first = view.new(llvm.InsertElementOp(view.undefined(type), scalar, zero))
    mask = DenseArrayBase.from_list(i32, [0] * count)
    return view.new(llvm.ShuffleVectorOp(first, first, mask, type))


def recast_part(view: LLVMView, part: SSAValue, element: Attribute, count: int) -> SSAValue:
    """Return a chunk's bits as a chunk of `count` other elements; a splat becomes a splat of the cast scalar.

    If a chunk is bitcast as a whole, IGC keeps it in as many registers as it has elements.
    """
    type = chunk_type(element, count)
    if part.type == type:
        return part
    scalar = _repeated(part)
    if scalar is None or width(part) != count:
        return view.new(llvm.BitcastOp(part, type))
    return splat(view, view.new(llvm.BitcastOp(scalar, element)), element, count)


def _repeated(part: SSAValue) -> SSAValue | None:
    """Return the scalar from which `splat` made a chunk, or None."""
    shuffle = part.owner
    if not isinstance(shuffle, llvm.ShuffleVectorOp) or any(shuffle.mask.get_values()):
        return None
    first = shuffle.v1.owner
    return first.value if isinstance(first, llvm.InsertElementOp) else None


class _Lane(NamedTuple):
    part: SSAValue
    place: int


def _lanes(parts: Sequence[SSAValue]) -> list[_Lane]:
    return [_Lane(part, i) for part in parts for i in range(width(part))]


def _scalar(view: LLVMView, lane: _Lane) -> SSAValue:
    if vector_length(lane.part.type) is None:
        return lane.part
    index = view.i32(lane.place)
    return view.new(ExtractElementOp(lane.part, index))


def _gathered(view: LLVMView, lanes: Sequence[_Lane], element: Attribute) -> SSAValue:
    """Make one chunk from some elements: the part itself, one shuffle, or element by element."""
    if len(lanes) == 1:
        return _scalar(view, lanes[0])
    parts = list(dict.fromkeys(lane.part for lane in lanes))
    type, mask = parts[0].type, [lane.place for lane in lanes]
    length = vector_length(type)
    if len(parts) == 1 and mask == list(range(length or 0)):
        return parts[0]
    result = chunk_type(element, len(lanes))
    if len(parts) <= 2 and length is not None and all(part.type == type for part in parts):
        mask = [lane.place + (length if lane.part is not parts[0] else 0) for lane in lanes]
        shuffle = DenseArrayBase.from_list(i32, mask)
        return view.new(llvm.ShuffleVectorOp(parts[0], parts[-1], shuffle, result))
    if len(parts) == 1 and length is None:
        return splat(view, parts[0], element, len(lanes))
    made = view.undefined(result)
    for place, lane in enumerate(lanes):
        index = view.i32(place)
        made = view.new(llvm.InsertElementOp(made, _scalar(view, lane), index))
    return made


def elements_of(view: LLVMView, parts: Sequence[SSAValue]) -> list[SSAValue]:
    """Return the elements of chunks as scalars."""
    return [_scalar(view, lane) for lane in _lanes(parts)]


def chunks_of(
    view: LLVMView, elements: Sequence[SSAValue], element: Attribute
) -> tuple[SSAValue, ...]:
    """Return scalars as chunks."""
    return _rechunked(view, [_Lane(scalar, 0) for scalar in elements], element)


def _rechunked(
    view: LLVMView, lanes: Sequence[_Lane], element: Attribute
) -> tuple[SSAValue, ...]:
    return tuple(
        _gathered(view, lanes[start : start + count], element)
        for start, count in chunk_places(len(lanes))
    )


def _run_of(view: LLVMView, op: Operation, places: Sequence[int]) -> tuple[Loaded, int] | None:
    """Return the memory and the place in it if the elements are neighbors in one loaded operand, else None."""
    operands, start = list(op.operands), places[0]
    if list(places) != list(range(start, start + len(places))):
        return None
    first = view.get(operands[0])
    length = width(operands[0])
    if start >= length and len(operands) > 1:
        first, start = view.get(operands[1]), start - length
        length = width(operands[1])
    if not isinstance(first, Loaded) or start + len(places) > length:
        return None
    return first, start


def _select(view: LLVMView, op: Operation, places: Sequence[int]) -> None:
    """Bind the result to elements of the operands, numbered through all of them; -1 is any element."""
    places = [max(place, 0) for place in places]
    element, parts = view.element(op.results[0]), list[SSAValue]()
    lanes: list[_Lane] | None = None
    for start, count in chunk_places(len(places)):
        wanted = places[start : start + count]
        run = _run_of(view, op, wanted)
        if run is not None:
            parts.append(view.read(*run, count))
            continue
        if lanes is None:
            lanes = [lane for value in op.operands for lane in _lanes(view.parts(value))]
        parts.append(_gathered(view, [lanes[place] for place in wanted], element))
    view.bind_parts(op.results[0], parts)


def of_rank_one(handler: Handler[LLVMView]) -> Handler[LLVMView]:
    """Return `handler` with a check that refuses vectors of rank 2 and more."""

    def handle(view: LLVMView, op: Operation) -> None:
        for value in (*op.operands, *op.results):
            if isa(value.type, VectorType) and vector_length(value.type) is None:
                view.refuse(
                    f"on {value.type} has no lowering to LLVM IR; expected vectors of rank 1"
                )
        handler(view, op)

    return handle


def _shuffle(view: LLVMView, op: Operation) -> None:
    _select(view, op, integers_of(op, "mask"))


def _slice(view: LLVMView, op: Operation) -> None:
    (offset,), (size,), (stride,) = (
        integers_of(op, name) for name in ("offsets", "sizes", "strides")
    )
    _select(view, op, [offset + stride * i for i in range(size)])


def _insert_slice(view: LLVMView, op: Operation) -> None:
    (offset,), (stride,) = (integers_of(op, name) for name in ("offsets", "strides"))
    inner, outer = map(width, op.operands)
    places = list(range(inner, inner + outer))
    for i in range(inner):
        places[offset + stride * i] = i
    _select(view, op, places)


def recast(view: LLVMView, value: SSAValue, element: Attribute) -> tuple[SSAValue, ...]:
    """Return the bits of a vector as chunks of another element type at L."""
    length, before = width(value), view.element(value)
    if before == element:
        return view.parts(value)
    count, rest = divmod(length * element_bits(before), element_bits(element))
    became = view.get(value)
    if isinstance(became, Loaded) and not rest:
        return view.read_all(Loaded(became.memory, element, count))
    if any(
        width(part) * element_bits(before) % element_bits(element)
        for part in view.parts(value)
    ):
        view.refuse(
            f"takes {value.type} as elements of {element}, which has no lowering to LLVM IR"
        )
    return _recast_parts(view, view.parts(value), element)


def _recast_parts(
    view: LLVMView, parts: Sequence[SSAValue], element: Attribute
) -> tuple[SSAValue, ...]:
    made: list[SSAValue] = []
    for part in _narrow_enough(view, parts, element):
        count = width(part) * chunk_bits(part.type) // element_bits(element)
        made.append(recast_part(view, part, element, count))
    # a chunk may have become wider or narrower than chunks may be
    return _rechunked(view, _lanes(made), element)


def _narrow_enough(
    view: LLVMView, parts: Sequence[SSAValue], element: Attribute
) -> Iterator[SSAValue]:
    """Yield chunks, split where one would become more elements than vectors of SPIR-V have."""
    most = 2 * CHUNK * element_bits(element)
    for part in parts:
        bits = chunk_bits(part.type)
        if width(part) * bits <= most:
            yield part
            continue
        lanes, own = _lanes([part]), vector_element(part.type)
        piece = max(1, CHUNK * element_bits(element) // bits)
        for start in range(0, len(lanes), piece):
            yield _gathered(view, lanes[start : start + piece], own)


def _halved(view: LLVMView, value: SSAValue, element: Attribute) -> tuple[SSAValue, ...]:
    """Return bytes as two elements of 4 bits each, lower bits first; bits above the fourth stay."""
    lanes: list[_Lane] = []
    for part in recast(view, value, i8):
        four = view.vector_constant([NIBBLE_BITS] * width(part), i8)
        upper = view.new(llvm.LShrOp(part, four))
        for place in range(width(part)):
            lanes += [_Lane(part, place), _Lane(upper, place)]
    return _rechunked(view, lanes, element)


def _joined(view: LLVMView, value: SSAValue, element: Attribute) -> tuple[SSAValue, ...]:
    """Return pairs of elements of 4 bits as bytes, and these as elements of another type."""
    lanes = _lanes(view.parts(value))
    bytes: list[SSAValue] = []
    halves = (_rechunked(view, lanes[start::2], i8) for start in range(2))
    for low, high in zip(*halves, strict=True):
        mask = view.vector_constant([(1 << NIBBLE_BITS) - 1] * width(low), i8)
        four = view.vector_constant([NIBBLE_BITS] * width(low), i8)
        bytes.append(
            view.new(
                llvm.OrOp(view.new(llvm.AndOp(low, mask)), view.new(llvm.ShlOp(high, four)))
            )
        )
    return _recast_parts(view, bytes, element)


def _bitcast(view: LLVMView, op: Operation) -> None:
    source, result = op.operands[0], op.results[0]
    element, became = view.element(result), view.get(source)
    nibbles = [is_nibble(vector_element(value.type)) for value in (source, result)]
    if nibbles[0] != nibbles[1]:
        make = _joined if nibbles[0] else _halved
        view.bind_parts(result, make(view, source, element))
    elif isinstance(became, Loaded):
        view.bind(result, Loaded(became.memory, element, width(result)))
    else:
        view.bind_parts(result, recast(view, source, element))


def _as_element(view: LLVMView, value: SSAValue, element: Attribute) -> SSAValue:
    """Return a scalar in the form of a vector element; an index alone may have fewer bits than in vectors."""
    if isinstance(value.type, IndexType):
        return view.integer(value, element_bits(element))
    return view.parts(value)[0]


def _from_elements(view: LLVMView, op: Operation) -> None:
    element = view.element(op.results[0])
    elements = [_as_element(view, value, element) for value in op.operands]
    parts = chunks_of(view, elements, element)
    view.bind_parts(op.results[0], parts)


def _to_elements(view: LLVMView, op: Operation) -> None:
    lanes = _lanes(view.parts(op.operands[0]))
    for result, lane in zip(op.results, lanes, strict=True):
        view.bind_parts(result, [_scalar(view, lane)])


def _broadcast(view: LLVMView, op: Operation) -> None:
    """Repeat a scalar, or a vector of one element, in every element."""
    source, result = op.operands[0], op.results[0]
    if vector_length(source.type) == width(result):
        view.bind(result, view.get(source))
        return
    element = view.element(result)
    scalar = _as_element(view, source, element)
    widths = chunk_widths(width(result))
    made = {count: splat(view, scalar, element, count) for count in set(widths)}
    view.bind_parts(result, [made[count] for count in widths])


def _position(
    view: LLVMView, op: Operation, dynamic: Sequence[SSAValue]
) -> int | SSAValue | None:
    """Return the position of vector.extract or insert, or None for the only element of a vector of rank 0."""
    static = integers_of(op, "static_position")
    if not static:
        return None
    if not dynamic:
        return static[0]
    became = view.get(dynamic[0])
    return became if isinstance(became, int) else view.integer(dynamic[0], 32)


def _extract(view: LLVMView, op: Operation) -> None:
    source, *dynamic = op.operands
    place = _position(view, op, dynamic)
    parts = view.parts(source)
    if isinstance(place, SSAValue):
        element = _dynamic_element(view, parts, place)
    else:
        element = _scalar(view, _lanes(parts)[place or 0])
    view.bind_parts(op.results[0], [element])


def _dynamic_element(view: LLVMView, parts: Sequence[SSAValue], place: SSAValue) -> SSAValue:
    """Return the element at a run-time position: extract one element of each chunk, then select."""
    found: SSAValue | None = None
    start = 0
    for part in parts:
        element = part
        if width(part) > 1:
            # widths are powers of two and starts their multiples
            mask = view.i32(width(part) - 1)
            element = view.new(ExtractElementOp(part, view.new(llvm.AndOp(place, mask))))
        if found is None:
            found = element
        else:
            behind = view.compare("uge", place, view.i32(start))
            found = view.new(SelectOp(behind, element, found))
        start += width(part)
    assert found is not None
    return found


def _insert(view: LLVMView, op: Operation) -> None:
    value, destination, *dynamic = op.operands
    place = _position(view, op, dynamic)
    parts = list(view.parts(destination))
    if isinstance(place, SSAValue):
        scalar = view.parts(value)[0]
        view.bind_parts(op.results[0], _with_element(view, parts, scalar, place))
        return
    index, start = max(
        (index, start)
        for index, (start, _) in enumerate(chunk_places(width(destination)))
        if start <= (place or 0)
    )
    scalar = _as_element(view, value, view.element(destination))
    if vector_length(parts[index].type) is None:
        parts[index] = scalar
    else:
        at = view.i32((place or 0) - start)
        parts[index] = view.new(llvm.InsertElementOp(parts[index], scalar, at))
    view.bind_parts(op.results[0], parts)


def _with_element(
    view: LLVMView, parts: Sequence[SSAValue], scalar: SSAValue, place: SSAValue
) -> list[SSAValue]:
    """Return chunks with an element inserted at a run-time position."""
    made: list[SSAValue] = []
    start = 0
    for part in parts:
        count = width(part)
        within = view.new(llvm.SubOp(place, view.i32(start))) if start else place
        changed = scalar
        if count > 1:
            inside = view.new(llvm.AndOp(within, view.i32(count - 1)))
            changed = view.new(llvm.InsertElementOp(part, scalar, inside))
        here = view.compare("ult", within, view.i32(count))
        made.append(view.new(SelectOp(here, changed, part)))
        start += count
    return made


def _shape_cast(view: LLVMView, op: Operation) -> None:
    became = view.get(op.operands[0])
    if isinstance(became, (Chunks, Loaded)):
        view.bind(op.results[0], became)
    else:
        view.bind_parts(op.results[0], view.parts(op.operands[0]))


def _undefined(view: LLVMView, op: Operation) -> None:
    result = op.results[0]
    view.bind_parts(result, [view.undefined(type) for type in view.part_types(result)])


_OF_VECTORS: Handlers[LLVMView] = {
    "vector.bitcast": _bitcast,
    "vector.broadcast": _broadcast,
    "vector.extract": _extract,
    "vector.extract_strided_slice": _slice,
    "vector.from_elements": _from_elements,
    "vector.insert": _insert,
    "vector.insert_strided_slice": _insert_slice,
    "vector.shape_cast": _shape_cast,
    "vector.shuffle": _shuffle,
    "vector.to_elements": _to_elements,
}

HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys(("llvm.mlir.poison", "llvm.mlir.undef", "ub.poison"), _undefined),
    **{name: of_rank_one(handler) for name, handler in _OF_VECTORS.items()},
}
