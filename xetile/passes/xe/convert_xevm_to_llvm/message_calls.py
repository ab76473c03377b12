"""Lower xevm's block messages and matrix instructions to calls of Intel's builtins.

- 2D block loads, stores and prefetches move a block of a matrix. Each becomes one call of a builtin, which builds the
  address of the message itself, or of one that reads it from an address payload that several messages share
  (`payloads.py` decides which; `create_payload`, `load_through` and `store_through` emit it).
- 1D block loads and stores move rows of words in global or shared memory. Each lane has one word of a row.
- Matrix instructions (`xevm.mma`) become Intel's builtins for DPAS.

A 2D block load of a single row may be done by a 1D read instead, a *row read*, which needs no payload. That is so for
a load outside of loops whose row is known to lie inside its matrix, such as a vector that is added to every row. One
row read can do several adjacent loads of a row:

    %a = xevm.blockload2d %p, %w, %h, %w, %x, %y <{elem_size_in_bits = 32, tile_height = 1, tile_width = 16}>
    %b = xevm.blockload2d %p, %w, %h, %w, %x16, %y <{elem_size_in_bits = 32, tile_height = 1, tile_width = 16}>

With %x16 = %x + 16 these are one `simd_block_read_2` at %p + %y * pitch + 4 * %x. If a row may reach out of the
matrix, the 2D loads stay, because only they read zeros there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, VectorType, f32, i16, i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.analysis.ranges import Ranges
from xetile.dialects.operand_types import operand_types
from xetile.dialects.shared_attributes import integer_type
from xetile.dialects.upstream.llvm import ExtractElementOp
from xetile.dialects.xevm import (
    BlockLoad2dOp,
    BlockLoadOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    BlockStoreOp,
    MMAOp,
)
from xetile.errors import fail
from xetile.passes.xe.convert_xevm_to_llvm.builtins import (
    ADD_PAYLOAD_X,
    ADD_PAYLOAD_Y,
    CREATE_PAYLOAD,
    DEFAULT_PREFETCH_OPTION,
    LOAD_CACHE_OPTIONS,
    MATRIX_OPERANDS,
    SET_PAYLOAD_X,
    SET_PAYLOAD_Y,
    STORE_CACHE_OPTIONS,
    BlockShape,
    block_function,
    block_name,
    cached_block_function,
    has_product,
    matrix_function,
    matrix_operand,
    payload_load,
    payload_prefetch,
    payload_store,
    register_bits,
    registers_of_a,
    row_function,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import (
    chunk_element,
    chunk_places,
    chunk_type,
    chunk_widths,
    element_bits,
    vector_length,
    width,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView, Loaded, Memory, Payload
from xetile.passes.xe.convert_xevm_to_llvm.payloads import (
    BlockMessage,
    PayloadAccess,
    Place,
    SharedPayload,
    is_in_loop,
    place_of,
    shape_of,
    touches_no_memory,
)
from xetile.passes.xe.convert_xevm_to_llvm.pointers import behind, cache_option
from xetile.passes.xe.convert_xevm_to_llvm.vector_chunks import recast
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE, LANES, SHARED_ADDRESS_SPACE
from xetile.targets.xe.dpas import COLUMNS, REPEAT_COUNTS, depth
from xetile.targets.xe.messages import ROW_BITS

_SPACES: Mapping[int, str] = {GLOBAL_ADDRESS_SPACE: "global", SHARED_ADDRESS_SPACE: "local"}


def _space(op: BlockLoadOp | BlockStoreOp) -> str:
    number = getattr(cast(LLVMPointerType, op.ptr.type).addr_space, "data", 0)
    if op.cache_control is not None:
        fail(op, "cache_control of a 1D message has no lowering to LLVM IR")
    if number not in _SPACES:
        legal = " or ".join(f"{space} ({name})" for space, name in _SPACES.items())
        fail(op, f"the pointer is to address space {number}; expected {legal}")
    return _SPACES[number]


def _row_bytes(element: Attribute) -> int:
    return LANES * element_bits(element) // 8


def _load_row(view: LLVMView, op: BlockLoadOp) -> None:
    space, element = _space(op), view.element(op.res)
    pointer, start = view.scalar(op.ptr), 0
    parts: list[SSAValue] = []
    for type in view.part_types(op.res):
        count = vector_length(type) or 1
        name = row_function("read", space, element_bits(element), count)
        at = view.moved(pointer, start * _row_bytes(element))
        parts.append(view.result_of_call(name, [at], type))
        start += count
    view.bind_parts(op.res, parts)


def _store_row(view: LLVMView, op: BlockStoreOp) -> None:
    space, element = _space(op), view.element(op.val)
    pointer, start = view.scalar(op.ptr), 0
    for part in view.parts(op.val):
        count = width(part)
        name = row_function("write", space, element_bits(element), count)
        at = view.moved(pointer, start * _row_bytes(element))
        view.call(name, [at, part])
        start += count


DEFAULT_OPTION = 0
"""The meaning of an access without cache hints."""


def create_payload(
    view: LLVMView,
    surface: Sequence[SSAValue],
    place: Sequence[SSAValue],
    shape: BlockShape,
) -> SSAValue:
    """Return a payload for a surface (pointer; width, pitch in bytes, height between them) and a column and row."""
    pointer, *sizes = surface
    arguments = [
        view.new(llvm.PtrToIntOp(view.scalar(pointer), i64)),
        *(_minus_one(view, value) for value in sizes),
        *place,
        *(view.i32(n) for n in (shape.columns, shape.rows, shape.blocks)),
    ]
    return view.result_of_call(CREATE_PAYLOAD, arguments, llvm.LLVMPointerType())


def _minus_one(view: LLVMView, value: SSAValue) -> SSAValue:
    number = view.number(value)
    if number is not None:
        return view.i32(number - 1)
    return view.new(llvm.AddOp(view.integer(value, 32), view.i32(-1)))


def load_through(
    view: LLVMView, op: BlockLoad2dOp, access: PayloadAccess, option: int | None
) -> None:
    """Load one chunk through a payload."""
    shape = access.payload.shape
    type = chunk_type(integer_type(shape.bits), shape.rows)
    arguments = [*_address(view, op, access), view.i32(option or DEFAULT_OPTION)]
    loaded = view.result_of_call(payload_load(shape), arguments, type)
    wanted = chunk_type(view.element(op.res), vector_length(op.res.type) or 1)
    if wanted != type:
        loaded = view.new(llvm.BitcastOp(loaded, wanted))
    view.bind_parts(op.res, [loaded])


def store_through(
    view: LLVMView,
    op: BlockStore2dOp,
    access: PayloadAccess,
    values: Sequence[SSAValue],
    option: int | None,
) -> None:
    """Store one chunk, or two adjacent ones, through a payload."""
    shape = access.payload.shape
    parts = [recast(view, value, integer_type(shape.bits))[0] for value in values]
    stored = parts[0] if len(parts) == 1 else _side_by_side(view, *parts)
    address, number = _address(view, op, access), view.i32(option or DEFAULT_OPTION)
    view.call(payload_store(shape), [*address, stored, number])


def _address(
    view: LLVMView, op: BlockLoad2dOp | BlockStore2dOp, access: PayloadAccess
) -> list[SSAValue]:
    payload = access.payload
    if op is payload.first:
        payload.pointer = _make(view, op, payload)
    assert payload.pointer is not None
    return [payload.pointer, view.i32(access.x), view.i32(access.y)]


def _make(
    view: LLVMView, op: BlockLoad2dOp | BlockStore2dOp, payload: SharedPayload
) -> SSAValue:
    surface = (op.ptr, op.base_width, op.base_height, op.base_pitch)
    place = [value_of_place(view, payload.x), value_of_place(view, payload.y)]
    return create_payload(view, surface, place, payload.shape)


def value_of_place(view: LLVMView, place: Place) -> SSAValue:
    """Return a coordinate of 32 bits."""
    value, more = place
    if value is None:
        return view.i32(more)
    number = view.integer(value, 32)
    return view.new(llvm.AddOp(number, view.i32(more))) if more else number


def _side_by_side(view: LLVMView, left: SSAValue, right: SSAValue) -> SSAValue:
    """Interleave the rows of two chunks; a register of a message's row has the left chunk's part first."""
    rows = width(left)
    if rows == 1:
        made = view.undefined(chunk_type(left.type, 2))
        for index, part in enumerate((left, right)):
            made = view.new(llvm.InsertElementOp(made, part, view.i32(index)))
        return made
    order = [row + half for row in range(rows) for half in (0, rows)]
    mask = DenseArrayBase.from_list(i32, order)
    type = chunk_type(chunk_element(left.type), 2 * rows)
    return view.new(llvm.ShuffleVectorOp(left, right, mask, type))


class _Row(NamedTuple):
    op: BlockLoad2dOp
    x: int


RowReads = Mapping[Operation, Sequence[BlockLoad2dOp]]
"""For the first of the loads that one row read does, all of them from left to right; for the others an empty list."""


def row_reads(function: Operation, ranges: Ranges) -> RowReads:
    """Return the loads of a function that row reads do, which must be outside of loops."""
    found: dict[Operation, Sequence[BlockLoad2dOp]] = {}
    for op in function.walk():
        for region in op.regions:
            for block in region.blocks:
                if not is_in_loop(block):
                    for rows in _runs(block, ranges):
                        found |= _reads(rows)
    return found


def _runs(block: Block, ranges: Ranges) -> Iterator[list[_Row]]:
    """Yield groups of row loads of one matrix with no write between them, each with its offset from a shared column."""
    found: dict[object, list[_Row]] = {}
    for op in block.ops:
        if isinstance(op, BlockLoad2dOp):
            if _lies_inside(op, ranges):
                x, column = place_of(op.x)
                key = (*op.operands[:4], shape_of(op), x, op.y)
                found.setdefault(key, []).append(_Row(op, column))
        elif not isinstance(op, BlockPrefetch2dOp | MMAOp) and not touches_no_memory(op):
            yield from found.values()
            found = {}
    yield from found.values()


def _lies_inside(op: BlockLoad2dOp, ranges: Ranges) -> bool:
    """Return True if a load takes a word for each lane from one row, and all words are inside the matrix."""
    shape = shape_of(op)
    if shape.rows != 1 or shape.columns != LANES or shape.blocks != 1 or op.is_packed:
        return False
    if shape.bits not in ROW_BITS or op.is_transposed or op.cache_control is not None:
        return False
    if vector_length(op.res.type) != 1:
        return False
    x, y = ranges.get(op.x), ranges.get(op.y)
    width, height, pitch = (
        ranges.get(size) for size in (op.base_width, op.base_height, op.base_pitch)
    )
    if x is None or y is None or width is None or height is None or pitch is None:
        return False
    if pitch.low != pitch.high or y.low != y.high:
        return False
    inside = x.low >= 0 and (x.high + LANES) * shape.bits <= 8 * width.low
    return inside and 0 <= y.low < height.low


def _reads(rows: Sequence[_Row]) -> Mapping[Operation, Sequence[BlockLoad2dOp]]:
    found: dict[Operation, Sequence[BlockLoad2dOp]] = {}
    order = {row.op: position for position, row in enumerate(rows)}
    places = {row.x: row for row in rows}
    for neighbours in _neighbours([places[x] for x in sorted(places)]):
        start = 0
        for count in chunk_widths(len(neighbours)):
            loads = [row.op for row in neighbours[start : start + count]]
            first = min(loads, key=lambda load: order[load])
            found |= dict.fromkeys(loads, ()) | {first: loads}
            start += count
    return found


def _neighbours(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    run: list[_Row] = []
    for row in rows:
        if run and row.x != run[-1].x + LANES:
            yield run
            run = []
        run.append(row)
    yield run


def read_rows(view: LLVMView, loads: Sequence[BlockLoad2dOp]) -> None:
    """Emit one row read and bind each load to its part; `loads` are ordered from left to right."""
    bits, count = shape_of(loads[0]).bits, len(loads)
    word = IntegerType(bits)
    name = row_function("read", "global", bits, count)
    made = view.result_of_call(name, [_row_address(view, loads[0])], chunk_type(word, count))
    for index, load in enumerate(loads):
        part = made if count == 1 else view.new(ExtractElementOp(made, view.i32(index)))
        element = view.element(load.res)
        if element != word:
            part = view.new(llvm.BitcastOp(part, element))
        view.bind_parts(load.res, [part])


def _row_address(view: LLVMView, load: BlockLoad2dOp) -> SSAValue:
    row, pitch = view.number(load.y), view.number(load.base_pitch)
    assert row is not None
    assert pitch is not None
    column = view.new(llvm.ZExtOp(value_of_place(view, place_of(load.x)), i64))
    start = view.moved(view.scalar(load.ptr), row * pitch)
    return behind(view, start, column, IntegerType(shape_of(load).bits))


def _surface(view: LLVMView, op: BlockMessage) -> list[SSAValue]:
    """Return the arguments that all 2D functions have: pointer, width, height, pitch, (x, y)."""
    sizes = [view.integer(v, 32) for v in (op.base_width, op.base_height, op.base_pitch)]
    return [view.scalar(op.ptr), *sizes, _pair(view, op.x, op.y)]


def _pair(view: LLVMView, x: SSAValue, y: SSAValue) -> SSAValue:
    type = VectorType(i32, [2])
    numbers = view.number(x), view.number(y)
    if numbers[0] is not None and numbers[1] is not None:
        return view.vector_constant([numbers[0], numbers[1]], i32)
    pair = view.undefined(type)
    for index, value in enumerate((x, y)):
        at = view.i32(index)
        pair = view.new(llvm.InsertElementOp(pair, view.integer(value, 32), at))
    return pair


def _call_block_function(
    view: LLVMView,
    name: str,
    bits: int | None,
    arguments: Sequence[SSAValue],
    option: int | None,
) -> None:
    if option is None:
        view.call(block_function(name, bits), arguments)
        return
    number = view.i32(option)
    view.call(cached_block_function(name), [*arguments, number])


def _load(view: LLVMView, op: BlockLoad2dOp) -> None:
    if op in view.joined.values():
        return  # has come with the load to its left
    rows = view.row_reads.get(op)
    if rows is not None:
        if rows:  # the others come with the first
            read_rows(view, rows)
        return
    shape, right = shape_of(op), view.joined.get(op)
    packed, transposed = op.is_packed, op.is_transposed
    if right is not None:
        shape = shape._replace(columns=2 * shape.columns)
    bits = register_bits(shape, packed=packed)
    element, length = view.element(op.res), vector_length(op.res.type)
    if length is None:
        fail(op, f"'{op.name}' gives {op.res.type}; expected a vector of rank 1")
    option = cache_option(op, op.cache_control, LOAD_CACHE_OPTIONS)
    access = view.shared_payloads.get(op)
    if access is not None:
        load_through(view, op, access, option)
        return
    count = length * element_bits(element) // bits
    pointer = view.private((op,), IntegerType(bits), count if right is None else 2 * count)
    action = "read_transform" if packed else "read_transpose" if transposed else "read"
    arguments = [*_surface(view, op), pointer]
    _call_block_function(view, block_name(action, shape), bits, arguments, option)
    assert view.block.last_op is not None
    memory = Memory(pointer, view.block.last_op)
    view.bind(op.res, Loaded(memory, element, length))
    if right is not None:
        second = view.moved(pointer, count * bits // 8)
        view.bind(right.res, Loaded(Memory(second, view.block.last_op), element, length))


def _store(view: LLVMView, op: BlockStore2dOp) -> None:
    shape, value = shape_of(op), op.stored_val
    option = cache_option(op, op.cache_control, STORE_CACHE_OPTIONS)
    element, length = view.element(value), width(value)
    held, moved = (
        length * element_bits(element),
        shape.bits * shape.rows * shape.columns // LANES,
    )
    if held != moved:
        fail(
            op,
            f"the stored value is {value.type}, {held} bits; the message takes {moved} per lane",
        )
    access, pair = view.shared_payloads.get(op), view.pairs.get(op)
    if access is not None:
        values = (value,) if pair is None else (pair.left.stored_val, pair.right.stored_val)
        store_through(view, op, access, values, option)
    elif op not in view.pairs:
        _store_alone(view, op, shape, option)


def _store_alone(
    view: LLVMView, op: BlockStore2dOp, shape: BlockShape, option: int | None
) -> None:
    value = op.stored_val
    element, length = view.element(value), width(value)
    # stores of one type follow one another, so that they can share their memory
    pointer = view.private(("store", element, length), element, length)
    for part, (start, _) in zip(view.parts(value), chunk_places(length), strict=True):
        place = view.moved(pointer, start * element_bits(element) // 8)
        view.emit(llvm.StoreOp(part, place))
    arguments = [*_surface(view, op), pointer]
    bits = register_bits(shape, packed=False)
    _call_block_function(view, block_name("write", shape), bits, arguments, option)


def _prefetch(view: LLVMView, op: BlockPrefetch2dOp) -> None:
    shape, option = shape_of(op), cache_option(op, op.cache_control, LOAD_CACHE_OPTIONS)
    payload = view.payloads.get(op)
    if payload is None:
        _call_block_function(
            view, block_name("prefetch", shape), None, _surface(view, op), option
        )
        return
    _prefetch_through(view, op, payload, option or DEFAULT_PREFETCH_OPTION)


def _prefetch_through(
    view: LLVMView, op: BlockPrefetch2dOp, payload: Payload, option: int
) -> None:
    for coordinate, step, function in (
        (op.x, payload.x_step, SET_PAYLOAD_X),
        (op.y, payload.y_step, SET_PAYLOAD_Y),
    ):
        if step is None:
            view.call(function, [payload.pointer, view.integer(coordinate, 32)])
    zero, number = view.i32(0), view.i32(option)
    view.call(payload_prefetch(shape_of(op)), [payload.pointer, zero, zero, number])
    for step, function in ((payload.x_step, ADD_PAYLOAD_X), (payload.y_step, ADD_PAYLOAD_Y)):
        if step:
            view.call(function, [payload.pointer, view.i32(step)])


def _multiply(view: LLVMView, op: MMAOp) -> None:
    said = operand_types(op)
    a, b = map(matrix_operand, said or (op.types.a.data, op.types.b.data))
    accumulator = op.types.d.data
    m, n, k = op.shape.sizes
    legal = has_product(a, b, accumulator) and m in REPEAT_COUNTS and n == COLUMNS
    if not legal or k != depth(MATRIX_OPERANDS[a].bits):
        fail(
            op,
            f"no builtin multiplies {a} and {b} into {accumulator} with m = {m}, n = {n}, k = {k}; expected m = 1, 2, "
            "4 or 8, n = 16 and k = 256 bits, of f16, bf16, tf32, s8 and u8, s4 and u4, f8E4M3FN and f8E5M2",
        )
    sixteen, word = (f32, f32) if a == "tf32" else (i16, i32)
    element = view.element(op.d)
    arguments = [
        _register(view, op.a, sixteen, registers_of_a(a, m)),
        _register(view, op.b, word, 8),
        view.vector_constant([0.0] * m, element)
        if op.c is None
        else _register(view, op.c, element, m),
    ]
    function = matrix_function(a, b, accumulator, rows=m, depth=k)
    result = view.result_of_call(function, arguments, chunk_type(element, m))
    view.bind_parts(op.d, [result])


def _register(view: LLVMView, value: SSAValue, element: Attribute, count: int) -> SSAValue:
    parts = recast(view, value, element)
    if len(parts) != 1 or parts[0].type != chunk_type(element, count):
        view.refuse(
            f"has an operand of {value.type}; expected {count * element_bits(element)} bits"
        )
    return parts[0]


HANDLERS: Handlers[LLVMView] = {
    **on(BlockLoad2dOp, _load),
    **on(BlockPrefetch2dOp, _prefetch),
    **on(BlockStore2dOp, _store),
    **on(MMAOp, _multiply),
    **on(BlockLoadOp, _load_row),
    **on(BlockStoreOp, _store_row),
}
