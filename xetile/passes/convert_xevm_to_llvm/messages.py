"""xevm's block messages and matrix instructions at L: calls of Intel's builtins."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, VectorType, f32, i32
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.xevm import (
    LANES,
    BlockLoad2dOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    MMAOp,
)
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.builtins import (
    ADD_PAYLOAD_X,
    ADD_PAYLOAD_Y,
    DEFAULT_PREFETCH_OPTION,
    LOAD_CACHE_OPTIONS,
    MATRIX_OPERANDS,
    SET_PAYLOAD_X,
    SET_PAYLOAD_Y,
    STORE_CACHE_OPTIONS,
    BlockShape,
    block_function,
    block_prefetch,
    block_read,
    block_write,
    cached_block_function,
    has_product,
    matrix_function,
    payload_prefetch,
    register_bits,
    registers_of_a,
)
from xetile.passes.convert_xevm_to_llvm.lowering import (
    Loaded,
    Lowering,
    Memory,
    Payload,
)
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_places,
    chunk_type,
    element_bits,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.vectors import recast
from xetile.rewriting.rewriter import Handlers, on

BlockMessage: TypeAlias = BlockLoad2dOp | BlockStore2dOp | BlockPrefetch2dOp


def shape_of(op: BlockMessage) -> BlockShape:
    """What a 2D block op moves.

    Errors: XetileError for a width that no message has, though upstream's verifier takes it.
    """
    columns = op.tile_width.value.data
    if columns & (columns - 1):
        fail(op, f"tile_width is {columns}; block messages have powers of two")
    blocks = 1 if isinstance(op, BlockStore2dOp) else op.v_blocks.value.data
    return BlockShape(op.elem_size_in_bits.value.data, op.tile_height.value.data, columns, blocks)


def _cache_option(op: BlockMessage, options: Mapping[tuple[str, str], int]) -> int | None:
    """IGC's number of the op's `cache_control`, None where there is none.

    The messages know two levels, L1 and the one behind; xevm's L3 is the latter, its L2 says nothing.
    Errors: XetileError where the pair has no number.
    """
    if op.cache_control is None:
        return None
    name = op.cache_control.data
    levels = {word[:2]: word[2:] for word in name.split("_")}
    if name in ("ir", "INVALIDATE_READ"):
        levels = {"L1": "ir", "L3": "ir"}
    found = options.get((levels.get("L1", ""), levels.get("L3", "")))
    if found is None:
        pairs = ", ".join(f"L1{a} with L3{b}" for a, b in options if a != "ir")
        fail(op, f"cache_control {name} has no message; expected {pairs}")
    return found


def _surface(lowering: Lowering, op: BlockMessage) -> list[SSAValue]:
    """The arguments that all 2D functions have: pointer, width, height, pitch, (x, y)."""
    sizes = [lowering.integer(v, 32) for v in (op.base_width, op.base_height, op.base_pitch)]
    return [lowering.scalar(op.ptr), *sizes, _pair(lowering, op.x, op.y)]


def _pair(lowering: Lowering, x: SSAValue, y: SSAValue) -> SSAValue:
    type = VectorType(i32, [2])
    numbers = lowering.number(x), lowering.number(y)
    if numbers[0] is not None and numbers[1] is not None:
        return lowering.vector_constant([numbers[0], numbers[1]], i32)
    pair = lowering.undefined(type)
    for index, value in enumerate((x, y)):
        at = lowering.integer_constant(index, 32)
        pair = lowering.emit_value(llvm.InsertElementOp(pair, lowering.integer(value, 32), at))
    return pair


def _call_block_function(
    lowering: Lowering,
    name: str,
    bits: int | None,
    arguments: Sequence[SSAValue],
    option: int | None,
) -> None:
    if option is None:
        lowering.call(block_function(name, bits), arguments)
        return
    number = lowering.integer_constant(option, 32)
    lowering.call(cached_block_function(name), [*arguments, number])


def _load(lowering: Lowering, op: BlockLoad2dOp) -> None:
    shape = shape_of(op)
    packed, transposed = op.is_packed, op.is_transposed
    bits = register_bits(shape, packed=packed)
    element, length = lowering.element(op.res), vector_length(op.res.type)
    if length is None:
        fail(op, f"'{op.name}' gives {op.res.type}; expected a vector of rank 1")
    count = length * element_bits(element) // bits
    pointer = lowering.private((op,), IntegerType(bits), count)
    name = block_read(shape, packed=packed, transposed=transposed)
    arguments = [*_surface(lowering, op), pointer]
    option = _cache_option(op, LOAD_CACHE_OPTIONS)
    _call_block_function(lowering, name, bits, arguments, option)
    assert lowering.block.last_op is not None
    memory = Memory(pointer, lowering.block.last_op)
    lowering.bind(op.res, Loaded(memory, element, length))


def _store(lowering: Lowering, op: BlockStore2dOp) -> None:
    shape, value = shape_of(op), op.stored_val
    bits = register_bits(shape, packed=False)
    parts, element, length = lowering.parts(value), lowering.element(value), width(value)
    held, moved = length * element_bits(element), shape.bits * shape.rows * shape.columns // LANES
    if held != moved:
        fail(
            op, f"the stored value is {value.type}, {held} bits; the message takes {moved} per lane"
        )
    # stores of one type follow one another, and so can share their memory
    pointer = lowering.private(("store", element, length), element, length)
    for part, (start, _) in zip(parts, chunk_places(length), strict=True):
        place = lowering.moved(pointer, start * element_bits(element) // 8)
        lowering.emit(llvm.StoreOp(part, place))
    arguments = [*_surface(lowering, op), pointer]
    option = _cache_option(op, STORE_CACHE_OPTIONS)
    _call_block_function(lowering, block_write(shape), bits, arguments, option)


def _prefetch(lowering: Lowering, op: BlockPrefetch2dOp) -> None:
    shape, option = shape_of(op), _cache_option(op, LOAD_CACHE_OPTIONS)
    payload = lowering.payloads.get(op)
    if payload is None:
        _call_block_function(lowering, block_prefetch(shape), None, _surface(lowering, op), option)
        return
    _prefetch_through(lowering, op, payload, option or DEFAULT_PREFETCH_OPTION)


def _prefetch_through(
    lowering: Lowering, op: BlockPrefetch2dOp, payload: Payload, option: int
) -> None:
    for coordinate, step, function in (
        (op.x, payload.x_step, SET_PAYLOAD_X),
        (op.y, payload.y_step, SET_PAYLOAD_Y),
    ):
        if step is None:
            lowering.call(function, [payload.pointer, lowering.integer(coordinate, 32)])
    zero, number = lowering.integer_constant(0, 32), lowering.integer_constant(option, 32)
    lowering.call(payload_prefetch(shape_of(op)), [payload.pointer, zero, zero, number])
    for step, function in ((payload.x_step, ADD_PAYLOAD_X), (payload.y_step, ADD_PAYLOAD_Y)):
        if step:
            lowering.call(function, [payload.pointer, lowering.integer_constant(step, 32)])


def _multiply(lowering: Lowering, op: MMAOp) -> None:
    a, b, accumulator = op.types.a.data, op.types.b.data, op.types.d.data
    m, n, k = op.shape.sizes
    depth = 8 * MATRIX_OPERANDS[a].ops_per_channel if a in MATRIX_OPERANDS else 0
    if not has_product(a, b, accumulator) or m not in (1, 2, 4, 8) or (n, k) != (16, depth):
        fail(
            op,
            f"no builtin multiplies {a} and {b} into {accumulator} with m = {m}, n = {n}, k = {k}; expected m = 1, 2, "
            "4 or 8, n = 16 and k = 256 bits, of f16, bf16, tf32, s8 and u8, s4 and u4",
        )
    sixteen, word = (f32, f32) if a == "tf32" else (IntegerType(16), i32)
    element = lowering.element(op.d)
    arguments = [
        _register(lowering, op.a, sixteen, registers_of_a(a, m)),
        _register(lowering, op.b, word, 8),
        lowering.vector_constant([0.0] * m, element)
        if op.c is None
        else _register(lowering, op.c, element, m),
    ]
    function = matrix_function(a, b, accumulator, rows=m, depth=k)
    result = lowering.result_of_call(function, arguments, chunk_type(element, m))
    lowering.bind_parts(op.d, [result])


def _register(lowering: Lowering, value: SSAValue, element: Attribute, count: int) -> SSAValue:
    """An operand as one part of the type that the builtin takes."""
    parts = recast(lowering, value, element)
    if len(parts) != 1 or parts[0].type != chunk_type(element, count):
        fail(
            lowering.current,
            f"'{lowering.current.name}' has an operand of {value.type}; expected "
            f"{count * element_bits(element)} bits",
        )
    return parts[0]


HANDLERS: Handlers[Lowering] = {
    **on(BlockLoad2dOp, _load),
    **on(BlockPrefetch2dOp, _prefetch),
    **on(BlockStore2dOp, _store),
    **on(MMAOp, _multiply),
}
